import { CLOCK_SKEW_MS, type Mandate } from "@gatehouse/protocol";
import type { Agent, RegisteredKey } from "../../domain/agents/agent.js";
import { requestingAgent } from "../../domain/agents/requesting/store.js";
import type { MandateSettings } from "../../domain/mandate-settings/mandate-settings.js";
import type { Queries } from "../../infra/db/database.js";
import type { MandateFault } from "./submission.js";

/** The key was rotated out. */
export const RETIRED = "key_retired";
export const REVOKED = "key_revoked";

/** Why a key may not sign for the agent that a mandate names; undefined if it may. */
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

/** An agent whose mandate counts now, or why it does not. */
export type Standing =
  | { readonly ok: true; readonly agent: Agent }
  | { readonly ok: false; readonly fault: MandateFault };

/** Whether a mandate is in time, and its agent and key may act for the site now. */
export async function agentStanding(
  db: Queries,
  siteKeyHash: string,
  mandate: Mandate,
  { settings, now }: { readonly settings: MandateSettings; readonly now: number },
): Promise<Standing> {
  const refused = (fault: MandateFault): Standing => ({ ok: false, fault });
  const late = windowFault(mandate, settings, now);
  if (late !== undefined) return refused(late);
  const { agentId, envelope } = mandate;
  const requesting = await requestingAgent(db, siteKeyHash, { agentId, kid: envelope.kid });
  if (requesting === undefined) {
    return refused({ reason: "identity_check_failed", specific: "unknown_agent" });
  }
  const { agent, key, lockedUntil } = requesting;
  const revoked = keyFault(key, agentId, now);
  if (revoked !== undefined) {
    return refused({ reason: "identity_check_failed", specific: revoked });
  }
  const stopped = statusFault(agent);
  if (stopped !== undefined) return refused(stopped);
  if (lockedUntil > now) {
    const retryAfterS = Math.ceil((lockedUntil - now) / 1000);
    return refused({ reason: "agent_temporarily_locked", retryAfterS });
  }
  return { ok: true, agent };
}
