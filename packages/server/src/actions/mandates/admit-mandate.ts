import { CLOCK_SKEW_MS, type Mandate, movesMoney, REASONS, scopesAllow } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Agent } from "../../domain/agents/agent.js";
import { requestingAgent } from "../../domain/agents/requesting/store.js";
import type { MandateSettings } from "../../domain/mandate-settings/mandate-settings.js";
import { mandateSettings } from "../../domain/mandate-settings/store.js";
import type { Site } from "../../domain/sites/site.js";
import { skillsOf } from "../../domain/sites/snapshot.js";
import type { Transaction } from "../../infra/db/database.js";
import { refundExact, takeExact } from "../../infra/rate-limit/exact.js";
import type { MandatePlace } from "./mandate-place.js";
import { keyFault } from "./prove-mandate.js";
import type { MandateFault } from "./refuse-mandate.js";

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

/** When a mandate may be used (decisions 6: skew 60 s, a lifetime the owner sets). */
function windowFault(
  { issuedAt, expiresAt }: Mandate,
  { lifeMs }: MandateSettings,
  now: number,
): MandateFault | undefined {
  if (issuedAt > now + CLOCK_SKEW_MS) return { reason: "mandate_not_yet_valid" };
  if (expiresAt <= issuedAt || expiresAt - issuedAt > lifeMs)
    return { reason: "lifetime_too_long" };
  return now >= expiresAt + CLOCK_SKEW_MS ? { reason: "mandate_expired" } : undefined;
}

function statusFault({ status }: Agent): MandateFault | undefined {
  if (status === "active") return undefined;
  if (status === "pending") return { reason: "agent_pending" };
  if (status === "suspended") return { reason: "agent_suspended" };
  return { reason: "identity_check_failed", specific: `agent_${status}` };
}

export type Admitted = { readonly agent: Agent } | { readonly fault: MandateFault };

interface Asking {
  readonly site: Site;
  readonly mandate: Mandate;
  readonly place: MandatePlace;
  readonly now: number;
}

/**
 * Counts a mandate for the agent's limit and for the site's, or for neither. All processes share these
 * rows, so an agent that sends much cannot use the reserved part through another process.
 */
async function takePlaces(
  tx: Transaction,
  limits: Context["config"]["limits"],
  {
    siteKeyHash,
    agent,
    place,
    now,
  }: Omit<Asking, "site" | "mandate"> & {
    readonly siteKeyHash: string;
    readonly agent: Agent;
  },
): Promise<boolean> {
  const own = { perMinute: limits.MANDATES_PER_AGENT_PER_MINUTE };
  const ownKey = `mandates ${siteKeyHash} ${agent.identity}`;
  if (!(await takeExact(tx, ownKey, own, now))) return false;
  const perMinute = limits.MANDATES_PER_SITE_PER_MINUTE;
  const open = Math.max(1, Math.floor(perMinute * OPEN_PART));
  const ofSite = { perMinute, burst: place === "reserved" ? perMinute : open };
  if (await takeExact(tx, `mandates ${siteKeyHash}`, ofSite, now)) return true;
  await refundExact(tx, ownKey, own);
  return false;
}

/**
 * Everything that must hold before a mandate is claimed, in the order of decisions 6, read inside the
 * decision's own transaction: what was revoked or changed a moment ago counts.
 */
export async function admitMandate(
  { config }: Context,
  tx: Transaction,
  { site, mandate, place, now }: Asking,
): Promise<Admitted> {
  const { siteKeyHash } = site;
  const { agentId, skill, protocol, envelope } = mandate;
  const settings = await mandateSettings(tx, siteKeyHash);
  const late = windowFault(mandate, settings, now);
  if (late !== undefined) return { fault: late };
  const asking = await requestingAgent(tx, siteKeyHash, { agentId, kid: envelope.kid });
  if (asking === undefined) {
    return { fault: { reason: "identity_check_failed", specific: "unknown_agent" } };
  }
  const { agent, key, lockedUntil } = asking;
  const revoked = keyFault(key, agentId, now);
  if (revoked !== undefined) {
    return { fault: { reason: "identity_check_failed", specific: revoked } };
  }
  const stopped = statusFault(agent);
  if (stopped !== undefined) return { fault: stopped };
  if (lockedUntil > now) {
    const retryAfterS = Math.ceil((lockedUntil - now) / 1000);
    return { fault: { reason: "agent_temporarily_locked", retryAfterS } };
  }
  if (!settings.enabled) return { fault: { reason: "mandates_disabled" } };
  // Nothing is decided by rules nobody wrote.
  if (!site.policyPublished) {
    return { fault: { reason: "mandates_disabled", specific: "no_policy" } };
  }
  if (site.pausedAt !== null && movesMoney(skill)) return { fault: PAUSED };
  if (skillsOf(site).every(({ id }) => id !== skill)) {
    return { fault: { reason: "skill_not_live" } };
  }
  if (!(await takePlaces(tx, config.limits, { siteKeyHash, agent, place, now }))) {
    return { fault: { reason: "rate_limited" } };
  }
  const currency = typeof mandate.cart?.currency === "string" ? mandate.cart.currency : undefined;
  if (!scopesAllow(agent.scopes, { skill, protocol, currency })) {
    return { fault: { reason: "scope_not_granted" } };
  }
  return { agent };
}
