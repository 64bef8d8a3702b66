import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Agent, AgentStatus } from "../../domain/agents/agent.js";
import { endKey, keysOf } from "../../domain/agents/keys/store.js";
import { agentById, updateAgent } from "../../domain/agents/store.js";
import { type Actor, actorDraft, type RecordDraft } from "../../domain/audit/drafts.js";
import {
  insertRevocations,
  type Revocation,
  siteScopedId,
} from "../../domain/revocations/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { DAY_MS } from "../../infra/time.js";

/** The kinds of change in records, docs and the console. */
type AgentChangeKind =
  | ("agent_added" | "agent_admitted" | "agent_approved" | "agent_rejected" | "agent_suspended")
  | ("agent_revoked" | "agent_changed" | "agent_key_added" | "agent_key_revoked");

/** The record of a change of an agent: the actor, the kind and the keys. Names stay out of logs. */
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

/** The steps of an owner: the states a step starts from, and the state it leads to. */
const STEPS = {
  approve: { from: ["pending", "suspended", "rejected"], to: "active", kind: "agent_approved" },
  reject: { from: ["pending"], to: "rejected", kind: "agent_rejected" },
  suspend: { from: ["active", "pending"], to: "suspended", kind: "agent_suspended" },
  revoke: {
    from: ["pending", "active", "suspended", "rejected"],
    to: "revoked",
    kind: "agent_revoked",
  },
} as const satisfies Readonly<
  Record<string, { from: readonly AgentStatus[]; to: AgentStatus; kind: AgentChangeKind }>
>;

/** How long a rejected agent is kept; it cannot register again during that time. */
export const REJECTED_KEPT_MS = 90 * DAY_MS;

export type AgentStep = keyof typeof STEPS;

export const AGENT_STEPS = Object.keys(STEPS) as readonly AgentStep[];

/**
 * Approves, rejects, suspends or revokes an agent. It applies to the very next decision on every node,
 * because decisions read the agent inside their transaction. Nothing brings back a revoked agent or its keys.
 */
export async function stepAgent(
  { audit, clock, revocations }: Context,
  siteKeyHash: string,
  agentId: string,
  { step, scopes }: { readonly step: AgentStep; readonly scopes?: readonly string[] | undefined },
  actor: Actor,
): Promise<Result<Agent, "not_found" | "conflict">> {
  const { answer } = await audit.commit(siteKeyHash, async (tx) => {
    const refused = (answer: Result<Agent, "not_found" | "conflict">) => ({ records: [], answer });
    const agent = await agentById(tx, siteKeyHash, agentId);
    if (agent === undefined) return refused(refuse("not_found", "The site has no such agent."));
    const { from, to, kind } = STEPS[step];
    if (agent.status === to) {
      // An answer as if it had happened would tell the owner that the new scopes apply.
      if (scopes === undefined) return refused(ok(agent));
      const why = `The agent is already ${to}. To change its scopes, use gatehouse agent change.`;
      return refused(refuse("conflict", why));
    }
    if (!(from as readonly AgentStatus[]).includes(agent.status)) {
      const why = `The agent is ${agent.status}, so this change is not possible.`;
      return refused(refuse("conflict", why));
    }
    const now = clock.now();
    const changed: Agent = {
      ...agent,
      status: to,
      scopes: scopes ?? agent.scopes,
      changedBy: actor.id,
      changedAt: now,
      expiresAt: to === "rejected" ? now + REJECTED_KEPT_MS : null,
    };
    await updateAgent(tx, changed);
    const keys = await keysOf(tx, agentId);
    const kids = keys.map(({ kid }) => kid);
    if (to === "revoked") await revokeKeys(tx, changed, kids, now);
    return { records: [agentChange(kind, changed, { actor, now, kids })], answer: ok(changed) };
  });
  if (step === "revoke") await revocations.write();
  return answer;
}

/** Revokes the keys of a revoked agent, and adds both to the list of revocations. */
async function revokeKeys(
  tx: Transaction,
  { siteKeyHash, agentId }: Agent,
  kids: readonly string[],
  now: number,
): Promise<void> {
  for (const kid of kids) await endKey(tx, siteKeyHash, kid, "revoked");
  const keys = kids.map((kid): Revocation => {
    return { kind: "agent_key", id: siteScopedId(siteKeyHash, kid), revokedAt: now };
  });
  await insertRevocations(tx, [{ kind: "agent", id: agentId, revokedAt: now }, ...keys]);
}

export interface AgentChanges {
  readonly name?: string | undefined;
  readonly scopes?: readonly string[] | null | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** Changes the owner's name, scopes and tags of an agent. */
export async function changeAgent(
  { audit, clock }: Context,
  siteKeyHash: string,
  agentId: string,
  changes: AgentChanges,
  actor: Actor,
): Promise<Result<Agent, "not_found">> {
  const { answer } = await audit.commit<Result<Agent, "not_found">>(siteKeyHash, async (tx) => {
    const agent = await agentById(tx, siteKeyHash, agentId);
    if (agent === undefined) {
      return { records: [], answer: refuse("not_found", "The site has no such agent.") };
    }
    const now = clock.now();
    const changed: Agent = {
      ...agent,
      name: changes.name ?? agent.name,
      scopes: changes.scopes === undefined ? agent.scopes : changes.scopes,
      tags: changes.tags ?? agent.tags,
      changedBy: actor.id,
      changedAt: now,
    };
    await updateAgent(tx, changed);
    return {
      records: [agentChange("agent_changed", changed, { actor, now })],
      answer: ok(changed),
    };
  });
  return answer;
}
