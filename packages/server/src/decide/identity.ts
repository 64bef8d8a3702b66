import type { Agent } from "../owners/agents/agent.js";
import { identityKnownSince } from "../owners/agents/store.js";
import type { PlatformCaller } from "../owners/checkouts/platform.js";
import { platformNamed } from "../owners/platforms/store.js";
import type { Queries } from "../platform/db/database.js";
import { webName } from "../platform/web-name.js";

/**
 * How a caller stands with the owner. `agent`: registered, and admitted as such. `unlisted`: a
 * platform the owner has not admitted; all of them share one pool.
 */
type Standing = "agent" | "admitted" | "unlisted" | "suspended";

/** Who a caller counts as. */
export interface Identity {
  /** What limits, budgets, velocity, reviews, declines and age are counted under. */
  readonly id: string;
  readonly standing: Standing;
  /** Since when it is known here, in milliseconds; null where it is not. */
  readonly knownSince: number | null;
}

/** Whether a caller shares the pool of platforms that are not admitted. */
export const isPooled = ({ standing }: Identity): boolean => standing === "unlisted";

/** Everybody who only says who they are. It holds what no host can: nobody can take the name. */
export const UNSIGNED = "(unsigned)";

/**
 * An agent counts as itself; one that its origin admitted counts as the domain of that origin, and is
 * as old as the first agent of it.
 */
export async function identityOfAgent(db: Queries, agent: Agent): Promise<Identity> {
  const { agentId, siteKeyHash, identity: id, createdAt } = agent;
  const first = id === agentId ? createdAt : await identityKnownSince(db, siteKeyHash, id);
  return { id, standing: "agent", knownSince: first ?? createdAt };
}

/**
 * Who a platform counts as, however it writes its profile's address: its entry in the owner's list,
 * or else the registrable domain of the profile. Who does not prove to be the platform it names is
 * not counted as that platform: all such callers are one, and never old, so that another name helps
 * them nothing.
 */
export async function identityOfPlatform(
  db: Queries,
  siteKeyHash: string,
  { url, signed }: PlatformCaller,
): Promise<Identity> {
  const name = webName(url);
  if (!signed || name === undefined)
    return { id: UNSIGNED, standing: "unlisted", knownSince: null };
  const entry = await platformNamed(db, siteKeyHash, name);
  if (entry === undefined) return { id: name.domain, standing: "unlisted", knownSince: null };
  const { identity: id, status, firstSeenAt: knownSince } = entry;
  return { id, standing: status === "seen" ? "unlisted" : status, knownSince };
}
