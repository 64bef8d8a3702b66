import type { ExpectedRead, Queries } from "../../../infra/db/database.js";
import type { Agent, RegisteredKey } from "../agent.js";
import { agentKeys } from "../keys/store.js";
import { agents, identityIn } from "../store.js";

/** A key, and the identity of its agent for limits. */
export interface SigningKey {
  readonly key: RegisteredKey;
  readonly identity: string;
  readonly active: boolean;
}

export async function signingKey(
  db: Queries,
  siteKeyHash: string,
  kid: string,
): Promise<SigningKey | undefined> {
  const row = await db.get<{ agent_id: string; identity: string; agent_status: string }>(
    `SELECT agent_keys.*, agents.identity, agents.status AS agent_status
     FROM agent_keys JOIN agents ON agents.agent_id = agent_keys.agent_id
     WHERE agent_keys.site_key_hash = ? AND kid = ?`,
    siteKeyHash,
    kid,
  );
  return (
    row && {
      key: agentKeys.read(row),
      identity: identityIn(row),
      active: row.agent_status === "active",
    }
  );
}

/** The data about an agent that a decision needs. */
export interface RequestingAgent {
  readonly agent: Agent;
  /** The key it signed with; undefined if it was deleted. */
  readonly key: RegisteredKey | undefined;
  /** Until when it is locked; 0 if it was never locked. */
  readonly lockedUntil: number;
}

interface AgentNames {
  readonly agentId: string;
  readonly kid: string;
  readonly identity: string;
}

/** The rows that {@link requestingAgent} finds. */
export function readsOfAgent(
  siteKeyHash: string,
  { agentId, kid, identity }: AgentNames,
): readonly ExpectedRead[] {
  return [
    { kind: "find", table: "agents", key: { agent_id: agentId } },
    { kind: "find", table: "agent_keys", key: { site_key_hash: siteKeyHash, kid } },
    { kind: "find", table: "agent_locks", key: { site_key_hash: siteKeyHash, agent_id: identity } },
  ];
}

/** Reads an agent, its key and its lock: once for all mandates that it sends at the same time. */
export async function requestingAgent(
  tx: Queries,
  siteKeyHash: string,
  { agentId, kid }: { readonly agentId: string; readonly kid: string },
): Promise<RequestingAgent | undefined> {
  const agent = await agents.find(tx, { agent_id: agentId });
  if (agent?.siteKeyHash !== siteKeyHash) return undefined;
  const key = await agentKeys.find(tx, { site_key_hash: siteKeyHash, kid });
  const of = { site_key_hash: siteKeyHash, agent_id: agent.identity };
  const lock = await tx.find<{ locked_until: number }>("agent_locks", of);
  return { agent, key, lockedUntil: lock?.locked_until ?? 0 };
}
