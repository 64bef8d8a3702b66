import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type { Es256Jwk, Signer } from "@gatehouse/protocol";

export interface PrivateEs256Jwk extends Es256Jwk {
  readonly d: string;
}

export function newEs256Key(): PrivateEs256Jwk {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ format: "jwk" }) as unknown as PrivateEs256Jwk;
}

export function openEs256Key(jwk: PrivateEs256Jwk): KeyObject {
  return createPrivateKey({ key: { ...jwk }, format: "jwk" });
}

/** Signatures are r‖s, as JOSE and RFC 9421 have them; not DER. */
export function es256Signer(kid: string, key: KeyObject): Signer {
  const options = { key, dsaEncoding: "ieee-p1363" } as const;
  return { kid, alg: "ES256", sign: (message) => sign("sha256", message, options) };
}
