import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Agent, RegisteredKey } from "../../domain/agents/agent.js";
import { keysOf } from "../../domain/agents/keys/store.js";
import {
  type AgentFilter,
  agentById,
  listAgents as selectAgents,
} from "../../domain/agents/store.js";
import { type Page, type PageRequest, readPage } from "../page.js";

/** A page of a site's agents, in order of creation. */
export function listAgents(
  { db }: Context,
  siteKeyHash: string,
  filter: AgentFilter,
  request: PageRequest,
): Promise<Result<Page<Agent>, "invalid_request">> {
  return readPage(
    request,
    (page) => selectAgents(db, siteKeyHash, filter, page),
    ({ createdAt, agentId }) => ({ createdAt, id: agentId }),
  );
}

interface AgentWithKeys {
  readonly agent: Agent;
  readonly keys: readonly RegisteredKey[];
}

export async function showAgent(
  { db }: Context,
  siteKeyHash: string,
  agentId: string,
): Promise<Result<AgentWithKeys, "not_found">> {
  const agent = await agentById(db, siteKeyHash, agentId);
  if (agent === undefined) return refuse("not_found", "The site has no such agent.");
  return ok({ agent, keys: await keysOf(db, agentId) });
}
