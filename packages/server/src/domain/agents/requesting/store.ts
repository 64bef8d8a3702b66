import type { Queries } from "../../../infra/db/database.js";
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

/** Reads an agent, its key and its lock in one statement, because every mandate needs all three. */
export async function requestingAgent(
  tx: Queries,
  siteKeyHash: string,
  { agentId, kid }: { readonly agentId: string; readonly kid: string },
): Promise<RequestingAgent | undefined> {
  interface Joined {
    key_agent_id: string | null;
    key_status: RegisteredKey["status"];
    key_created_at: number;
    locked_until: number | null;
  }
  const row = await tx.get<Joined>(
    `SELECT agents.*, agent_keys.agent_id AS key_agent_id, agent_keys.x, agent_keys.not_after,
       agent_keys.status AS key_status, agent_keys.created_at AS key_created_at, locked_until
     FROM agents
     LEFT JOIN agent_keys ON agent_keys.site_key_hash = agents.site_key_hash AND kid = ?
     LEFT JOIN agent_locks ON agent_locks.site_key_hash = agents.site_key_hash
       AND agent_locks.agent_id = agents.identity
     WHERE agents.agent_id = ? AND agents.site_key_hash = ?`,
    kid,
    agentId,
    siteKeyHash,
  );
  if (row === undefined) return undefined;
  const { key_agent_id: agent_id, key_status: status, key_created_at: created_at } = row;
  const key =
    agent_id === null ? undefined : agentKeys.read({ ...row, kid, agent_id, status, created_at });
  return { agent: agents.read(row), key, lockedUntil: row.locked_until ?? 0 };
}
