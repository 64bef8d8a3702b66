import {
  type JsonValue,
  ok,
  type Result,
  type Rotation,
  readRotation,
  refuse,
  verifyTagged,
} from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { RegisteredKey } from "../../domain/agents/agent.js";
import { endKey, insertKey, keyByKid, keysOf } from "../../domain/agents/keys/store.js";
import { agentById } from "../../domain/agents/store.js";
import { agentActor } from "../../domain/audit/drafts.js";
import type { Site } from "../../domain/sites/site.js";
import { isSignedForNow } from "../mandates/admit.js";
import { keyFault } from "../mandates/agent-standing.js";
import { readAgentKeyStrictly } from "./add-agent.js";
import { agentChange } from "./change-agent.js";

/** Keys that one agent may use at the same time. */
const LIVE_KEYS_MAX = 5;

type Fault =
  | ("schema_invalid" | "unsupported_version" | "audience_mismatch")
  | ("signature_invalid" | "identity_check_failed" | "rate_limited");

/** The new key, and the time until which the old one is valid. */
interface Rotated {
  readonly kid: string;
  readonly oldUntil: number | null;
}

function rotationAudience(baseUrl: string, { siteKey }: Site, agentId: string): string {
  return `${baseUrl}/v1/m/${siteKey}/agents/${agentId}/keys`;
}

/** The checks of a rotation that need no database. */
async function check(
  { config, clock }: Context,
  site: Site,
  agentId: string,
  rotation: Rotation,
): Promise<Result<string, Fault>> {
  const { audience, siteKey, by } = rotation;
  const here = audience === rotationAudience(config.baseUrl, site, agentId);
  if (!here || siteKey !== site.siteKey || rotation.agentId !== agentId) {
    return refuse("audience_mismatch", "signed for another address");
  }
  if (!isSignedForNow(rotation, clock.now())) {
    return refuse("schema_invalid", "not signed for now");
  }
  const key = await readAgentKeyStrictly(rotation.jwk);
  if (!key.ok || key.value.kid !== by.new.kid || by.new.kid === by.old.kid) {
    return refuse("schema_invalid", "the new key is none, or not the one that signed");
  }
  return ok(key.value.kid);
}

/** Replaces the key of an agent. Both keys must sign, and both are valid for a while. */
export async function rotateAgentKey(
  context: Context,
  site: Site,
  agentId: string,
  body: JsonValue,
): Promise<Result<Rotated, Fault>> {
  const { audit, clock } = context;
  const { siteKeyHash } = site;
  const read = readRotation(body);
  if (!read.ok) return read;
  const rotation = read.value;
  const checked = await check(context, site, agentId, rotation);
  if (!checked.ok) return checked;
  const kid = checked.value;
  const { by, signed, jwk, overlapS } = rotation;
  const old = await keyByKid(context.db, siteKeyHash, by.old.kid);
  if (old === undefined || keyFault(old, agentId, clock.now()) !== undefined) {
    return refuse("identity_check_failed", "the old key is not the agent's");
  }
  const valid = await Promise.all([
    verifyTagged("keyRotation", signed, by.old.signature, old.jwk),
    verifyTagged("keyRotation", signed, by.new.signature, jwk),
  ]);
  if (valid.includes(false)) return refuse("signature_invalid", "a signature does not verify");
  const { answer } = await audit.commit<Result<Rotated, Fault>>(siteKeyHash, async (tx) => {
    const refused = (fault: Fault) => ({ records: [], answer: refuse(fault, "refused") });
    const now = clock.now();
    const agent = await agentById(tx, siteKeyHash, agentId);
    const current = await keyByKid(tx, siteKeyHash, by.old.kid);
    if (agent === undefined || agent.status === "revoked") return refused("identity_check_failed");
    if (current === undefined || keyFault(current, agentId, now) !== undefined) {
      return refused("identity_check_failed");
    }
    const existing = await keyByKid(tx, siteKeyHash, kid);
    // A repeated request changes nothing.
    if (existing?.agentId === agentId && existing.status === "active") {
      return { records: [], answer: ok({ kid, oldUntil: current.notAfter }) };
    }
    if (existing !== undefined) return refused("identity_check_failed");
    const live = (await keysOf(tx, agentId)).filter(
      (key) => keyFault(key, agentId, now) === undefined,
    );
    if (live.length >= LIVE_KEYS_MAX) return refused("rate_limited");
    const oldUntil = now + overlapS * 1000;
    const key: RegisteredKey = {
      siteKeyHash,
      kid,
      agentId,
      jwk,
      status: "active",
      createdAt: now,
      notAfter: null,
    };
    await insertKey(tx, key);
    await endKey(tx, siteKeyHash, by.old.kid, { notAfter: oldUntil });
    const change = { actor: agentActor(agentId), now, kids: [by.old.kid, kid] };
    return {
      records: [agentChange("agent_key_added", agent, change)],
      answer: ok({ kid, oldUntil }),
    };
  });
  return answer;
}
