import { hash } from "node:crypto";
import {
  CLOCK_SKEW_MS,
  canonicalize,
  ED25519_SIGNATURE_BYTES,
  type Ed25519Jwk,
  fromBase64url,
  type Mandate,
  movesMoney,
  REASONS,
  scopesAllow,
  taggedBytes,
} from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Agent } from "../../domain/agents/agent.js";
import { readsOfAgent, type SigningKey, signingKey } from "../../domain/agents/requesting/store.js";
import { mandateSettings, readOfSettings } from "../../domain/mandate-settings/store.js";
import { skillsOf } from "../../domain/sites/gates.js";
import type { Site } from "../../domain/sites/site.js";
import { liveNames } from "../../domain/sites/skills.js";
import type { ExpectedRead, Transaction } from "../../infra/db/database.js";
import { verifyNow } from "../../infra/keys/signatures.js";
import { readOfLimit, refundExact, takeExact } from "../../infra/rate-limit/exact.js";
import { MINUTE_MS } from "../../infra/time.js";
import { agentStanding, keyFault, RETIRED, type Standing } from "./agent-standing.js";
import type { MandateCall, MandateFault, ProvenFacts } from "./submission.js";

/** The part of a site's rate that every agent may use; the rest is for agents that sent few mandates. */
const OPEN_PART = 5 / 6;
/** `Retry-After` while sales are paused: as long as documents may be cached. */
const PAUSED_RETRY_S = 60;

/**
 * The answer to a mandate that buys while sales are paused. Nothing is stored for its mandate_id and nothing
 * counts against the agent, so the same bytes may be approved after the pause.
 */
export const PAUSED: MandateFault = Object.freeze({
  reason: "mandates_disabled",
  specific: "site_paused",
  reasonCode: "site_paused",
  message: REASONS.site_paused.message,
  retryAfterS: PAUSED_RETRY_S,
});

/** A mandate with an unknown key is verified with this one, so that its refusal takes as long as any other. */
const NOBODYS_KEY = {
  kty: "OKP",
  crv: "Ed25519",
  x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
} as const;
export function mandateAudience(baseUrl: string, { siteKey }: Pick<Site, "siteKey">): string {
  return `${baseUrl}/v1/m/${siteKey}/mandate`;
}

/** Whether a key made a signature, which is given in base64url. */
export function isSignedBy(jwk: Ed25519Jwk, bytes: Uint8Array, signature: string): boolean {
  const decoded = fromBase64url(signature) ?? new Uint8Array();
  return decoded.length === ED25519_SIGNATURE_BYTES && verifyNow(jwk, bytes, decoded);
}

/** Whether a mandate is for exactly the tool call that carried it, if one did. */
export function isForCall(mandate: Mandate, call: MandateCall | undefined): boolean {
  if (call === undefined) return true;
  if (mandate.skill !== call.skill) return false;
  return canonicalize(mandate.arguments) === canonicalize(call.arguments);
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
      readonly ok: true;
      readonly proven: ProvenFacts;
      readonly signer: SigningKey;
      readonly retired: boolean;
    }
  | { readonly ok: false; readonly fault: MandateFault }
> {
  const { audience, siteKey, agentId, envelope, signed, mandateId, skill, protocol } = mandate;
  if (audience !== mandateAudience(config.baseUrl, site) || siteKey !== site.siteKey) {
    return { ok: false, fault: { reason: "audience_mismatch" } };
  }
  const signer = await signingKey(db, site.siteKeyHash, envelope.kid);
  const key = signer?.key;
  const fault = keyFault(key, agentId, clock.now());
  const retired = fault === RETIRED;
  const unknown = retired ? undefined : fault;
  const jwk = unknown === undefined && key !== undefined ? key.jwk : NOBODYS_KEY;
  const bytes = taggedBytes("mandate", signed);
  const holds = isSignedBy(jwk, bytes, envelope.signature);
  if (unknown !== undefined || signer === undefined) {
    return { ok: false, fault: { reason: "identity_check_failed", specific: unknown } };
  }
  if (!holds) return { ok: false, fault: { reason: "signature_invalid" } };
  const digest = hash("sha256", bytes, "hex");
  const proven = { agentId, kid: envelope.kid, mandateId, digest, skill, protocol };
  return { ok: true, proven, signer, retired };
}

/**
 * Which part of a site's rate a mandate may use: the part that is open to all agents, or also the part that
 * is reserved for identities that have sent few mandates in the last minute.
 */
export type RateShare = "open" | "reserved";

/**
 * Runs a submission with the part of the site's rate that its agent's identity may use. The mandate is
 * counted before the transaction begins, because that may run more than once, and given back if `isUsed`
 * says that nothing was claimed.
 */
export async function withRateShare<T>(
  { admission, clock }: Context,
  siteKeyHash: string,
  { identity, active }: SigningKey,
  submit: (share: RateShare) => Promise<T>,
  isUsed: (result: T) => boolean,
): Promise<T> {
  // An inactive agent is refused anyway and must not count as one that shares the rate.
  if (!active) return submit("open");
  const { mandates } = admission;
  const takenAt = clock.now();
  const share = mandates.count(siteKeyHash, identity, takenAt) ? "reserved" : "open";
  let used = false;
  try {
    const result = await submit(share);
    used = isUsed(result);
    return result;
  } finally {
    if (!used) mandates.giveBack(siteKeyHash, identity, takenAt);
  }
}

const refused = (fault: MandateFault): Standing => ({ ok: false, fault });

interface AdmissionRequest {
  readonly site: Site;
  readonly mandate: Mandate;
  readonly share: RateShare;
  readonly now: number;
}

const rateOfAgent = (siteKeyHash: string, identity: string) =>
  `mandates ${siteKeyHash} ${identity}`;
const rateOfSite = (siteKeyHash: string) => `mandates ${siteKeyHash}`;

/** What {@link admitMandate} reads. */
export function readsOfAdmission(
  siteKeyHash: string,
  { agentId, kid, identity }: { agentId: string; kid: string; identity: string },
): readonly ExpectedRead[] {
  return [
    readOfSettings(siteKeyHash),
    ...readsOfAgent(siteKeyHash, { agentId, kid, identity }),
    readOfLimit(rateOfAgent(siteKeyHash, identity)),
    readOfLimit(rateOfSite(siteKeyHash)),
  ];
}

/**
 * Counts a mandate for the agent's limit and for the site's, or for neither. All processes share these
 * rows, so an agent that sends much cannot use the reserved part through another process.
 */
async function takeRate(
  tx: Transaction,
  limits: Context["config"]["limits"],
  {
    siteKeyHash,
    agent,
    share,
    now,
  }: Omit<AdmissionRequest, "site" | "mandate"> & {
    readonly siteKeyHash: string;
    readonly agent: Agent;
  },
): Promise<boolean> {
  const own = { perMinute: limits.MANDATES_PER_AGENT_PER_MINUTE };
  const ownKey = rateOfAgent(siteKeyHash, agent.identity);
  if (!(await takeExact(tx, ownKey, own, now))) return false;
  const perMinute = limits.MANDATES_PER_SITE_PER_MINUTE;
  const open = Math.max(1, Math.floor(perMinute * OPEN_PART));
  const ofSite = { perMinute, burst: share === "reserved" ? perMinute : open };
  if (await takeExact(tx, rateOfSite(siteKeyHash), ofSite, now)) return true;
  await refundExact(tx, ownKey, own);
  return false;
}

/**
 * Checks a mandate before it is claimed, in the order of decisions 6. Everything is read in the transaction of
 * the decision, so that a revocation or change a moment ago counts.
 */
export async function admitMandate(
  { config }: Context,
  tx: Transaction,
  { site, mandate, share, now }: AdmissionRequest,
): Promise<Standing> {
  const { siteKeyHash } = site;
  const { skill, protocol } = mandate;
  const settings = await mandateSettings(tx, siteKeyHash);
  const standing = await agentStanding(tx, siteKeyHash, mandate, { settings, now });
  if (!standing.ok) return standing;
  const { agent } = standing;
  if (!settings.enabled) return refused({ reason: "mandates_disabled" });
  // Without a published policy nothing is decided.
  if (!site.policyPublished) {
    return refused({ reason: "mandates_disabled", specific: "no_policy" });
  }
  if (site.pausedAt !== null && movesMoney(skill)) return refused(PAUSED);
  const live = skillsOf(site).map(({ id }) => id);
  if (!live.includes(skill)) {
    const message = `${REASONS.skill_not_live.message} ${liveNames(live)}`;
    return refused({ reason: "skill_not_live", message });
  }
  if (!(await takeRate(tx, config.limits, { siteKeyHash, agent, share, now }))) {
    return refused({ reason: "rate_limited" });
  }
  const currency = typeof mandate.cart?.currency === "string" ? mandate.cart.currency : undefined;
  if (!scopesAllow(agent.scopes, { skill, protocol, currency })) {
    return refused({ reason: "scope_not_granted" });
  }
  return { ok: true, agent };
}

/** The longest validity of what an agent signs about itself. */
const LIFE_MS_MAX = 15 * MINUTE_MS;

/** Whether what an agent signed about itself is valid now, give or take a minute. */
export function isSignedForNow(
  { issuedAt, expiresAt }: { readonly issuedAt: number; readonly expiresAt: number },
  now: number,
): boolean {
  const lifeMs = expiresAt - issuedAt;
  const inTime = issuedAt <= now + CLOCK_SKEW_MS && now < expiresAt + CLOCK_SKEW_MS;
  return inTime && lifeMs > 0 && lifeMs <= LIFE_MS_MAX;
}
