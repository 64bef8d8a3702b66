/**
 * The owner's decision about a caller. `agent`: a registered and approved agent. `unlisted`: a platform
 * that the owner has not admitted; all of these share one pool. `buyer`: somebody who pays on the
 * provider's own page, whichever platform sent them.
 */

import type { Agent } from "../domain/agents/agent.js";
import { identityKnownSince } from "../domain/agents/store.js";
import { BUYER } from "../domain/decisions/decision.js";
import type { Platform } from "../domain/platforms/platform.js";
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
const NOBODY: Identity = Object.freeze({ id: UNSIGNED, standing: "unlisted", knownSince: null });

/**
 * An agent counts as itself. An agent that was approved automatically counts as the domain of its key
 * source, and is as old as the first such agent.
 */
export async function identityOfAgent(db: Queries, agent: Agent): Promise<Identity> {
  const { agentId, siteKeyHash, identity: id, createdAt } = agent;
  const first = id === agentId ? createdAt : await identityKnownSince(db, siteKeyHash, id);
  return { id, standing: "agent", knownSince: first ?? createdAt };
}

/** A platform as limits count it. */
export interface CountedPlatform {
  /** The address of the profile it named. */
  readonly url: string;
  /** Whether it has proven that the profile belongs to it, in any way. */
  readonly proven: boolean;
}

/** The identity of a platform whose profile is at an address, by its entry in the owner's list if it has one. */
export function identityOfEntry(url: string, entry: Platform | undefined): Identity {
  const name = webName(url);
  if (name === undefined) return NOBODY;
  if (entry === undefined) return { id: name.domain, standing: "unlisted", knownSince: null };
  const { identity: id, status, firstSeenAt: knownSince } = entry;
  return { id, standing: status === "seen" ? "unlisted" : status, knownSince };
}

async function identityOfProfile(db: Queries, siteKeyHash: string, url: string): Promise<Identity> {
  const name = webName(url);
  return identityOfEntry(url, name && (await platformNamed(db, siteKeyHash, name)));
}

/**
 * The identity of a platform: its entry in the owner's list, or the registrable domain of its profile, however
 * it writes the address. All callers that do not prove who they are share one identity that is always new, so
 * a caller gains nothing by another name.
 */
export async function identityOfPlatform(
  db: Queries,
  siteKeyHash: string,
  { url, proven }: CountedPlatform,
): Promise<Identity> {
  return proven ? identityOfProfile(db, siteKeyHash, url) : NOBODY;
}

/**
 * Somebody who pays on the provider's page. They are as long known as the platform that sent them. A platform that
 * is suspended sends nobody, even if it proves nothing.
 */
export async function identityOfBuyer(
  db: Queries,
  siteKeyHash: string,
  { url }: Pick<CountedPlatform, "url">,
): Promise<Identity> {
  const { standing, knownSince } = await identityOfProfile(db, siteKeyHash, url);
  return { id: BUYER, standing: standing === "suspended" ? standing : "buyer", knownSince };
}
