import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useMay, useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { Confirm } from "../ui/confirm.js";
import { TextArea } from "../ui/field.js";
import { Loading } from "../ui/loading.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card, Empty, Page } from "../ui/page.js";
import { Time } from "../ui/time.js";
import { DiffView } from "./diff-view.js";
import { DryRun } from "./dry-run.js";
import { Findings } from "./findings.js";
import { History } from "./history.js";
import { editable, type Policy, policyQuery, readDraft } from "./policy.js";
import { PolicyForm } from "./policy-form.js";
import { Presets } from "./presets.js";

const pretty = (document: unknown) => `${JSON.stringify(document, null, 2)}\n`;

/** The draft as a form or as JSON. Both edit the same text. */
function Editor({
  text,
  mode,
  mayChange,
  onText,
}: {
  readonly text: string;
  readonly mode: "form" | "json";
  readonly mayChange: boolean;
  onText(text: string): void;
}) {
  const { document } = readDraft(text);
  if (mode === "json" || document === undefined) {
    return (
      <>
        {mode === "form" && <Notice>This is not valid JSON. Fix it to use the form again.</Notice>}
        <TextArea
          label="Rules (JSON)"
          rows={24}
          spellCheck={false}
          readOnly={!mayChange}
          value={text}
          onChange={({ target }) => onText(target.value)}
        />
      </>
    );
  }
  return (
    <fieldset disabled={!mayChange} className="min-w-0">
      <legend className="sr-only">Rules</legend>
      <PolicyForm policy={document} onChange={(changed) => onText(pretty(changed))} />
    </fieldset>
  );
}

/** A text that survives a visit to another page. It ends with the tab. */
function useKeptText(key: string, first: string) {
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? first);
  const keep = (changed: string) => {
    setText(changed);
    if (changed === first) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, changed);
  };
  return [text, keep] as const;
}

function Draft({ current }: { readonly current: Policy | null }) {
  const { path } = useSite();
  const { mode = "form" } = useSearch({ from: "/shell/$site/policy" });
  const navigate = useNavigate({ from: "/$site/policy" });
  const mayChange = useMay("owner");
  const inForce = current === null ? "" : editable(current.document as never);
  const [text, setText] = useKeptText(`gatehouse.policy.${path}.${current?.version ?? 0}`, inForce);
  const draft = readDraft(text);
  const publish = useSave(
    () => call("PUT", `${path}/policy`, draft.document),
    "policy",
    "processor",
  );
  const changed = text !== inForce;
  const show = (chosen: "form" | "json") => void navigate({ search: { mode: chosen } });
  if (text === "") {
    if (!mayChange)
      return <Empty title="No rules yet">The owner has not published rules yet.</Empty>;
    return (
      <Card title="Choose a starting point">
        <Presets use="Use this" onUse={setText} />
      </Card>
    );
  }
  return (
    <div className="grid items-start gap-4 xl:grid-cols-[3fr_2fr]">
      <div className="flex min-w-0 flex-col gap-4">
        <fieldset className="flex gap-2">
          <legend className="sr-only">How to edit</legend>
          <Button aria-pressed={mode === "form"} onClick={() => show("form")}>
            Form
          </Button>
          <Button aria-pressed={mode === "json"} onClick={() => show("json")}>
            JSON
          </Button>
        </fieldset>
        <Editor text={text} mode={mode} mayChange={mayChange} onText={setText} />
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        <Findings findings={draft.findings} />
        <DryRun draft={draft.publishable ? draft.document : undefined} />
        {mayChange && (
          <Card title="Publish">
            {changed ? (
              <DiffView before={inForce} after={text} />
            ) : (
              <p className="text-sm text-soft">No unpublished changes.</p>
            )}
            <div className="flex flex-wrap gap-2">
              <Confirm
                label="Publish…"
                title="Publish these rules?"
                yes="Publish"
                disabled={!changed || !draft.publishable}
                onYes={() => publish.mutateAsync()}
              >
                <p>
                  They apply to all new requests. Every version is kept, and you can publish an
                  earlier one again.
                </p>
                <DiffView before={inForce} after={text} />
              </Confirm>
              <Button disabled={!changed} onClick={() => setText(inForce)}>
                Discard changes
              </Button>
            </div>
          </Card>
        )}
        <History onTake={setText} />
      </div>
    </div>
  );
}

/** The rules: what agents can do by themselves, what needs review and what is declined. */
export function PolicyPage() {
  const { path } = useSite();
  const current = useQuery(policyQuery(path));
  if (current.isError) return <Failure error={current.error} />;
  if (!current.isSuccess) return <Loading />;
  const about =
    current.data === null ? (
      "There are no rules yet, so every request is declined."
    ) : (
      <>
        Version {current.data.version}, published <Time at={current.data.published_at} />.
      </>
    );
  return (
    <Page title="Rules" about={about}>
      <Draft key={current.data?.version ?? 0} current={current.data} />
    </Page>
  );
}
