import {
  type Check,
  type Checkpoint,
  type Ed25519Jwk,
  fromHex,
  type Result,
  readReceipt,
  verifyCheckpoint,
  verifyReceipt,
} from "@gatehouse/protocol";
import { noteText } from "../audit/note-text.js";
import { hashFast, refuseOtherHosts, trustedKeys, verifyFast } from "../audit/trusted-keys.js";
import { CommandError, EXIT } from "../exit.js";
import { plainJson, plainText, type Terminal } from "../terminal.js";
import { noKeysNamed } from "./key-set.js";
import type { Source } from "./source.js";

export interface LogNoteFlags {
  readonly keys?: string;
  readonly record?: string;
  readonly json?: boolean;
}

/** What of an audit log comes as text: a checkpoint, or the proof that a record is in the log. */
export type LogNote = "checkpoint" | "proof";

/** Only a guess, by how it begins: the checks say whether it is one. */
export function logNoteIn(bytes: Uint8Array): LogNote | undefined {
  const start = noteText(bytes.subarray(0, 4096));
  if (start.startsWith("c2sp.org/tlog-proof@")) return "proof";
  return /^[^\s+]{1,300}\n\d{1,16}\n[\w+/=]+\n\n\u2014 /.test(start) ? "checkpoint" : undefined;
}

type Checked = Result<Checkpoint, string>;

const signedText = ({ origin, size }: Checkpoint) =>
  `a key that you trust signed ${origin} at ${size} records`;

async function checkCheckpoint(note: string, keys: readonly Ed25519Jwk[]) {
  const read: Checked = await verifyCheckpoint(note, keys, verifyFast);
  const text = read.ok ? signedText(read.value) : `the checkpoint does not verify: ${read.detail}`;
  const check: Check = { id: "signature", ok: read.ok, text };
  return { read, checks: [check] };
}

/** The hash of a record, as `audit show` and answers write it. */
function readHash(text: string): Uint8Array {
  const hash = /^[0-9a-f]{64}$/i.test(text) ? fromHex(text.toLowerCase()) : undefined;
  if (hash !== undefined) return hash;
  const hint = "Use the 64 hexadecimal digits of the record's hash, its `record_hash`.";
  throw new CommandError(`--record: ${text} is not the hash of a record.`, EXIT.usage, hint);
}

async function checkProof(text: string, keys: readonly Ed25519Jwk[], record: string | undefined) {
  const proof = readReceipt(text);
  if (!proof.ok) {
    const form: Check = { id: "form", ok: false, text: `it cannot be read: ${proof.detail}` };
    return { read: proof, checks: [form] };
  }
  const { read, checks } = await checkCheckpoint(proof.value.checkpoint, keys);
  if (!read.ok || record === undefined) return { read, checks };
  const tools = { hash: hashFast, verify: verifyFast };
  const included = await verifyReceipt(proof.value, readHash(record), keys, tools);
  const where = `record ${proof.value.index} of the log`;
  const words = included.ok ? `the hash is that of ${where}` : `the hash is not that of ${where}`;
  return { read, checks: [...checks, { id: "inclusion", ok: included.ok, text: words }] };
}

const NAMES = { checkpoint: "checkpoint", proof: "log proof" } as const;

const NEXT_STEPS = {
  checkpoint:
    "To compare it with an export: gatehouse audit verify <files> --key <keys> --checkpoint <file>",
  proof: "The proof shows that the record is in the log. It does not show its contents.",
} as const;

/** A proof is about one record. Without its hash, only the checkpoint in the proof can be checked. */
function proofNotChecked(): CommandError {
  const hint = "Give the hash of the record, which `gatehouse audit show` prints: --record <hash>";
  return new CommandError("The log proof was not checked.", EXIT.failed, hint);
}

/** Verifies a checkpoint or a proof of an audit log with the keys of the service. */
export async function verifyLogNote(
  { bytes, url }: Source,
  kind: LogNote,
  flags: LogNoteFlags,
  terminal: Terminal,
): Promise<void> {
  const source = flags.keys ?? url?.origin;
  if (source === undefined) throw noKeysNamed();
  const trusted = await trustedKeys(source);
  const keys = [...trusted.keys.values()];
  const text = noteText(bytes);
  const { read, checks } =
    kind === "proof"
      ? await checkProof(text, keys, flags.record)
      : await checkCheckpoint(text, keys);
  if (read.ok) refuseOtherHosts([trusted], [read.value.origin]);
  const holds = checks.every((one) => one.ok);
  const isWhole = kind === "checkpoint" || flags.record !== undefined;
  const ok = holds && isWhole;
  if (flags.json === true) terminal.out(plainJson({ kind, ok, keys: source, checks }));
  else {
    for (const one of checks) terminal.out(`${one.ok ? "✓" : "✗"} ${plainText(one.text)}`);
    if (!isWhole) terminal.out("– the proof: no record was named");
    const verdict = `\nThe ${NAMES[kind]} is ${ok ? "" : "not "}valid.`;
    if (ok) terminal.out(`${verdict}\n${NEXT_STEPS[kind]}`);
    else if (!holds) terminal.out(verdict);
  }
  if (ok) return;
  if (holds) throw proofNotChecked();
  const hint = "Check that the keys belong to this log, and that the file is exactly as it came.";
  throw new CommandError(`The ${NAMES[kind]} does not verify.`, EXIT.failed, hint);
}
