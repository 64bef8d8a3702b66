import { fromBase64url } from "../base64url.js";
import { nodeCrypto } from "../node-crypto.js";
import { ed25519Bytes, verifyEd25519 } from "./ed25519.js";
import { importEs256, verifyEs256 } from "./es256.js";
import type { Ed25519Jwk, PublicJwk } from "./jwk.js";

/** JWS names of the signature algorithms in use. */
export type SignatureAlg = "EdDSA" | "ES256";

/** Something that can sign. Private keys stay behind it, in whatever holds them. */
export interface Signer {
  readonly kid: string;
  readonly alg: SignatureAlg;
  sign(message: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** Checks one signature by one public key. Servers pass a faster one than the default. */
export type Verify = (
  key: PublicJwk,
  message: Uint8Array,
  signature: Uint8Array,
) => boolean | Promise<boolean>;

/**
 * The algorithm a public key is used with. The key decides, never a header.
 *
 * @example
 * algOf({ kty: "OKP", crv: "Ed25519", x: "" }); //=> "EdDSA"
 */
export function algOf(key: PublicJwk): SignatureAlg {
  return key.kty === "OKP" ? "EdDSA" : "ES256";
}

/**
 * Verifies with Web Crypto; the default of every function here that checks a signature.
 *
 * @example
 * const { signer, jwk } = await generateEd25519("k1");
 * await verifyWithWebCrypto(jwk, utf8("hello"), await signer.sign(utf8("hello"))); //=> true
 * await verifyWithWebCrypto(jwk, utf8("hullo"), await signer.sign(utf8("hello"))); //=> false
 */
export const verifyWithWebCrypto: Verify = async (key, message, signature) => {
  if (key.kty === "OKP") return verifyEd25519(ed25519Bytes(key), message, signature);
  const imported = await importEs256(key);
  return imported.ok && verifyEs256(imported.value, message, signature);
};

/** A fresh key pair: the signer, its public JWK, and the private JWK for whoever must keep it. */
export interface Ed25519KeyPair {
  readonly signer: Signer;
  readonly jwk: Ed25519Jwk;
  readonly privateJwk: Ed25519Jwk & { readonly d: string };
}

/**
 * A signer for a private Ed25519 JWK, by the platform.
 *
 * @example
 * const { privateJwk } = await generateEd25519("k1");
 * (await ed25519Signer("k1", privateJwk)).alg; //=> "EdDSA"
 */
export async function ed25519Signer(
  kid: string,
  privateJwk: Ed25519Jwk & { readonly d: string },
): Promise<Signer> {
  if (fromBase64url(privateJwk.d)?.length !== 32) throw new TypeError("not a private key");
  const key = await crypto.subtle.importKey("jwk", { ...privateJwk }, "Ed25519", false, ["sign"]);
  const node = nodeCrypto?.KeyObject.from(key);
  const sign = async (message: Uint8Array) =>
    nodeCrypto !== undefined && node !== undefined
      ? nodeCrypto.sign(null, message, node)
      : crypto.subtle.sign("Ed25519", key, message as BufferSource);
  return { kid, alg: "EdDSA", sign: async (message) => new Uint8Array(await sign(message)) };
}

/**
 * Makes an Ed25519 key pair.
 *
 * @example
 * (await generateEd25519("k1")).signer.kid; //=> "k1"
 */
export async function generateEd25519(kid: string): Promise<Ed25519KeyPair> {
  const pair = (await crypto.subtle.generateKey("Ed25519", true, [
    "sign",
    "verify",
  ])) as CryptoKeyPair;
  const { x, d } = await crypto.subtle.exportKey("jwk", pair.privateKey);
  if (x === undefined || d === undefined) throw new Error("Web Crypto exported no Ed25519 key");
  const jwk: Ed25519Jwk = Object.freeze({ kty: "OKP", crv: "Ed25519", x });
  const privateJwk = Object.freeze({ ...jwk, d });
  return { signer: await ed25519Signer(kid, privateJwk), jwk, privateJwk };
}
