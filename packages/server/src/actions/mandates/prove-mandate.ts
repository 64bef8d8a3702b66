import { hash } from "node:crypto";
import {
  ED25519_SIGNATURE_BYTES,
  fromBase64url,
  type Mandate,
  taggedBytes,
} from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { RegisteredKey } from "../../domain/agents/agent.js";
import { type SigningKey, signingKey } from "../../domain/agents/requesting/store.js";
import type { Site } from "../../domain/sites/site.js";
import { verifyNow } from "../../infra/keys/signatures.js";
import type { MandateFault, ProvenFacts } from "./refuse-mandate.js";

/** Any key: a mandate of an unknown one takes as long to refuse as one of a known one. */
const NOBODYS_KEY = {
  kty: "OKP",
  crv: "Ed25519",
  x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
} as const;

/** The key was rotated out. */
export const RETIRED = "key_retired";
export const REVOKED = "key_revoked";

/** Why a key may not speak for the agent a mandate names; undefined where it may. */
export function keyFault(
  key: RegisteredKey | undefined,
  agentId: string,
  now: number,
): string | undefined {
  if (key === undefined) return "unknown_key";
  if (key.agentId !== agentId) return "key_of_another_agent";
  if (key.status === "revoked") return REVOKED;
  return key.notAfter !== null && now >= key.notAfter ? RETIRED : undefined;
}

export function mandateAudience(baseUrl: string, { siteKey }: Pick<Site, "siteKey">): string {
  return `${baseUrl}/v1/m/${siteKey}/mandate`;
}

/**
 * Proves who sent a mandate: it is for this site and signed by a key that this site knows. A key that was
 * rotated out still proves who signed, but only to repeat an earlier decision (`retired`).
 */
export async function proveMandate(
  { config, clock, db }: Context,
  site: Site,
  mandate: Mandate,
): Promise<
  | {
      readonly proven: ProvenFacts;
      readonly signer: SigningKey;
      readonly retired: boolean;
    }
  | { readonly fault: MandateFault }
> {
  const { audience, siteKey, agentId, envelope, signed, mandateId, skill, protocol } = mandate;
  if (audience !== mandateAudience(config.baseUrl, site) || siteKey !== site.siteKey) {
    return { fault: { reason: "audience_mismatch" } };
  }
  const signer = await signingKey(db, site.siteKeyHash, envelope.kid);
  const key = signer?.key;
  const fault = keyFault(key, agentId, clock.now());
  const retired = fault === RETIRED;
  const unknown = retired ? undefined : fault;
  const jwk = unknown === undefined && key !== undefined ? key.jwk : NOBODYS_KEY;
  const bytes = taggedBytes("mandate", signed);
  const signature = fromBase64url(envelope.signature) ?? new Uint8Array();
  const holds = signature.length === ED25519_SIGNATURE_BYTES && verifyNow(jwk, bytes, signature);
  if (unknown !== undefined || signer === undefined) {
    return { fault: { reason: "identity_check_failed", specific: unknown } };
  }
  if (!holds) return { fault: { reason: "signature_invalid" } };
  const digest = hash("sha256", bytes, "hex");
  const proven = { agentId, kid: envelope.kid, mandateId, digest, skill, protocol };
  return { proven, signer, retired };
}
