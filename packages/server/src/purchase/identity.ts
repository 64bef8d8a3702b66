/**
 * The owner's decision about a caller. `agent`: a registered and approved agent. `unlisted`: a platform
 * that the owner has not admitted; all of these share one pool. `buyer`: somebody who pays on the
 * provider's own page, whichever platform sent them.
 */

import type { Agent } from "../domain/agents/agent.js";
import { identityKnownSince } from "../domain/agents/store.js";
import type { PlatformCaller } from "../domain/checkouts/platform.js";
import { BUYER } from "../domain/decisions/decision.js";
import { platformNamed } from "../domain/platforms/store.js";
import type { Queries } from "../infra/db/database.js";
import { webName } from "../infra/web-name.js";

type Standing = "agent" | "admitted" | "unlisted" | "suspended" | "buyer";

export interface Identity {
  /** Limits, budgets, velocity, reviews, declines and age are counted under this id. */
  readonly id: string;
  readonly standing: Standing;
  /** When the site first saw it, in milliseconds; null if it is new. */
  readonly knownSince: number | null;
}

/** Whether a caller shares the pool of platforms that are not admitted. */
export const isPooled = ({ standing }: Identity): boolean => standing === "unlisted";
/** The identity of all unsigned callers. Its brackets make sure that no host has the same name. */
export const UNSIGNED = "(unsigned)";

/**
 * An agent counts as itself. An agent that was approved automatically counts as the domain of its key
 * source, and is as old as the first such agent.
 */
export async function identityOfAgent(db: Queries, agent: Agent): Promise<Identity> {
  const { agentId, siteKeyHash, identity: id, createdAt } = agent;
  const first = id === agentId ? createdAt : await identityKnownSince(db, siteKeyHash, id);
  return { id, standing: "agent", knownSince: first ?? createdAt };
}

/**
 * The identity of a platform: its entry in the owner's list, or the registrable domain of its profile, however
 * it writes the address. All callers that do not prove who they are share one identity that is always new, so
 * a caller gains nothing by another name.
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

/**
 * Somebody who pays on the provider's page. They are as long known as the platform that sent them. A platform that
 * is suspended sends nobody, even if it does not sign.
 */
export async function identityOfBuyer(
  db: Queries,
  siteKeyHash: string,
  platform: PlatformCaller,
): Promise<Identity> {
  const named = { ...platform, signed: true };
  const { standing, knownSince } = await identityOfPlatform(db, siteKeyHash, named);
  return { id: BUYER, standing: standing === "suspended" ? standing : "buyer", knownSince };
}
