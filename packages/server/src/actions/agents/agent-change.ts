import type { Agent } from "../../domain/agents/agent.js";
import { type Actor, actorDraft, type RecordDraft } from "../../domain/audit/drafts.js";

/** What was done to an agent, in one word for records, docs and the console. */
export type AgentChangeKind =
  | ("agent_added" | "agent_admitted" | "agent_approved" | "agent_rejected" | "agent_suspended")
  | ("agent_revoked" | "agent_changed" | "agent_key_added" | "agent_key_revoked");

/** Records a change of an agent: who did what, and which keys it is about. Names stay out of logs. */
export function agentChange(
  kind: AgentChangeKind,
  { agentId, status, scopes, tags }: Agent,
  { actor, now, kids }: { actor: Actor; now: number; kids?: readonly string[] },
): RecordDraft {
  const change = {
    kind,
    agent_id: agentId,
    status,
    ...(scopes === null ? {} : { scopes }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(kids === undefined ? {} : { kids }),
  };
  return actorDraft("site.changed", actor, now, { change });
}
