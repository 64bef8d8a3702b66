import { identityOfPlatform } from "../../decide/identity.js";
import type { Agent } from "../../owners/agents/agent.js";
import type { PlatformCaller } from "../../owners/checkouts/platform.js";
import { firstSeen } from "../../owners/checkouts/store.js";
import type { Queries } from "../../platform/db/database.js";

const UNSIGNED = "unsigned ";

/**
 * What rules, budgets and records call a platform: its profile, where it has proven that the profile
 * is its own. Anybody can name one, so that a rule about a platform must not hold for who only does.
 */
export function actorId({ url, signed }: PlatformCaller): string {
  return signed ? url : UNSIGNED + url;
}

/** The platform that is called so. */
export function platformOf(id: string): PlatformCaller {
  const signed = !id.startsWith(UNSIGNED);
  return { url: signed ? id : id.slice(UNSIGNED.length), signed };
}

/** A platform as rules ask about it: who it is, and since when it is known here. */
export async function platformActor(
  db: Queries,
  siteKeyHash: string,
  platform: PlatformCaller,
  now: number,
): Promise<Agent> {
  const { id: identity } = await identityOfPlatform(db, siteKeyHash, platform);
  const createdAt = (await firstSeen(db, siteKeyHash, platform)) ?? now;
  const agentId = actorId(platform);
  return {
    ...{ agentId, identity, siteKeyHash, name: platform.url, contact: null, operatorUrl: null },
    ...{ keySource: null, source: "self", status: "active", scopes: null, requestedScopes: [] },
    ...{ tags: [], createdBy: agentId, createdAt, changedBy: null, changedAt: null },
    expiresAt: null,
  };
}
