import { createPrivateKey, sign } from "node:crypto";
import type { Ed25519Jwk, Signer } from "@gatehouse/protocol";

export interface PrivateJwk extends Ed25519Jwk {
  readonly d: string;
}

/** A signer on node:crypto: the key is read once, each signature is one synchronous call. */
export function nodeSigner(kid: string, jwk: PrivateJwk): Signer {
  const key = createPrivateKey({ key: { ...jwk }, format: "jwk" });
  return { kid, alg: "EdDSA", sign: (message) => sign(null, message, key) };
}
