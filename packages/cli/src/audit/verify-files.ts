import { createHash, createPublicKey, hash, type KeyObject, verify } from "node:crypto";
import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import {
  type AuditReport,
  type Checkpoint,
  type Ed25519Jwk,
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
import { CommandError, EXIT } from "../exit.js";
import { plainJson, plainText, type Terminal } from "../terminal.js";
import { AUDIT_KEY_SET_PATH, keySetAddress, loadKeys } from "../verify/key-set.js";

export interface VerifyAuditFlags {
  readonly key: string;
  readonly checkpoint?: readonly string[];
  readonly replay?: boolean;
  readonly json?: boolean;
}

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

/** The keys to trust: a line `name+id+key`, or a key set at an address or in a file. */
async function trustedKeys(source: string): Promise<ReadonlyMap<string, Ed25519Jwk>> {
  const line =
    existsSync(source) && statSync(source).size < 1024 ? readFileSync(source, "utf8") : source;
  const noteKey = await readNoteKey(line);
  if (noteKey.ok) {
    const { publicKey } = noteKey.value;
    return new Map([[await serviceKeyId("audit", publicKey), ed25519Jwk(publicKey)]]);
  }
  const keys = await loadKeys(keySetAddress(source, AUDIT_KEY_SET_PATH));
  const own = [...keys].filter(([, jwk]) => jwk.kty === "OKP") as [string, Ed25519Jwk][];
  if (own.length > 0) return new Map(own);
  throw new CommandError(`${source} holds no Ed25519 key.`, EXIT.failed);
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
async function verifyLines(file: string, keys: Iterable<Ed25519Jwk>): Promise<string> {
  const note = `${file}.note`;
  if (!existsSync(note)) {
    const hint = "`gatehouse audit export` saves it beside the file.";
    throw new CommandError(`${file} is signed by ${note}, which is not there.`, EXIT.failed, hint);
  }
  const claim = await verifyExportFile(readPart(note).toString("utf8"), keys, verifyFast);
  if (!claim.ok) throw new CommandError(`${note}: ${claim.detail}.`, EXIT.failed);
  const digest = createHash("sha256");
  for await (const chunk of createReadStream(file)) digest.update(chunk as Buffer);
  const { chain, name, sha256, first_seq, count } = claim.value;
  if (digest.digest("hex") !== sha256 || name !== basename(file)) {
    throw new CommandError(`${file} is not the file that ${note} was signed for.`, EXIT.failed);
  }
  return `${count} records of ${chain} from ${first_seq} on: the file is as it was signed`;
}

const MARKS = { holds: "✓", fails: "✗", not_checked: "–" } as const;

function reportLines(report: AuditReport): string[] {
  const answers = Object.entries(report.answers).map(([question, { verdict, text }]) => {
    const first = report.findings.find(({ about }) => about === question);
    const where = first?.seq == null ? "" : `record ${first.seq}: `;
    return `${MARKS[verdict]} ${question.padEnd(13)} ${where}${text}`;
  });
  const logs = report.logs.map(({ chain, days, records, first_seq, closed }) => {
    const span = days.length === 1 ? days[0] : `${days[0]} to ${days.at(-1)}`;
    const running = closed ? "" : "; the last day was still running";
    return `${records} records of ${chain} from ${first_seq} on, ${span}${running}`;
  });
  return [...answers, ...logs].map(plainText);
}

/** Verifies the files of an export; the command fails unless everything that was asked holds. */
export async function verifyAudit(
  files: readonly string[],
  flags: VerifyAuditFlags,
  terminal: Terminal,
): Promise<void> {
  const keys = await trustedKeys(flags.key);
  const lines = files.filter((file) => file.endsWith(".ndjson"));
  const pages = files.filter((file) => file.endsWith(".html") && existsSync(`${file}.note`));
  for (const file of [...lines, ...pages])
    terminal.out(`✓ ${plainText(await verifyLines(file, keys.values()))}`);
  const parts = files.filter((file) => !/\.(ndjson|note)$/.test(file));
  if (parts.length === 0) return;
  const pins = await readPins(flags.checkpoint ?? [], keys.values());
  const trust = { keys, pins, replay: flags.replay === true, verify: verifyFast, hash: hashFast };
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
  const report = verifier.report();
  if (flags.json === true) terminal.out(plainJson(report));
  else for (const line of reportLines(report)) terminal.out(line);
  if (!report.ok) throw new CommandError("The export does not hold.", EXIT.failed);
}
