import { fromBase64, toBase64 } from "../base64.js";
import { concatBytes, sha256, toHex, utf8 } from "../bytes.js";
import { ED25519_KEY_BYTES, ED25519_SIGNATURE_BYTES, ed25519Jwk } from "../keys/ed25519.js";
import { type Signer, type Verify, verifyWithWebCrypto } from "../keys/signer.js";
import { ok, type Result, refuse } from "../result.js";

/** Who signs notes: a name, and the Ed25519 key it signs with (C2SP signed-note). */
export interface NoteKey {
  readonly name: string;
  readonly publicKey: Uint8Array;
}

/** Longest note read, in characters. */
export const NOTE_CHARS_MAX = 65_536;
/** Signatures one note may carry; the format asks for at least 16. */
export const NOTE_SIGNATURES_MAX = 64;

const ED25519 = 1;
const KEY_ID_BYTES = 4;
/** A name has no spaces and no plus. Ours are `{domain}/audit/{epoch}`; a domain has up to 253. */
const NAME = /^[^\s+]{1,300}$/;
const SIGNATURE_LINE = /^\u2014 (\S+) (\S+)$/;

/**
 * Whether a text can be the name of a log or of whoever signs notes.
 *
 * @example
 * isNoteName("shop.example.com/audit/1"); //=> true
 * isNoteName("two words"); //=> false
 */
export function isNoteName(text: string): boolean {
  return NAME.test(text);
}

/** Why a note was not accepted. */
export type NoteFault = "malformed" | "unknown_key" | "signature_invalid";

async function keyId({ name, publicKey }: NoteKey): Promise<Uint8Array> {
  const digest = await sha256(concatBytes(utf8(`${name}\n`), Uint8Array.of(ED25519), publicKey));
  return digest.slice(0, KEY_ID_BYTES);
}

/**
 * A key as one line of text, to be handed over out of band: `name+id+key`.
 *
 * @example
 * (await noteKeyText({ name: "shop.example.com/audit/1", publicKey: new Uint8Array(32) })).split("+").length; //=> 3
 */
export async function noteKeyText(key: NoteKey): Promise<string> {
  const coded = toBase64(concatBytes(Uint8Array.of(ED25519), key.publicKey));
  return `${key.name}+${toHex(await keyId(key))}+${coded}`;
}

/**
 * Reads a key from its line of text. The coded key may hold a `+` itself, so only the first two
 * divide.
 *
 * @example
 * const line = await noteKeyText({ name: "a.example/log", publicKey: new Uint8Array(32) });
 * (await readNoteKey(line)).value.name; //=> "a.example/log"
 */
export async function readNoteKey(text: string): Promise<Result<NoteKey, "malformed">> {
  const [, name = "", id, coded = ""] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(text.trim()) ?? [];
  const bytes = fromBase64(coded);
  if (!NAME.test(name) || bytes?.[0] !== ED25519 || bytes.length !== 1 + ED25519_KEY_BYTES) {
    return refuse("malformed", "not a line name+id+key of an Ed25519 key");
  }
  const key = Object.freeze({ name, publicKey: bytes.slice(1) });
  return toHex(await keyId(key)) === id
    ? ok(key)
    : refuse("malformed", "the id does not belong to the key");
}

/**
 * Signs a text that ends with a line break: the text, an empty line, a line with the signature.
 *
 * @example
 * const { signer, jwk } = await generateEd25519("k1");
 * const key = { name: "a.example/log", publicKey: ed25519Bytes(jwk) };
 * (await signNote("hello\n", key, signer)).split("\n").length; //=> 4
 */
export async function signNote(text: string, key: NoteKey, signer: Signer): Promise<string> {
  if (!text.endsWith("\n") || !NAME.test(key.name)) throw new TypeError("signNote: not a note");
  const signature = await signer.sign(utf8(text));
  return `${text}\n\u2014 ${key.name} ${toBase64(concatBytes(await keyId(key), signature))}\n`;
}

/** A note whose signatures by known keys all hold. */
export interface VerifiedNote {
  readonly text: string;
  /** Names of the known keys that signed it. */
  readonly signedBy: readonly string[];
}

interface NoteSignature {
  readonly name: string;
  readonly id: string;
  readonly signature: Uint8Array;
}

function readSignature(line: string): NoteSignature | undefined {
  const [, name = "", coded = ""] = SIGNATURE_LINE.exec(line) ?? [];
  const bytes = fromBase64(coded);
  if (!NAME.test(name) || bytes === undefined || bytes.length <= KEY_ID_BYTES) return undefined;
  const id = toHex(bytes.subarray(0, KEY_ID_BYTES));
  return { name, id, signature: bytes.subarray(KEY_ID_BYTES) };
}

/** The text and its signatures are divided by the last empty line. */
function split(note: string): { text: string; signatures: NoteSignature[] } | undefined {
  const at = note.lastIndexOf("\n\n");
  if (note.length > NOTE_CHARS_MAX || at < 0 || !note.endsWith("\n")) return undefined;
  const lines = note.slice(at + 2, -1).split("\n");
  if (lines.length > NOTE_SIGNATURES_MAX) return undefined;
  const signatures = lines.map(readSignature);
  if (signatures.some((one) => one === undefined)) return undefined;
  return { text: note.slice(0, at + 1), signatures: signatures as NoteSignature[] };
}

/**
 * Checks a note against known keys. Signatures of others are passed over; a known key whose
 * signature does not hold spoils the whole note.
 *
 * @example
 * const { signer, jwk } = await generateEd25519("k1");
 * const key = { name: "a.example/log", publicKey: ed25519Bytes(jwk) };
 * (await verifyNote(await signNote("hello\n", key, signer), [key])).value.text; //=> "hello\n"
 */
export async function verifyNote(
  note: string,
  keys: readonly NoteKey[],
  verify: Verify = verifyWithWebCrypto,
): Promise<Result<VerifiedNote, NoteFault>> {
  const parts = split(note);
  if (parts === undefined) return refuse("malformed", "not a signed note");
  const known = await Promise.all(keys.map(async (key) => ({ key, id: toHex(await keyId(key)) })));
  const signedBy: string[] = [];
  for (const { name, id, signature } of parts.signatures) {
    const verifier = known.find((one) => one.key.name === name && one.id === id);
    if (verifier === undefined) continue;
    const held =
      signature.length === ED25519_SIGNATURE_BYTES &&
      (await verify(ed25519Jwk(verifier.key.publicKey), utf8(parts.text), signature));
    if (!held) return refuse("signature_invalid", "the signature of a known key is not valid");
    signedBy.push(name);
  }
  if (signedBy.length === 0) return refuse("unknown_key", "no known key has signed it");
  return ok({ text: parts.text, signedBy });
}
