import { createHash } from "node:crypto";
import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import {
  type AuditReport,
  type AuditTrust,
  type Checkpoint,
  type Ed25519Jwk,
  type ExportFileClaim,
  exportInPage,
  exportVerifier,
  PART_BYTES_MAX,
  verifyCheckpoint,
  verifyExportFile,
} from "@gatehouse/protocol";
import { counted } from "../counted.js";
import { docsPage } from "../docs-page.js";
import { CommandError, EXIT } from "../exit.js";
import { type ProgressFlags, type Step, withProgress } from "../progress.js";
import { plainJson, plainText, type Terminal } from "../terminal.js";
import { noteText } from "./note-text.js";
import { hashFast, refuseOtherHosts, trustedKeys, verifyFast } from "./trusted-keys.js";

export interface VerifyAuditFlags extends ProgressFlags {
  readonly key: readonly string[];
  readonly checkpoint?: readonly string[];
  readonly replay?: boolean;
  readonly json?: boolean;
}

async function readPins(
  files: readonly string[],
  keys: Iterable<Ed25519Jwk>,
): Promise<Checkpoint[]> {
  const known = [...keys];
  return Promise.all(
    files.map(async (file) => {
      const note = noteText(readPart(file, HOW_TO_KEEP));
      const pin = await verifyCheckpoint(note, known, verifyFast);
      if (pin.ok) return pin.value;
      const hint = "Keep checkpoints unchanged, with their signatures.";
      throw new CommandError(
        `${file} is not a checkpoint signed with these keys: ${pin.detail}.`,
        EXIT.failed,
        hint,
      );
    }),
  );
}

const HOW_TO_EXPORT = "Use the files that `gatehouse audit export` saved, unchanged.";

const HOW_TO_KEEP =
  "Save checkpoints with `gatehouse audit checkpoint <site> > kept.txt`, or from /v1/audit/<site_key_hash>/checkpoint.";

function partSize(file: string, hint = HOW_TO_EXPORT): number {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() !== true) {
    throw new CommandError(`The file ${file} does not exist.`, EXIT.usage, hint);
  }
  if (stats.size > PART_BYTES_MAX) {
    throw new CommandError(
      `${file} is too large to be a part of an export.`,
      EXIT.failed,
      HOW_TO_EXPORT,
    );
  }
  return stats.size;
}

function readPart(file: string, hint = HOW_TO_EXPORT): Buffer {
  partSize(file, hint);
  return readFileSync(file);
}

/** A file that is signed by the note beside it: OCSF lines, or a page with its script. */
async function verifyByNote(file: string, keys: Iterable<Ed25519Jwk>): Promise<ExportFileClaim> {
  const note = `${file}.note`;
  if (!existsSync(note)) {
    const hint = "`gatehouse audit export` saves the note next to the file.";
    throw new CommandError(
      `The signature of ${file} is missing: ${note} does not exist.`,
      EXIT.failed,
      hint,
    );
  }
  const claim = await verifyExportFile(noteText(readPart(note)), keys, verifyFast);
  if (!claim.ok) {
    const hint =
      "Check that --key belongs to the service that made the export, or export the day again.";
    throw new CommandError(`${note}: ${claim.detail}.`, EXIT.failed, hint);
  }
  const digest = createHash("sha256");
  for await (const chunk of createReadStream(file)) digest.update(chunk as Buffer);
  const { name, sha256 } = claim.value;
  if (digest.digest("hex") !== sha256 || name !== basename(file)) {
    const hint =
      "The note signs the contents and the name of the file. Use the file as it was exported.";
    throw new CommandError(`${file} is not the file that ${note} signs.`, EXIT.failed, hint);
  }
  return claim.value;
}

const MARKS = { holds: "✓", fails: "✗", not_checked: "–" } as const;

function reportLines(report: AuditReport): string[] {
  const answers = Object.entries(report.answers).map(([question, { verdict, text }]) => {
    return `${MARKS[verdict]} ${question.padEnd(13)} ${text}`;
  });
  const logs = report.logs.map(({ chain, days, records, first_seq }) => {
    const span = days.length === 1 ? days[0] : `${days[0]} to ${days.at(-1)}`;
    return `${counted(records, "record")} of ${chain} from ${first_seq} on, ${span}`;
  });
  return [...answers, ...logs].map(plainText);
}

/** Files by what they are; notes are read with the file they belong to. */
function sortFiles(files: readonly string[], { checkpoint = [], replay }: VerifyAuditFlags) {
  const lines = files.filter((file) => file.endsWith(".ndjson"));
  const parts = files.filter((file) => !/\.(ndjson|note)$/.test(file));
  if (lines.length + parts.length === 0) {
    const why = "These are notes without the files that they sign.";
    throw new CommandError(
      why,
      EXIT.usage,
      "Specify the files. Their notes are found next to them.",
    );
  }
  if (lines.length > 0 && (checkpoint.length > 0 || replay === true)) {
    const hint = "Export the day with --format json.";
    const why =
      "--checkpoint and --replay do not work with OCSF files, which are checked only by their notes.";
    throw new CommandError(why, EXIT.usage, hint);
  }
  // As they follow each other: a shell puts part 10 before part 2, and parts wait for those before.
  const inOrder = parts.sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  return { lines, parts: inOrder, pages: parts.filter((file) => file.endsWith(".html")) };
}

interface Read {
  readonly report: AuditReport;
  /** Whether any signature holds by the keys given. */
  readonly vouched: boolean;
}

async function readParts(
  parts: readonly string[],
  trust: AuditTrust,
  show: (step: Step) => void,
): Promise<Read | undefined> {
  if (parts.length === 0) return undefined;
  const verifier = exportVerifier(trust);
  const total = parts.reduce((sum, file) => sum + partSize(file), 0);
  let done = 0;
  let vouched = false;
  for (const [i, file] of parts.entries()) {
    const bytes = readPart(file);
    const part = file.endsWith(".html") ? exportInPage(bytes.toString("utf8")) : bytes;
    const added = await verifier.add(part ?? "");
    if (!added.ok) {
      const why = `${file} cannot be verified: ${added.detail}.`;
      throw new CommandError(why, EXIT.failed, HOW_TO_EXPORT);
    }
    vouched ||= added.value.vouched;
    done += bytes.length;
    show({ unit: "bytes", done, total, part: `file ${i + 1} of ${parts.length}` });
  }
  return { report: verifier.report(), vouched };
}

/** What is signed by a note. A page without one may show something else than the records in it. */
async function checkNotes(signed: readonly string[], keys: readonly Ed25519Jwk[]) {
  const claims = [];
  for (const file of signed) {
    const page = file.endsWith(".html");
    if (page && !existsSync(`${file}.note`)) claims.push({ file, signed: false });
    else claims.push({ file, signed: true, ...(await verifyByNote(file, keys)) });
  }
  return claims;
}

/** Undefined unless the log itself says of everything that is missing that the service lost it. */
function lostRecords({ findings }: AuditReport): CommandError | undefined {
  const [lost] = findings.flatMap((finding) => finding.lost ?? []);
  const all = findings.every((finding) => finding.lost !== undefined || finding.notReached);
  if (lost === undefined || !all) return undefined;
  const why = plainText(`Record 0 of ${lost.chain} gives the reason: "${lost.reason}".`);
  const hint = `${why} Add an export from before the loss, or ask the operator for one.`;
  return new CommandError(
    "No record was changed, but the service lost records.",
    EXIT.failed,
    hint,
  );
}

/** Verifies the files of an export; the command fails unless everything that was asked holds. */
export async function verifyAudit(
  files: readonly string[],
  flags: VerifyAuditFlags,
  terminal: Terminal,
): Promise<void> {
  const { lines, parts, pages } = sortFiles(files, flags);
  const sets = await Promise.all(flags.key.map(trustedKeys));
  const keys = new Map(sets.flatMap((set) => [...set.keys]));
  const notes = await checkNotes([...lines, ...pages], [...keys.values()]);
  const pins = await readPins(flags.checkpoint ?? [], keys.values());
  const replay = flags.replay === true;
  const trust = { keys, pins, replay, verify: verifyFast, hash: hashFast };
  const read = await withProgress(terminal, flags, (show) => readParts(parts, trust, show));
  const report = read?.report;
  refuseOtherHosts(
    sets,
    (report?.logs ?? []).map(({ chain }) => chain),
  );
  if (flags.json === true) terminal.out(plainJson({ ok: true, ...report, files: notes }));
  else {
    for (const { file, signed } of notes) {
      const text = signed
        ? `✓ file          ${file} matches its signature`
        : `– file          ${file} has no note, so the contents of the page were not checked`;
      terminal.out(plainText(text));
    }
    for (const line of report === undefined ? [] : reportLines(report)) terminal.out(line);
  }
  if (report?.ok !== false) return;
  if (read?.vouched === false) {
    const hint = "Check that --key belongs to the service that made the export.";
    throw new CommandError("None of the signatures match the keys.", EXIT.failed, hint);
  }
  if (report.findings.every(({ about, notReached }) => about === "completeness" || notReached)) {
    const lost = lostRecords(report);
    if (lost !== undefined) throw lost;
    const hint =
      "Add every file of every day up to your checkpoints, each of them once. If a checkpoint is newer than the export, export again.";
    throw new CommandError("No record was changed, but files are missing.", EXIT.failed, hint);
  }
  const service = flags.key.find((source) => /^https?:/i.test(source));
  const page = docsPage("guide/audit.md#if-the-verification-fails", service);
  const hint = `Keep these files, export the day again, and compare. See ${page}`;
  throw new CommandError("The export does not verify.", EXIT.failed, hint);
}
