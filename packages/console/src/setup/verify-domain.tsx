import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, Refused } from "../api/client.js";
import { useSave } from "../api/save.js";
import { type Site, useMay, useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { Select, TextField } from "../ui/field.js";
import { Snippet } from "../ui/id.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card } from "../ui/page.js";

/** How often the proof is looked for while its owner publishes it. */
const LOOK_MS = 3000;

const METHODS = {
  dns: "A DNS record",
  file: "A file on the site",
  meta: "A tag in the home page",
} as const;
type Method = keyof typeof METHODS;

function Instructions({ site, method }: { readonly site: Site; readonly method: Method }) {
  const { dns, file, meta } = site.verification;
  if (method === "dns") {
    return (
      <>
        <p className="text-sm">
          Add a {dns.type} record named <code>{dns.name}</code> with this value:
        </p>
        <Snippet label="DNS value" text={dns.value} />
      </>
    );
  }
  if (method === "file") {
    return (
      <>
        <p className="text-sm">
          Let <code className="break-all">{file.url}</code> hold this and nothing more:
        </p>
        <Snippet label="file content" text={file.content} />
      </>
    );
  }
  return (
    <>
      <p className="text-sm">
        Put this into the head of <code className="break-all">{meta.url}</code>:
      </p>
      <Snippet label="meta tag" text={meta.tag} />
    </>
  );
}

/** Takes an operator's word, with a reason that stands in the log for ever. */
function Vouch() {
  const { path } = useSite();
  const [reason, setReason] = useState("");
  const vouch = useSave(
    () => call("POST", `${path}/verify`, { method: "operator", reason: reason.trim() }),
    "sites",
  );
  return (
    <details className="text-sm">
      <summary className="text-soft">Or vouch for it yourself</summary>
      <div className="mt-2 flex flex-wrap items-end gap-2">
        <div className="min-w-0 flex-1">
          <TextField
            label="Why you know that it is theirs"
            hint="Recorded in the audit log. For a site on this machine, say so."
            maxLength={500}
            value={reason}
            onChange={({ target }) => setReason(target.value)}
          />
        </div>
        <Button disabled={reason.trim() === "" || vouch.isPending} onClick={() => vouch.mutate()}>
          Vouch
        </Button>
      </div>
      {vouch.isError && <Failure error={vouch.error} />}
    </details>
  );
}

/** Looks for the proof until it is there. */
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
        return "It was found.";
      } catch (error) {
        if (error instanceof Refused && error.code === "verification_failed") return error.message;
        throw error;
      }
    },
    refetchInterval: LOOK_MS,
    enabled: site.status !== "verified",
  });
  return (
    <Card title={`Prove that ${site.domain} is yours`}>
      <Select
        label="By"
        value={method}
        choices={METHODS}
        onChoose={(chosen) => setMethod(chosen as Method)}
      />
      <Instructions site={site} method={method} />
      {looked.isError ? (
        <Failure error={looked.error} />
      ) : (
        <Notice>Looking for it every few seconds. {looked.data}</Notice>
      )}
      {operator && <Vouch />}
    </Card>
  );
}
