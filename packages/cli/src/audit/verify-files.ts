import { createHash, createPublicKey, hash, type KeyObject, verify } from "node:crypto";
import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import {
  type AuditReport,
  type AuditTrust,
  type Checkpoint,
  type Ed25519Jwk,
  type ExportFileClaim,
  ed25519Jwk,
  exportInPage,
  exportVerifier,
  PART_BYTES_MAX,
  readNoteKey,
  serviceKeyId,
  type Verify,
  verifyCheckpoint,
  verifyExportFile,
} from "@gatehouse/protocol";
import { counted } from "../counted.js";
import { CommandError, EXIT } from "../exit.js";
import { plainJson, plainText, type Terminal } from "../terminal.js";
import { AUDIT_KEY_SET_PATH, keySetAddress, loadKeys } from "../verify/key-set.js";

export interface VerifyAuditFlags {
  readonly key: readonly string[];
  readonly checkpoint?: readonly string[];
  readonly replay?: boolean;
  readonly json?: boolean;
}

/** A vkey is one line; a key set is longer. */
const VKEY_BYTES_MAX = 1024;
const publicKeys = new Map<string, KeyObject>();

/** Node's own verification: three times as fast as Web Crypto on a hundred thousand records. */
const verifyFast: Verify = (jwk, message, signature) => {
  let key = publicKeys.get(jwk.x);
  if (key === undefined) {
    key = createPublicKey({ key: { ...jwk }, format: "jwk" });
    publicKeys.set(jwk.x, key);
  }
  return signature.length === 64 && verify(null, message, key, signature);
};

const hashFast = (data: Uint8Array | string) => hash("sha256", data, "buffer");

interface Trusted {
  readonly keys: ReadonlyMap<string, Ed25519Jwk>;
  /** The host a vkey is for; a key set is for every log of its service. */
  readonly host: string | undefined;
}

const hostOf = (chain: string) => chain.slice(0, chain.indexOf("/"));

/** The keys to trust: a line `name+id+key`, or a key set at an address or in a file. */
async function trustedKeys(source: string): Promise<Trusted> {
  const short = existsSync(source) && statSync(source).size < VKEY_BYTES_MAX;
  const noteKey = await readNoteKey(short ? readFileSync(source, "utf8") : source);
  if (noteKey.ok) {
    const { name, publicKey } = noteKey.value;
    const kid = await serviceKeyId("audit", publicKey);
    return { keys: new Map([[kid, ed25519Jwk(publicKey)]]), host: hostOf(name) };
  }
  const keys = await loadKeys(keySetAddress(source, AUDIT_KEY_SET_PATH));
  const own = [...keys].filter(([, jwk]) => jwk.kty === "OKP") as [string, Ed25519Jwk][];
  if (own.length > 0) return { keys: new Map(own), host: undefined };
  throw new CommandError(`${source} holds no Ed25519 key.`, EXIT.failed);
}

/** A vkey was handed over for one site: another site's log is not vouched for by it. */
function refuseOtherHosts(sets: readonly Trusted[], report: AuditReport | undefined): void {
  if (sets.some(({ host }) => host === undefined)) return;
  const other = report?.logs.find(({ chain }) => !sets.some(({ host }) => host === hostOf(chain)));
  if (other === undefined) return;
  throw new CommandError(`The vkey is not for ${plainText(other.chain)}.`, EXIT.failed);
}

async function readPins(
  files: readonly string[],
  keys: Iterable<Ed25519Jwk>,
): Promise<Checkpoint[]> {
  const known = [...keys];
  return Promise.all(
    files.map(async (file) => {
      const note = readPart(file).toString("utf8");
      const pin = await verifyCheckpoint(note, known, verifyFast);
      if (pin.ok) return pin.value;
      const hint = "Keep checkpoints as they came, with their signature.";
      throw new CommandError(
        `${file} is not a checkpoint by these keys: ${pin.detail}.`,
        EXIT.failed,
        hint,
      );
    }),
  );
}

function readPart(file: string): Buffer {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile() !== true) throw new CommandError(`There is no file ${file}.`, EXIT.usage);
  if (found.size > PART_BYTES_MAX) {
    throw new CommandError(`${file} is longer than a part can be.`, EXIT.failed);
  }
  return readFileSync(file);
}

/** A file that is signed by the note beside it: OCSF lines, or a page with its script. */
async function verifyByNote(file: string, keys: Iterable<Ed25519Jwk>): Promise<ExportFileClaim> {
  const note = `${file}.note`;
  if (!existsSync(note)) {
    const hint = "`gatehouse audit export` saves it beside the file.";
    throw new CommandError(`${file} is signed by ${note}, which is not there.`, EXIT.failed, hint);
  }
  const claim = await verifyExportFile(readPart(note).toString("utf8"), keys, verifyFast);
  if (!claim.ok) throw new CommandError(`${note}: ${claim.detail}.`, EXIT.failed);
  const digest = createHash("sha256");
  for await (const chunk of createReadStream(file)) digest.update(chunk as Buffer);
  const { name, sha256 } = claim.value;
  if (digest.digest("hex") !== sha256 || name !== basename(file)) {
    const hint = "The note covers its contents and its name.";
    throw new CommandError(`${file} is not the file ${note} was signed for.`, EXIT.failed, hint);
  }
  return claim.value;
}

const MARKS = { holds: "✓", fails: "✗", not_checked: "–" } as const;

function reportLines(report: AuditReport): string[] {
  const answers = Object.entries(report.answers).map(([question, { verdict, text }]) => {
    const first = report.findings.find(({ about }) => about === question);
    const where = first?.seq == null ? "" : `record ${first.seq}: `;
    return `${MARKS[verdict]} ${question.padEnd(13)} ${where}${text}`;
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
    throw new CommandError("Name the files that the notes belong to.", EXIT.usage);
  }
  if (lines.length > 0 && (checkpoint.length > 0 || replay === true)) {
    const hint = "Export the day with --format json.";
    const why = "OCSF lines are checked by their note only: no checkpoint, no replay.";
    throw new CommandError(why, EXIT.usage, hint);
  }
  // As they follow each other: a shell puts part 10 before part 2, and parts wait for those before.
  const inOrder = parts.sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  return { lines, parts: inOrder, pages: parts.filter((file) => file.endsWith(".html")) };
}

async function readParts(
  parts: readonly string[],
  trust: AuditTrust,
  terminal: Terminal,
): Promise<AuditReport | undefined> {
  if (parts.length === 0) return undefined;
  const verifier = exportVerifier(trust);
  for (const [i, file] of parts.entries()) {
    const bytes = readPart(file);
    const part = file.endsWith(".html") ? exportInPage(bytes.toString("utf8")) : bytes;
    const added = await verifier.add(part ?? "");
    if (!added.ok) {
      throw new CommandError(`${file} is no part of an export: ${added.detail}.`, EXIT.failed);
    }
    if (parts.length > 1) terminal.err(`read ${i + 1} of ${parts.length}: ${plainText(file)}`);
  }
  return verifier.report();
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
  const report = await readParts(parts, trust, terminal);
  refuseOtherHosts(sets, report);
  if (flags.json === true) terminal.out(plainJson({ ok: true, ...report, files: notes }));
  else {
    for (const { file, signed } of notes) {
      const text = signed
        ? `✓ file          ${file} is as it was signed`
        : `– file          ${file} has no note beside it: what the page shows was not checked`;
      terminal.out(plainText(text));
    }
    for (const line of report === undefined ? [] : reportLines(report)) terminal.out(line);
  }
  if (report?.ok === false) throw new CommandError("The export does not hold.", EXIT.failed);
}
