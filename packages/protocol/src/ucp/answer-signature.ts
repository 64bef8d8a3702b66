import { createSignature } from "http-message-sig";
import type { Signer } from "../keys/signer.js";
import { contentDigest } from "./content-digest.js";

/** What UCP has an answer's signature cover. */
const COVERED = ["@status", "content-digest", "content-type"];

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
  const digest = await contentDigest(body);
  const fields = [
    { name: "content-digest", value: digest },
    { name: "content-type", value: type },
  ];
  const { signature, signatureInput } = await createSignature(
    { kind: "response", status, fields },
    {
      label: "sig1",
      components: COVERED,
      parameters: { created: nowS, keyid: signer.kid },
      signer: { algorithm: "ecdsa-p256-sha256", sign: (bytes) => signer.sign(bytes) },
    },
  );
  return { "content-digest": digest, "signature-input": signatureInput, signature };
}
