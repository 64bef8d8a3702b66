import { fromBase64, toBase64 } from "../base64.js";
import { ed25519Bytes } from "../keys/ed25519.js";
import type { Ed25519Jwk } from "../keys/jwk.js";
import type { Verify } from "../keys/signer.js";
import { ok, type Result, refuse } from "../result.js";
import { isNoteName, type NoteFault, verifyNote } from "./note.js";

/** A tree at one size (C2SP tlog-checkpoint): what an auditor keeps to compare with later. */
export interface Checkpoint {
  /** Names the log; the key that signs it has the same name. */
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
}

const ROOT_BYTES = 32;

/**
 * The text of a checkpoint, to be signed as a note.
 *
 * @example
 * checkpointText({ origin: "a.example/audit/1", size: 0, root: new Uint8Array(32) }).split("\n")[1]; //=> "0"
 */
export function checkpointText({ origin, size, root }: Checkpoint): string {
  if (!isNoteName(origin) || !Number.isSafeInteger(size) || size < 0) {
    throw new TypeError("checkpointText: not a checkpoint");
  }
  return `${origin}\n${size}\n${toBase64(root)}\n`;
}

/**
 * Reads the text of a checkpoint; further lines, which the format advises against, are refused.
 *
 * @example
 * const text = checkpointText({ origin: "a.example/audit/1", size: 7, root: new Uint8Array(32) });
 * readCheckpoint(text).value.size; //=> 7
 */
export function readCheckpoint(text: string): Result<Checkpoint, "malformed"> {
  const fault = refuse("malformed", "not the three lines of a checkpoint");
  const [origin = "", digits = "", coded = "", end, ...more] = text.split("\n");
  if (end !== "" || more.length > 0 || !isNoteName(origin)) return fault;
  if (!/^(?:0|[1-9]\d{0,15})$/.test(digits) || !Number.isSafeInteger(Number(digits))) return fault;
  const root = fromBase64(coded);
  if (root?.length !== ROOT_BYTES) return fault;
  return ok(Object.freeze({ origin, size: Number(digits), root }));
}

/**
 * Reads a signed checkpoint and checks that a key of its log has signed it: one whose name is the
 * checkpoint's own origin.
 *
 * @example
 * const { signer, jwk } = await generateEd25519("k1");
 * const key = { name: "a.example/audit/1", publicKey: ed25519Bytes(jwk) };
 * const text = checkpointText({ origin: key.name, size: 7, root: new Uint8Array(32) });
 * (await verifyCheckpoint(await signNote(text, key, signer), [jwk])).value.size; //=> 7
 */
export async function verifyCheckpoint(
  note: string,
  keys: Iterable<Ed25519Jwk>,
  verify?: Verify,
): Promise<Result<Checkpoint, NoteFault>> {
  const name = note.slice(0, note.indexOf("\n"));
  if (!isNoteName(name)) return refuse("malformed", "it does not begin with the name of a log");
  const noteKeys = [...keys].map((jwk) => ({ name, publicKey: ed25519Bytes(jwk) }));
  const verified = await verifyNote(note, noteKeys, verify);
  return verified.ok ? readCheckpoint(verified.value.text) : verified;
}
