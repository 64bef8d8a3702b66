import {
  type CounterName,
  factsNeeded,
  type Policy,
  type PolicyFacts,
  policyDurationMs,
} from "@gatehouse/protocol";
import type { Agent } from "../domain/agents/agent.js";
import { countDecisions, sumSpent } from "../domain/decisions/budgets/store.js";
import { localTime } from "../infra/clock.js";
import type { Queries } from "../infra/db/database.js";
import { DAY_MS } from "../infra/time.js";
import type { Identity } from "./identity.js";

/** What somebody asks a site for, as far as rules go. */
export interface Asked {
  readonly siteKeyHash: string;
  readonly agent: Agent;
  /** The identity it counts as. */
  readonly identity: Identity;
  readonly skill: string;
  readonly protocol: string;
  readonly amount: { readonly minor: number; readonly currency: string } | null;
  /** When it was decided about before, where a person's word brings it back. */
  readonly firstAskedAt?: number | undefined;
}

/** Whose decisions a counter counts, and since when. */
function countedBy({ siteKeyHash, identity }: Asked, name: CounterName, now: number) {
  const since = now - (policyDurationMs(name.window) as number);
  return { siteKeyHash, identity: name.scope === "agent" ? identity.id : null, since, now };
}

/** How many were decided before; one that is asked about again does not count against itself. */
async function decidedBefore(tx: Queries, asked: Asked, name: CounterName, now: number) {
  const counted = countedBy(asked, name, now);
  const itself = asked.firstAskedAt !== undefined && asked.firstAskedAt > counted.since ? 1 : 0;
  return (await countDecisions(tx, counted)) - itself;
}

/** What a decision knows: everything its policy asks about, and nothing that it does not need. */
export async function gatherFacts(
  tx: Queries,
  asked: Asked,
  policy: Policy,
  now: number,
): Promise<PolicyFacts> {
  const { agent, amount, skill, protocol } = asked;
  const needed = factsNeeded(policy);
  const spend = [];
  for (const { scope, window } of amount === null ? [] : needed.spend) {
    const { currency } = amount as { currency: string };
    const minor = await sumSpent(tx, countedBy(asked, { scope, window }, now), currency);
    spend.push({ scope, window, currency, minor });
  }
  const count = [];
  for (const { scope, window } of needed.count) {
    const value = await decidedBefore(tx, asked, { scope, window }, now);
    count.push({ scope, window, value });
  }
  const age_days = Math.floor((now - (asked.identity.knownSince ?? now)) / DAY_MS);
  return {
    skill,
    protocol,
    ...(amount === null ? {} : { cart: { total: amount.minor, currency: amount.currency } }),
    agent: { id: agent.agentId, tags: agent.tags, age_days: Math.max(0, age_days) },
    time: { local: localTime(policy.timezone, now) },
    ...(spend.length === 0 ? {} : { spend }),
    ...(count.length === 0 ? {} : { count }),
  };
}
