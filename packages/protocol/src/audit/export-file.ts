import { toBase64 } from "../base64.js";
import { ed25519Bytes } from "../keys/ed25519.js";
import type { Ed25519Jwk } from "../keys/jwk.js";
import type { Signer, Verify } from "../keys/signer.js";
import { ok, type Result, refuse } from "../result.js";
import { type NoteFault, type NoteKey, signNote, verifyNote } from "./note.js";

const SCHEMA = "audit-file/v1";

/** A file of an export that carries no signature of its own, and what it holds. */
export interface ExportFile {
  readonly chain: string;
  readonly name: string;
  /** Of the whole file, in hex. */
  readonly sha256: string;
  readonly first_seq: number;
  readonly count: number;
  /** Root of the tree behind its last record. */
  readonly root: Uint8Array;
}

function fileText({ chain, name, sha256, first_seq, count, root }: ExportFile): string {
  const tree = `${first_seq + count} ${toBase64(root)}`;
  return `${SCHEMA}\n${chain}\n${name}\nsha256 ${sha256}\nrecords ${first_seq} ${count}\ntree ${tree}\n`;
}

/**
 * Signs a file that lies beside its signature: lines for a SIEM, or a page.
 *
 * @example
 * const { signer, jwk } = await generateEd25519("k1");
 * const key = { name: "a.example/audit/1", publicKey: ed25519Bytes(jwk) };
 * const file = { chain: key.name, name: "a.ndjson", sha256: "00".repeat(32), first_seq: 0, count: 1, root: new Uint8Array(32) };
 * (await signExportFile(file, key, signer)).split("\n")[4]; //=> "records 0 1"
 */
export function signExportFile(file: ExportFile, key: NoteKey, signer: Signer): Promise<string> {
  return signNote(fileText(file), key, signer);
}

/** What a signed note says of the file beside it. */
export interface ExportFileClaim {
  readonly chain: string;
  readonly name: string;
  readonly sha256: string;
  readonly first_seq: number;
  readonly count: number;
}

/**
 * Checks the note beside a file and reads what it says; comparing the file's own hash with it is
 * the caller's.
 *
 * @example
 * (await verifyExportFile("hello", [])).reason; //=> "malformed"
 */
export async function verifyExportFile(
  note: string,
  keys: Iterable<Ed25519Jwk>,
  verify?: Verify,
): Promise<Result<ExportFileClaim, NoteFault>> {
  const pattern =
    /^audit-file\/v1\n([^\s+]{1,300})\n([^\n]{1,400})\nsha256 ([0-9a-f]{64})\nrecords (\d{1,15}) (\d{1,4})\ntree /;
  const [, chain, name, sha256, first, count] = pattern.exec(note) ?? [];
  if (chain === undefined || name === undefined || sha256 === undefined) {
    return refuse("malformed", "not the signature of an exported file");
  }
  const noteKeys = [...keys].map((jwk) => ({ name: chain, publicKey: ed25519Bytes(jwk) }));
  const verified = await verifyNote(note, noteKeys, verify);
  if (!verified.ok) return verified;
  return ok(Object.freeze({ chain, name, sha256, first_seq: Number(first), count: Number(count) }));
}
