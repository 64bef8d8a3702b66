import { toBase64 } from "../base64.js";
import { utf8 } from "../bytes.js";
import type { Signer } from "../keys/signer.js";
import { contentDigest } from "./content-digest.js";

/** What UCP has an answer's signature cover. */
const COVERED = '("@status" "content-digest" "content-type")';
/** Text that a string of RFC 8941 can hold without escapes. */
const PLAIN_TEXT = /^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/;

/** An answer as it goes over the wire. */
export interface UcpAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: Uint8Array;
}

/**
 * The headers by which anybody can tell that an answer is the shop's (RFC 9421, with a key of its
 * profile).
 *
 * @example
 * const signer = { kid: "k1", alg: "ES256", sign: () => new Uint8Array(64) };
 * const answer = { status: 200, type: "application/json", body: utf8("{}") };
 * const headers = await signUcpAnswer(answer, signer, 1618884473);
 * headers["signature-input"]; //=> 'sig1=("@status" "content-digest" "content-type");created=1618884473;keyid="k1"'
 */
export async function signUcpAnswer(
  { status, type, body }: UcpAnswer,
  signer: Signer,
  nowS: number,
): Promise<Readonly<Record<string, string>>> {
  // What is covered never changes, so the signature base of RFC 9421 section 2.5 is a few lines of text:
  // a library that builds any of them takes as long as the signature itself.
  if (!PLAIN_TEXT.test(signer.kid)) throw new Error("a key id must be plain ASCII");
  const digest = await contentDigest(body);
  const parameters = `${COVERED};created=${nowS};keyid="${signer.kid}"`;
  const base = [
    `"@status": ${status}`,
    `"content-digest": ${digest}`,
    `"content-type": ${type}`,
    `"@signature-params": ${parameters}`,
  ].join("\n");
  const signature = toBase64(await signer.sign(utf8(base)));
  return {
    "content-digest": digest,
    "signature-input": `sig1=${parameters}`,
    signature: `sig1=:${signature}:`,
  };
}
