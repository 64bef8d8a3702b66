import type { KeySource } from "@gatehouse/protocol";
import { containing } from "../../infra/db/containing.js";
import type { Database, Queries, Transaction } from "../../infra/db/database.js";
import type { Agent, AgentStatus } from "./agent.js";

export interface AgentRow {
  agent_id: string;
  identity: string;
  site_key_hash: string;
  name: string;
  contact: string | null;
  operator_url: string | null;
  key_source: string | null;
  source: "admin" | "self";
  status: AgentStatus;
  scopes: string | null;
  requested_scopes: string;
  tags: string;
  created_by: string;
  created_at: number;
  changed_by: string | null;
  changed_at: number | null;
  expires_at: number | null;
}

const listOf = (text: string) => Object.freeze(JSON.parse(text) as string[]);

export function agentOf(row: AgentRow): Agent {
  return Object.freeze({
    agentId: row.agent_id,
    // Empty in rows that a node of the previous version wrote during an upgrade.
    identity: row.identity === "" ? row.agent_id : row.identity,
    siteKeyHash: row.site_key_hash,
    name: row.name,
    contact: row.contact,
    operatorUrl: row.operator_url,
    keySource: row.key_source === null ? null : (JSON.parse(row.key_source) as KeySource),
    source: row.source,
    status: row.status,
    scopes: row.scopes === null ? null : listOf(row.scopes),
    requestedScopes: listOf(row.requested_scopes),
    tags: listOf(row.tags),
    createdBy: row.created_by,
    createdAt: row.created_at,
    changedBy: row.changed_by,
    changedAt: row.changed_at,
    expiresAt: row.expires_at,
  });
}

/** `share`: the share of pending registrations that a pending agent uses. */
export async function insertAgent(tx: Transaction, agent: Agent, share = ""): Promise<void> {
  await tx.insert("agents", [
    {
      agent_id: agent.agentId,
      identity: agent.identity,
      site_key_hash: agent.siteKeyHash,
      name: agent.name,
      contact: agent.contact,
      operator_url: agent.operatorUrl,
      key_source: agent.keySource === null ? null : JSON.stringify(agent.keySource),
      source: agent.source,
      status: agent.status,
      scopes: agent.scopes === null ? null : JSON.stringify(agent.scopes),
      requested_scopes: JSON.stringify(agent.requestedScopes),
      tags: JSON.stringify(agent.tags),
      created_by: agent.createdBy,
      created_at: agent.createdAt,
      changed_by: agent.changedBy,
      changed_at: agent.changedAt,
      expires_at: agent.expiresAt,
      share,
    },
  ]);
}

/** Writes the properties of an agent that its owner can change. */
export async function updateAgent(tx: Transaction, agent: Agent): Promise<void> {
  await tx.run(
    `UPDATE agents SET name = ?, status = ?, scopes = ?, tags = ?, changed_by = ?, changed_at = ?,
       expires_at = ? WHERE agent_id = ?`,
    agent.name,
    agent.status,
    agent.scopes === null ? null : JSON.stringify(agent.scopes),
    JSON.stringify(agent.tags),
    agent.changedBy,
    agent.changedAt,
    agent.expiresAt,
    agent.agentId,
  );
}

export async function agentById(
  db: Queries,
  siteKeyHash: string,
  agentId: string,
): Promise<Agent | undefined> {
  const sql = "SELECT * FROM agents WHERE agent_id = ? AND site_key_hash = ?";
  const row = await db.get<AgentRow>(sql, agentId, siteKeyHash);
  return row && agentOf(row);
}

/** The identity of an agent for limits; its id if the agent is unknown. */
export async function identityOfAgentId(
  db: Queries,
  siteKeyHash: string,
  agentId: string,
): Promise<string> {
  const sql = "SELECT identity FROM agents WHERE agent_id = ? AND site_key_hash = ?";
  return (await db.get<{ identity: string }>(sql, agentId, siteKeyHash))?.identity ?? agentId;
}

/** When the first agent of an identity registered; undefined if none is left. */
export async function identityKnownSince(
  db: Queries,
  siteKeyHash: string,
  identity: string,
): Promise<number | undefined> {
  const row = await db.get<{ since: number | null }>(
    "SELECT MIN(created_at) AS since FROM agents WHERE site_key_hash = ? AND identity = ?",
    siteKeyHash,
    identity,
  );
  return row?.since ?? undefined;
}

/** An undefined property does not restrict the list. */
export interface AgentFilter {
  readonly status: AgentStatus | undefined;
  /** Text that the name or id contains. */
  readonly search: string | undefined;
}

/** Agents of a site, in order of creation. */
export async function listAgents(
  db: Pick<Database, "all" | "dialect">,
  siteKeyHash: string,
  { status, search }: AgentFilter,
  page: {
    readonly after: { readonly createdAt: number; readonly id: string } | null;
    readonly limit: number;
  },
): Promise<Agent[]> {
  const { createdAt, id } = page.after ?? { createdAt: -1, id: "" };
  const match = containing(db.dialect, ["name", "agent_id"], search);
  const rows = await db.all<AgentRow>(
    `SELECT * FROM agents WHERE site_key_hash = ? AND (created_at, agent_id) > (?, ?)
       AND (CAST(? AS TEXT) IS NULL OR status = ?)${match.sql}
     ORDER BY created_at, agent_id LIMIT ?`,
    siteKeyHash,
    createdAt,
    id,
    status ?? null,
    status ?? null,
    ...match.values,
    page.limit,
  );
  return rows.map(agentOf);
}

/** Pending agents, the oldest first. */
export async function pendingAgents(
  db: Queries,
  siteKeyHash: string,
  { unanchoredOnly, limit }: { readonly unanchoredOnly: boolean; readonly limit: number },
): Promise<Agent[]> {
  const unanchored = unanchoredOnly ? " AND key_source IS NULL" : "";
  const rows = await db.all<AgentRow>(
    `SELECT * FROM agents WHERE site_key_hash = ? AND status = 'pending'${unanchored}
     ORDER BY created_at, agent_id LIMIT ?`,
    siteKeyHash,
    limit,
  );
  return rows.map(agentOf);
}

/** Revokes an agent and its keys. This cannot be undone. */
export async function revokeAgent(
  tx: Transaction,
  agentId: string,
  { by, at }: { readonly by: string; readonly at: number },
): Promise<void> {
  await tx.run(
    `UPDATE agents SET status = 'revoked', changed_by = ?, changed_at = ?, expires_at = NULL
     WHERE agent_id = ? AND status <> 'revoked'`,
    by,
    at,
    agentId,
  );
  await tx.run("UPDATE agent_keys SET status = 'revoked' WHERE agent_id = ?", agentId);
}

/** Suspends the active agents of all sites; returns how many there were. */
export function suspendActiveAgents(db: Queries, by: string, now: number): Promise<number> {
  return db.run(
    "UPDATE agents SET status = 'suspended', changed_by = ?, changed_at = ? WHERE status = 'active'",
    by,
    now,
  );
}

/** The next agents that one actor suspended, ordered by site and id. All of them belong to one site. */
export async function nextSuspendedBy(
  db: Queries,
  by: string,
  after: { readonly site: string; readonly agent: string },
  limit: number,
): Promise<Agent[]> {
  const rows = await db.all<AgentRow>(
    `SELECT * FROM agents WHERE status = 'suspended' AND changed_by = ?
       AND (site_key_hash > ? OR (site_key_hash = ? AND agent_id > ?))
     ORDER BY site_key_hash, agent_id LIMIT ?`,
    by,
    after.site,
    after.site,
    after.agent,
    limit,
  );
  const site = rows[0]?.site_key_hash;
  return rows.filter(({ site_key_hash }) => site_key_hash === site).map(agentOf);
}

/** How many agents of all sites are still suspended by one actor. */
export async function countSuspendedBy(db: Queries, by: string): Promise<number> {
  const sql =
    "SELECT COUNT(*) AS suspended FROM agents WHERE status = 'suspended' AND changed_by = ?";
  return Number((await db.get<{ suspended: number }>(sql, by))?.suspended ?? 0);
}

/** Deletes the agents of a site that is being deleted. */
export async function deleteAgents(tx: Transaction, siteKeyHash: string): Promise<void> {
  await tx.run("DELETE FROM agent_keys WHERE site_key_hash = ?", siteKeyHash);
  await tx.run("DELETE FROM agents WHERE site_key_hash = ?", siteKeyHash);
}
