import type { Context } from "../../context.js";
import type { Agent } from "../../domain/agents/agent.js";
import { keysOf } from "../../domain/agents/keys/store.js";
import { pendingAgents, updateAgent } from "../../domain/agents/store.js";
import type { Actor } from "../../domain/audit/drafts.js";
import { agentChange, REJECTED_KEPT_MS } from "./change-agent.js";

/** Agents rejected by one call; for more, call again. */
const REJECTED_MAX = 200;

/**
 * Rejects pending agents, the oldest first: all, or those whose key no domain publishes. Each is recorded,
 * in one transaction. Returns the number of rejected agents.
 */
export async function rejectPending(
  { audit, clock }: Context,
  siteKeyHash: string,
  { unanchoredOnly }: { readonly unanchoredOnly: boolean },
  actor: Actor,
): Promise<number> {
  const { answer } = await audit.commit(siteKeyHash, async (tx) => {
    const now = clock.now();
    const waiting = await pendingAgents(tx, siteKeyHash, { unanchoredOnly, limit: REJECTED_MAX });
    const records = [];
    for (const agent of waiting) {
      const rejected: Agent = {
        ...agent,
        status: "rejected",
        changedBy: actor.id,
        changedAt: now,
        expiresAt: now + REJECTED_KEPT_MS,
      };
      await updateAgent(tx, rejected);
      const kids = (await keysOf(tx, agent.agentId)).map(({ kid }) => kid);
      records.push(agentChange("agent_rejected", rejected, { actor, now, kids }));
    }
    return { records, answer: waiting.length };
  });
  return answer;
}
