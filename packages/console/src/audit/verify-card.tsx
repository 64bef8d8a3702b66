import { findingText } from "@gatehouse/protocol";
import { useState } from "react";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { chainsOf } from "../proof/chains.js";
import { Checks, ChecksSummary } from "../proof/checks.js";
import { Button } from "../ui/button.js";
import { Select, TextField } from "../ui/field.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card } from "../ui/page.js";
import { saveFile } from "../ui/save-file.js";
import { countText } from "../ui/words.js";
import { exportDay, type Format } from "./export-day.js";
import type { Expected, GivenPart } from "./verify-files.js";

const FORMATS = {
  json: "Signed JSON",
  html: "HTML page that verifies itself",
  ocsf: "OCSF (for security monitoring)",
} as const;
const TYPES = {
  json: "application/json",
  html: "text/html",
  ocsf: "application/x-ndjson",
} as const;
const FINDINGS_SHOWN_MAX = 20;

/** Cryptography and replay are loaded by whoever asks for them. */
const verify = async (parts: readonly GivenPart[], expected: Expected, checkpoint?: string) =>
  (await import("./verify-files.js")).verifyParts(parts, checkpoint, expected);

function Judgement({ of }: { readonly of: Awaited<ReturnType<typeof verify>> }) {
  const { report, checks } = of;
  return (
    <div className="flex flex-col gap-2">
      <ChecksSummary checks={checks} of="The export" />
      <Checks checks={checks} />
      <p className="text-sm text-soft">
        {countText(report.records, "record")} read,{" "}
        {countText(report.decisions_replayed, "decision")} recalculated.
      </p>
      {report.findings.length > 0 && (
        <ol className="flex flex-col gap-1 text-sm text-bad">
          {report.findings.slice(0, FINDINGS_SHOWN_MAX).map((finding) => (
            <li key={`${finding.seq} ${finding.text}`}>{findingText(finding)}</li>
          ))}
        </ol>
      )}
    </div>
  );
}

/** Exports a day, or verifies it here and now. */
export function ExportCard() {
  const { path } = useSite();
  const [day, setDay] = useState(new Date().toISOString().slice(0, 10));
  const [format, setFormat] = useState<Format>("json");
  const [parts, setParts] = useState(0);
  const saving = useSave(async () => {
    const files = await exportDay(path, { day, format }, setParts);
    for (const { name, text } of files) saveFile(name, TYPES[format], text);
    return files.length;
  });
  const verifying = useSave(async () =>
    verify(await exportDay(path, { day, format: "json" }, setParts), {
      day,
      chains: await chainsOf(path),
    }),
  );
  const busy = saving.isPending || verifying.isPending;
  return (
    <Card title="A day of the log">
      <div className="flex flex-col gap-3">
        <TextField
          label="Day (UTC)"
          type="date"
          value={day}
          onChange={({ target }) => setDay(target.value)}
        />
        <Select
          label="Format"
          value={format}
          choices={FORMATS}
          onChoose={(chosen) => setFormat(chosen as Format)}
        />
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <Button kind="act" disabled={busy} onClick={() => verifying.mutate()}>
          Verify in this browser
        </Button>
        <Button disabled={busy} onClick={() => saving.mutate()}>
          Export
        </Button>
        {busy && <span className="text-sm text-soft">{countText(parts, "part")}…</span>}
      </div>
      {saving.isError && <Failure error={saving.error} />}
      {saving.isSuccess && <Notice>{countText(saving.data, "file")} saved.</Notice>}
      {verifying.isError && <Failure error={verifying.error} />}
      {verifying.data !== undefined && <Judgement of={verifying.data} />}
    </Card>
  );
}

/** Verifies files somebody has, here, without sending them anywhere. */
export function FilesCard() {
  const { path } = useSite();
  const [files, setFiles] = useState<readonly File[]>([]);
  const [checkpoint, setCheckpoint] = useState<File | null>(null);
  const verifying = useSave(async () => {
    const parts = await Promise.all(
      files.map(async (file) => ({ name: file.name, text: await file.text() })),
    );
    return verify(parts, { chains: await chainsOf(path) }, await checkpoint?.text());
  });
  const look =
    "text-sm file:mr-3 file:rounded-lg file:border file:border-line file:bg-card file:px-3 file:py-1.5 file:text-ink";
  return (
    <Card title="Verify exported files">
      <label className="flex flex-col gap-1 text-sm">
        <span className="font-medium">Parts of an export (JSON or HTML)</span>
        <input
          type="file"
          multiple
          accept=".json,.html"
          className={look}
          onChange={({ target }) => setFiles([...(target.files ?? [])])}
        />
      </label>
      <label className="flex flex-col gap-1 text-sm">
        <span className="font-medium">A checkpoint that you saved (optional)</span>
        <input
          type="file"
          className={look}
          onChange={({ target }) => setCheckpoint(target.files?.[0] ?? null)}
        />
      </label>
      <Button
        className="self-start"
        disabled={files.length === 0 || verifying.isPending}
        onClick={() => verifying.mutate()}
      >
        Verify these files
      </Button>
      <p className="text-xs text-soft">
        Your files stay in this browser. For an HTML export, only the records in the file are
        verified, not the text that the page shows.
      </p>
      {verifying.isError && <Failure error={verifying.error} />}
      {verifying.data !== undefined && <Judgement of={verifying.data} />}
    </Card>
  );
}
