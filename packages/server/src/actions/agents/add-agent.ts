import {
  checkEd25519PublicKey,
  type Ed25519Jwk,
  ed25519Bytes,
  glanceAtEd25519PublicKey,
  jwkThumbprint,
  ok,
  type Result,
  readPublicJwk,
  refuse,
} from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Agent, RegisteredKey } from "../../domain/agents/agent.js";
import { insertKey, keyByKid } from "../../domain/agents/keys/store.js";
import { insertAgent } from "../../domain/agents/store.js";
import type { Actor } from "../../domain/audit/drafts.js";
import type { Transaction } from "../../infra/db/database.js";
import { agentChange } from "./change-agent.js";

export interface NewAgent {
  readonly name: string;
  /** Not checked yet. */
  readonly jwk: unknown;
  readonly scopes: readonly string[] | null;
  readonly tags: readonly string[];
}

interface AgentKey {
  readonly jwk: Ed25519Jwk;
  readonly kid: string;
}

/** Reads a public key and returns it with its id. It must be checked strictly before it is trusted. */
export function readAgentKey(value: unknown): Promise<Result<AgentKey, "invalid_request">> {
  return readKey(value, glanceAtEd25519PublicKey);
}

/** Reads a public key that is about to be registered: a canonical point of prime order. */
export function readAgentKeyStrictly(value: unknown): Promise<Result<AgentKey, "invalid_request">> {
  return readKey(value, checkEd25519PublicKey);
}

async function readKey(
  value: unknown,
  check: typeof checkEd25519PublicKey,
): Promise<Result<AgentKey, "invalid_request">> {
  const jwk = readPublicJwk(value);
  if (!jwk.ok) return refuse("invalid_request", `jwk: ${jwk.detail}.`);
  if (jwk.value.kty !== "OKP") return refuse("invalid_request", "jwk: must be an Ed25519 key.");
  const good = check(ed25519Bytes(jwk.value));
  if (!good.ok) return refuse("invalid_request", `jwk: ${good.detail}.`);
  return ok({ jwk: jwk.value, kid: await jwkThumbprint(jwk.value) });
}

/** Adds an agent that the owner knows, with what it `needs`. It is active at once. */
export async function addAgent(
  { audit, clock, ids }: Context,
  siteKeyHash: string,
  newAgent: NewAgent,
  actor: Actor,
  needs?: (tx: Transaction, agent: Agent) => Promise<void>,
): Promise<Result<{ agent: Agent; key: RegisteredKey }, "invalid_request" | "conflict">> {
  const read = await readAgentKeyStrictly(newAgent.jwk);
  if (!read.ok) return read;
  const { jwk, kid } = read.value;
  type Answer = Result<{ agent: Agent; key: RegisteredKey }, "conflict">;
  const { answer } = await audit.commit<Answer>(siteKeyHash, async (tx) => {
    if ((await keyByKid(tx, siteKeyHash, kid)) !== undefined) {
      const refusal = refuse("conflict", "Another agent of this site already uses this key.");
      return { records: [], answer: refusal };
    }
    const now = clock.now();
    const agentId = ids.id("agt");
    const agent: Agent = {
      agentId,
      identity: agentId,
      siteKeyHash,
      name: newAgent.name,
      contact: null,
      operatorUrl: null,
      keySource: null,
      source: "admin",
      status: "active",
      scopes: newAgent.scopes,
      requestedScopes: [],
      tags: newAgent.tags,
      createdBy: actor.id,
      createdAt: now,
      changedBy: null,
      changedAt: null,
      expiresAt: null,
    };
    const key: RegisteredKey = {
      siteKeyHash,
      kid,
      agentId,
      jwk,
      status: "active",
      createdAt: now,
      notAfter: null,
    };
    await insertAgent(tx, agent);
    await insertKey(tx, key);
    await needs?.(tx, agent);
    const records = [agentChange("agent_added", agent, { actor, now, kids: [kid] })];
    return { records, answer: ok({ agent, key }) };
  });
  return answer;
}
