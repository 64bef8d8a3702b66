import {
  type CounterName,
  factsNeeded,
  type Policy,
  type PolicyFacts,
  policyDurationMs,
} from "@gatehouse/protocol";
import type { Agent } from "../owners/agents/agent.js";
import { countDecisions } from "../owners/decisions/store.js";
import { localTime } from "../platform/clock.js";
import type { Queries } from "../platform/db/database.js";

const DAY_MS = 86_400_000;

/** What somebody asks a site for, as far as rules go. */
export interface Asked {
  readonly siteKeyHash: string;
  readonly agent: Agent;
  readonly skill: string;
  readonly protocol: string;
  readonly amount: { readonly minor: number; readonly currency: string } | null;
}

/** Reads one counter: in the decision's own transaction, so that two cannot both take the last of it. */
async function counted(tx: Queries, { siteKeyHash, agent }: Asked, name: CounterName, now: number) {
  const windowMs = policyDurationMs(name.window) as number;
  const actorId = name.scope === "agent" ? agent.agentId : null;
  return countDecisions(tx, { siteKeyHash, actorId, since: now - windowMs });
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
    const { spent } = await counted(tx, asked, { scope, window }, now);
    const { currency } = amount as { currency: string };
    spend.push({ scope, window, currency, minor: spent.get(currency) ?? 0 });
  }
  const count = [];
  for (const { scope, window } of needed.count) {
    const { decisions } = await counted(tx, asked, { scope, window }, now);
    count.push({ scope, window, value: decisions });
  }
  const age_days = Math.floor((now - agent.createdAt) / DAY_MS);
  return {
    ...{ skill, protocol },
    ...(amount === null ? {} : { cart: { total: amount.minor, currency: amount.currency } }),
    agent: { id: agent.agentId, tags: agent.tags, age_days: Math.max(0, age_days) },
    time: { local: localTime(policy.timezone, now) },
    ...(spend.length === 0 ? {} : { spend }),
    ...(count.length === 0 ? {} : { count }),
  };
}
