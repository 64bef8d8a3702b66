import type { KeySource } from "@gatehouse/protocol";
import type { Database, Queries, Transaction } from "../../infra/db/database.js";
import {
  containing,
  countRows,
  deleterOf,
  equals,
  selectValue,
} from "../../infra/db/statements.js";
import { json, jsonOrNull, type ListPage, Table } from "../../infra/db/table.js";
import type { Agent, AgentStatus } from "./agent.js";

/** The identity is empty in rows that a node of the previous version wrote during an upgrade. */
export const identityIn = (row: { readonly identity?: unknown; readonly agent_id?: unknown }) =>
  (row.identity === "" ? row.agent_id : row.identity) as string;

export const agents = new Table<Agent>("agents", {
  agentId: "agent_id",
  identity: { read: identityIn, write: (identity) => ({ identity }) },
  siteKeyHash: "site_key_hash",
  name: "name",
  contact: "contact",
  operatorUrl: "operator_url",
  keySource: jsonOrNull<KeySource>("key_source"),
  source: "source",
  status: "status",
  scopes: jsonOrNull<readonly string[]>("scopes"),
  requestedScopes: json("requested_scopes"),
  tags: json("tags"),
  createdBy: "created_by",
  createdAt: "created_at",
  changedBy: "changed_by",
  changedAt: "changed_at",
  expiresAt: "expires_at",
});

/** `share`: the share of pending registrations that a pending agent uses. */
export function insertAgent(tx: Transaction, agent: Agent, share = ""): Promise<void> {
  return agents.insert(tx, [agent], { share });
}

/** Writes the properties of an agent that its owner can change. */
export async function updateAgent(tx: Transaction, agent: Agent): Promise<void> {
  const columns = ["name", "status", "scopes", "tags", "changed_by", "changed_at", "expires_at"];
  await agents.update(tx, agents.rowOf(agent), columns, "agent_id = ?", agent.agentId);
}

export const agentById = agents.ofSiteBy("agent_id");

/** The identity of an agent for limits; its id if the agent is unknown. */
export async function identityOfAgentId(
  db: Queries,
  siteKeyHash: string,
  agentId: string,
): Promise<string> {
  const from = "agents WHERE agent_id = ? AND site_key_hash = ?";
  return (await selectValue<string>(db, "identity", from, agentId, siteKeyHash)) ?? agentId;
}

/** When the first agent of an identity registered; undefined if none is left. */
export async function identityKnownSince(
  db: Queries,
  siteKeyHash: string,
  identity: string,
): Promise<number | undefined> {
  const from = "agents WHERE site_key_hash = ? AND identity = ?";
  const since = await selectValue<number | null>(
    db,
    "MIN(created_at)",
    from,
    siteKeyHash,
    identity,
  );
  return since ?? undefined;
}

/** An undefined property does not restrict the list. */
export interface AgentFilter {
  readonly status: AgentStatus | undefined;
  /** Text that the name or id contains. */
  readonly search: string | undefined;
}

/** Agents of a site, in order of creation. */
export function listAgents(
  db: Pick<Database, "all" | "dialect">,
  siteKeyHash: string,
  { status, search }: AgentFilter,
  page: ListPage,
): Promise<Agent[]> {
  const where = [
    equals("site_key_hash", siteKeyHash),
    equals("status", status),
    containing(db.dialect, ["name", "agent_id"], search),
  ];
  return agents.page(db, where, { by: ["created_at", "agent_id"], newestFirst: false }, page);
}

/** Pending agents, the oldest first. */
export function pendingAgents(
  db: Queries,
  siteKeyHash: string,
  { unanchoredOnly, limit }: { readonly unanchoredOnly: boolean; readonly limit: number },
): Promise<Agent[]> {
  const unanchored = unanchoredOnly ? " AND key_source IS NULL" : "";
  return agents.all(
    db,
    `WHERE site_key_hash = ? AND status = 'pending'${unanchored}
     ORDER BY created_at, agent_id LIMIT ?`,
    siteKeyHash,
    limit,
  );
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
  const suspended = await agents.all(
    db,
    `WHERE status = 'suspended' AND changed_by = ?
       AND (site_key_hash > ? OR (site_key_hash = ? AND agent_id > ?))
     ORDER BY site_key_hash, agent_id LIMIT ?`,
    by,
    after.site,
    after.site,
    after.agent,
    limit,
  );
  return suspended.filter(({ siteKeyHash }) => siteKeyHash === suspended[0]?.siteKeyHash);
}

/** How many agents of all sites are still suspended by one actor. */
export function countSuspendedBy(db: Queries, by: string): Promise<number> {
  return countRows(db, "agents WHERE status = 'suspended' AND changed_by = ?", by);
}

/** Deletes the agents of a site that is being deleted. */
export const deleteAgents = deleterOf("agent_keys", "agents");
