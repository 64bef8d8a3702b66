import { fromHex } from "@gatehouse/protocol";

/** RFC 8032 section 7.1, test 1: a signature of the empty message. */
const KEY = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
const SIGNATURE =
  "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155" +
  "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b";

/**
 * Why this browser cannot be asked; undefined when it can. Asked before anything else: the verifier
 * takes a missing algorithm for a signature that does not hold.
 */
export async function browserFault(): Promise<string | undefined> {
  // Absent outside secure contexts, whatever the types say.
  const subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle;
  if (subtle === undefined) return "it does not offer Web Crypto to this page";
  try {
    const raw = fromHex(KEY) as BufferSource;
    const good = fromHex(SIGNATURE) as Uint8Array<ArrayBuffer>;
    const key = await subtle.importKey("raw", raw, "Ed25519", false, ["verify"]);
    const held = await subtle.verify("Ed25519", key, good, new Uint8Array());
    const other = await subtle.verify("Ed25519", key, good, Uint8Array.of(0));
    return held && !other ? undefined : "its Ed25519 implementation gives wrong results";
  } catch {
    return "it cannot check Ed25519 signatures";
  }
}
