import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, Refused } from "../api/client.js";
import { useSave } from "../api/save.js";
import { type Site, useMay, useSite } from "../layout/sites.js";
import { Advice } from "../ui/advice.js";
import { Button } from "../ui/button.js";
import { useDraft } from "../ui/draft.js";
import { Select, TextField } from "../ui/field.js";
import { Snippet } from "../ui/id.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card } from "../ui/page.js";

/** How often the domain is checked. */
const LOOK_MS = 3000;

const METHODS = {
  dns: "DNS record",
  file: "File on the site",
  meta: "Tag in the home page",
} as const;
type Method = keyof typeof METHODS;

function Instructions({ site, method }: { readonly site: Site; readonly method: Method }) {
  const { dns, file, meta } = site.verification;
  if (method === "dns") {
    return (
      <>
        <p className="text-sm">
          Add a {dns.type} record named <code className="break-all">{dns.name}</code> with this
          value:
        </p>
        <Snippet label="DNS value" text={dns.value} />
      </>
    );
  }
  if (method === "file") {
    return (
      <>
        <p className="text-sm">
          Publish a file at <code className="break-all">{file.url}</code> with exactly this content:
        </p>
        <Snippet label="file content" text={file.content} />
      </>
    );
  }
  return (
    <>
      <p className="text-sm">
        Add this tag to the head of <code className="break-all">{meta.url}</code>:
      </p>
      <Snippet label="meta tag" text={meta.tag} />
    </>
  );
}

/** Lets an operator verify the domain, with a reason that is recorded in the audit log. */
function Vouch() {
  const { path } = useSite();
  const draft = useDraft({ reason: "" }, { keep: "reason" });
  const { reason } = draft.value;
  const vouch = useSave(async () => {
    await call("POST", `${path}/verify`, { method: "operator", reason: reason.trim() });
    // The form is gone as soon as the domain is verified.
    draft.discard();
  }, "sites");
  return (
    <details className="text-sm">
      <summary className="text-soft">Skip the proof for a trial (operators only)</summary>
      <div className="mt-2 flex flex-wrap items-end gap-2">
        <div className="min-w-0 flex-1">
          <TextField
            label="Reason"
            hint="For example: a test site on this computer. Your agent page then says that the domain was not checked, and the audit log records the reason."
            maxLength={500}
            value={reason}
            onChange={({ target }) => draft.set({ reason: target.value })}
          />
        </div>
        <Button disabled={reason.trim() === "" || vouch.isPending} onClick={() => vouch.mutate()}>
          Verify
        </Button>
      </div>
      {vouch.isError && <Failure error={vouch.error} />}
    </details>
  );
}

/** Checks the domain until it is verified. */
export function VerifyDomain() {
  const { site, path } = useSite();
  const client = useQueryClient();
  const operator = useMay("operator");
  const [method, setMethod] = useState<Method>("dns");
  const looked = useQuery({
    queryKey: ["verify", path, method],
    queryFn: async () => {
      try {
        await call("POST", `${path}/verify`, { method });
        await client.invalidateQueries({ queryKey: ["sites"] });
        return "Your domain is verified.";
      } catch (error) {
        if (error instanceof Refused && error.code === "verification_failed") return error.message;
        throw error;
      }
    },
    refetchInterval: LOOK_MS,
    enabled: site.status !== "verified",
  });
  return (
    <Card title={`Verify ${site.domain}`}>
      <Select
        label="Method"
        value={method}
        choices={METHODS}
        onChoose={(chosen) => setMethod(chosen as Method)}
      />
      <Instructions site={site} method={method} />
      {looked.isError ? (
        <Failure error={looked.error} />
      ) : (
        <Notice>
          Checking every few seconds. <Advice text={looked.data ?? ""} />
        </Notice>
      )}
      {operator && <Vouch />}
    </Card>
  );
}
