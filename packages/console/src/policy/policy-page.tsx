import type { JsonObject } from "@gatehouse/protocol";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { OwnersNotice } from "../layout/owners-only.js";
import { useMay, useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { TextArea } from "../ui/field.js";
import { draftKey, keepDraft, keptDraft } from "../ui/kept-drafts.js";
import { Loading } from "../ui/loading.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card, Empty, Page } from "../ui/page.js";
import { Time } from "../ui/time.js";
import { DryRun, useDryRun } from "./dry-run.js";
import { Findings } from "./findings.js";
import { History } from "./history.js";
import { editable, type Finding, type Policy, policyQuery, readDraft } from "./policy.js";
import { Presets } from "./presets.js";
import { RuleList } from "./rule-list.js";
import { namedByTitle } from "./rule-name.js";
import { SaveBar } from "./save-bar.js";
import { readSentence, sentenceProblems, writeSentence } from "./sentence.js";
import { SentenceForm } from "./sentence-form.js";
import { Titles } from "./titles.js";

interface EditorProps {
  readonly text: string;
  readonly policy: JsonObject | undefined;
  readonly findings: readonly Finding[];
  readonly mayChange: boolean;
  onText(text: string): void;
  onChange(policy: JsonObject): void;
}

/** The draft as a list of sentences, or as JSON. */
function Editor({ text, policy, findings, mayChange, onText, onChange }: EditorProps) {
  const { mode = "form" } = useSearch({ from: "/shell/$site/policy" });
  const navigate = useNavigate({ from: "/$site/policy" });
  const show = (chosen: "form" | "json") => void navigate({ search: { mode: chosen } });
  const isList = mode === "form" && policy !== undefined;
  const beside = isList ? findings.filter(({ rule }) => rule === undefined) : findings;
  return (
    <section className="flex min-w-0 flex-col gap-4">
      <header className="flex flex-wrap items-center gap-2">
        <h2 className="flex-1 text-lg font-semibold">All rules</h2>
        <Button aria-pressed={mode === "form"} onClick={() => show("form")}>
          List
        </Button>
        <Button aria-pressed={mode === "json"} onClick={() => show("json")}>
          JSON
        </Button>
      </header>
      <div role="status">
        {findings.length === 0 && <p className="text-sm text-act">✓ No problems found.</p>}
        <Findings findings={beside} />
      </div>
      {isList ? (
        <RuleList policy={policy} findings={findings} mayChange={mayChange} onChange={onChange} />
      ) : (
        <TextArea
          code
          label="Rules (JSON)"
          rows={24}
          spellCheck={false}
          readOnly={!mayChange}
          value={text}
          onChange={({ target }) => onText(target.value)}
        />
      )}
    </section>
  );
}

/** A text that survives a visit to another page. It ends with the tab. */
function useKeptText(name: string, first: string) {
  const key = draftKey(name);
  const [text, setText] = useState(() => keptDraft(key) ?? first);
  const keep = (changed: string) => {
    setText(changed);
    keepDraft(key, changed === first ? null : changed);
  };
  return [text, keep] as const;
}

interface DraftProps {
  readonly current: Policy | null;
  onSave(document: JsonObject): Promise<unknown>;
}

function Draft({ current, onSave }: DraftProps) {
  const mayChange = useMay("owner");
  const titles = useRef(new Titles());
  const inForce = current === null ? "" : editable(current.document as never);
  const [text, setText] = useKeptText(`rules.${current?.version ?? 0}`, inForce);
  const draft = readDraft(text);
  const policy = draft.document;
  const run = useDryRun(draft.publishable ? policy : undefined);
  if (text === "") {
    if (!mayChange)
      return (
        <Empty title="No rules yet" example="Approve requests when the total is at most €50.00.">
          <p>
            What agents can do by themselves, and what needs your review, appears here as soon as an
            owner publishes rules.
          </p>
        </Empty>
      );
    return (
      <Card title="Choose a starting point">
        <Presets use="Use this" onUse={setText} />
      </Card>
    );
  }
  const change = (next: JsonObject) =>
    setText(editable(policy === undefined ? next : titles.current.follow(policy, next)));
  const sentence = policy && readSentence(policy);
  const isComplete = sentence === undefined || Object.keys(sentenceProblems(sentence)).length === 0;
  // The service knows the site too: its products and its actions.
  const allFindings = (run.isCurrent && run.test.data?.findings) || draft.findings;
  const findings = allFindings.map((one) => ({
    ...one,
    message: namedByTitle(one.message, policy),
  }));
  return (
    <>
      <div className="grid items-start gap-4 xl:grid-cols-[3fr_2fr]">
        <SentenceForm
          sentence={sentence}
          mayChange={mayChange}
          onChange={(changed) => policy && change(writeSentence(policy, changed))}
          onPreset={setText}
        />
        <DryRun run={run} />
        <Editor
          text={text}
          policy={policy}
          findings={findings}
          mayChange={mayChange}
          onText={setText}
          onChange={change}
        />
        <History onTake={mayChange ? setText : undefined} />
      </div>
      {mayChange && text !== inForce && (
        <SaveBar
          before={inForce}
          after={text}
          disabled={!draft.publishable || !isComplete}
          onSave={() => policy && onSave(policy)}
          onDiscard={() => setText(inForce)}
        />
      )}
    </>
  );
}

/** The rules: what agents can do by themselves, what needs review and what is declined. */
export function PolicyPage() {
  const { path } = useSite();
  const current = useQuery(policyQuery(path));
  const save = useSave(
    (document: JsonObject) => call<Policy>("PUT", `${path}/policy`, document),
    "policy",
    "processor",
  );
  if (current.isError) return <Failure error={current.error} />;
  if (!current.isSuccess) return <Loading />;
  const purpose =
    current.data === null ? (
      "There are no rules yet, so every request is declined."
    ) : (
      <>
        Version {current.data.version}, published <Time at={current.data.published_at} />.
      </>
    );
  const version = current.data?.version ?? 0;
  return (
    <Page title="Rules" purpose={purpose}>
      <OwnersNotice />
      {save.isError && <Failure error={save.error} />}
      {save.data?.version === version && (
        <Notice>Saved. Version {version} decides from now on.</Notice>
      )}
      <Draft key={version} current={current.data} onSave={save.mutateAsync} />
    </Page>
  );
}
