import {
  type Ed25519Jwk,
  ed25519Signer,
  generateEd25519,
  jwkThumbprint,
  type Signer,
} from "@gatehouse/protocol";

/** An agent's key: what it signs with, and what others know it by. */
export interface AgentKey {
  /** Thumbprint of the public key (RFC 7638). */
  readonly kid: string;
  readonly jwk: Ed25519Jwk;
  readonly signer: Signer;
}

/** The private JWK to keep, with its id. Whoever has it is the agent. */
export interface StoredAgentKey extends Ed25519Jwk {
  readonly d: string;
  readonly kid: string;
}

/** Makes a key to keep. */
export async function generateAgentKey(): Promise<StoredAgentKey> {
  const { jwk, privateJwk } = await generateEd25519("unnamed");
  return { ...jwk, d: privateJwk.d, kid: await jwkThumbprint(jwk) };
}

/** Opens a key that was kept. Throws for anything that is none. */
export async function openAgentKey(stored: unknown): Promise<AgentKey> {
  const { kty, crv, x, d } = (stored ?? {}) as Partial<StoredAgentKey>;
  if (kty !== "OKP" || crv !== "Ed25519" || typeof x !== "string" || typeof d !== "string") {
    throw new TypeError("not an Ed25519 private JWK");
  }
  const jwk: Ed25519Jwk = Object.freeze({ kty, crv, x });
  const kid = await jwkThumbprint(jwk);
  return { kid, jwk, signer: await ed25519Signer(kid, { ...jwk, d }) };
}
