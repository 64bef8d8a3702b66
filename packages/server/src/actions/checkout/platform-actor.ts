import type { Agent } from "../../domain/agents/agent.js";
import { isProven, type PlatformCaller } from "../../domain/checkouts/platform.js";
import type { Queries } from "../../infra/db/database.js";
import {
  type CountedPlatform,
  type Identity,
  identityOfPlatform,
} from "../../purchase/identity.js";

const UNSIGNED = "unsigned ";
/** Stands for the profile of callers that name none. */
const UNNAMED = "caller";

/**
 * The name of a platform in rules and records: its profile, if it has proven that the profile is its own.
 * Anybody can name a profile, so a rule about a platform must not apply to a caller without proof. Limits do
 * not use this name: see `identityOfPlatform`.
 */
export function actorId(platform: PlatformCaller): string {
  return isProven(platform) ? platform.url : UNSIGNED + (platform.url || UNNAMED);
}

/** The platform with this name. */
export function platformOf(actorId: string): CountedPlatform {
  if (!actorId.startsWith(UNSIGNED)) return { url: actorId, proven: true };
  const named = actorId.slice(UNSIGNED.length);
  return { url: named === UNNAMED ? "" : named, proven: false };
}

/** A platform as rules see it, and the identity it counts for. */
export async function platformActor(
  db: Queries,
  siteKeyHash: string,
  agentId: string,
  now: number,
): Promise<{ readonly agent: Agent; readonly identity: Identity }> {
  const platform = platformOf(agentId);
  const identity = await identityOfPlatform(db, siteKeyHash, platform);
  const agent: Agent = {
    agentId,
    identity: identity.id,
    siteKeyHash,
    name: platform.url || "Assistant without a profile",
    contact: null,
    operatorUrl: null,
    keySource: null,
    source: "self",
    status: "active",
    scopes: null,
    requestedScopes: [],
    tags: [],
    createdBy: agentId,
    createdAt: identity.knownSince ?? now,
    changedBy: null,
    changedAt: null,
    expiresAt: null,
  };
  return { agent, identity };
}
