import {
  type JsonValue,
  type KeySource,
  ok,
  parseUrl,
  type Registration,
  type Result,
  readRegistration,
  refuse,
  verifyTagged,
} from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Agent } from "../../domain/agents/agent.js";
import { insertKey, keyByKid } from "../../domain/agents/keys/store.js";
import { agentById, insertAgent } from "../../domain/agents/store.js";
import { agentActor } from "../../domain/audit/drafts.js";
import { mandateSettings } from "../../domain/mandate-settings/store.js";
import { isRevoked, siteScopedId } from "../../domain/revocations/store.js";
import type { Site } from "../../domain/sites/site.js";
import { webName } from "../../infra/web-name.js";
import { isSignedForNow } from "../mandates/admit.js";
import { readAgentKeyStrictly } from "./add-agent.js";
import { agentChange } from "./change-agent.js";
import { publishesKey } from "./find-published-key.js";
import { makePendingRoom, pendingMs, pendingShare } from "./pending-limits.js";

type RegistrationFault =
  | "schema_invalid"
  | "unsupported_version"
  | "audience_mismatch"
  | "signature_invalid"
  | "identity_check_failed";

type Registered = Result<{ readonly agent: Agent; readonly kid: string }, RegistrationFault>;

export function registrationAudience(baseUrl: string, { siteKey }: Site): string {
  return `${baseUrl}/v1/m/${siteKey}/agents`;
}

/** The checks of a registration that need no database. */
async function check(
  { config, clock, challenges }: Context,
  site: Site,
  registration: Registration,
): Promise<Result<true, RegistrationFault>> {
  const { audience, siteKey, kid, challenge, envelope } = registration;
  const now = clock.now();
  if (audience !== registrationAudience(config.baseUrl, site) || siteKey !== site.siteKey) {
    return refuse("audience_mismatch", "signed for another address");
  }
  const key = await readAgentKeyStrictly(registration.jwk);
  if (!key.ok) return refuse("schema_invalid", key.detail);
  if (key.value.kid !== kid) return refuse("schema_invalid", "`kid` is not the key's thumbprint.");
  if (!challenges.verify({ siteKeyHash: site.siteKeyHash, kid }, challenge, now)) {
    return refuse("schema_invalid", "The challenge is unknown or has expired. Request a new one.");
  }
  if (!isSignedForNow(registration, now)) {
    return refuse(
      "schema_invalid",
      "`issued_at` must be before now, `expires_at` after now, and at most 15 minutes apart.",
    );
  }
  const { signed, jwk } = registration;
  const holds = await verifyTagged("agentRegistration", signed, envelope.signature, jwk);
  return holds ? ok(true) : refuse("signature_invalid", "the signature does not verify");
}

/** The identity of an agent that was approved automatically: all keys of its origin count as one. */
const admittedAs = (source: KeySource | null, agentId: string) =>
  (source === null ? undefined : webName(source.url)?.domain) ?? agentId;

/** Stores a new agent, or finds the agent that already has this key. */
async function admit(
  { audit, clock, ids }: Context,
  site: Site,
  registration: Registration,
  { vouched, network }: { readonly vouched: boolean; readonly network: string },
): Promise<Registered> {
  const { siteKeyHash } = site;
  const { kid, jwk, keySource } = registration;
  const { answer } = await audit.commit<Registered>(siteKeyHash, async (tx) => {
    const unchanged = (answer: Registered) => ({ records: [], answer });
    const existing = await keyByKid(tx, siteKeyHash, kid);
    if (existing !== undefined) {
      const agent = await agentById(tx, siteKeyHash, existing.agentId);
      // A revoked key cannot be registered again.
      if (agent === undefined || existing.status === "revoked") {
        return unchanged(refuse("identity_check_failed", "the key was revoked"));
      }
      return unchanged(ok({ agent, kid }));
    }
    if (await isRevoked(tx, { kind: "agent_key", id: siteScopedId(siteKeyHash, kid) })) {
      return unchanged(refuse("identity_check_failed", "the key was revoked"));
    }
    const { autoAdmit } = await mandateSettings(tx, siteKeyHash);
    const origin = keySource === null ? undefined : parseUrl(keySource.url)?.origin;
    const active = vouched && origin !== undefined && autoAdmit.includes(origin);
    const share = active ? "" : pendingShare(keySource, network);
    if (!active) await makePendingRoom(tx, siteKeyHash, share);
    const now = clock.now();
    const agentId = ids.id("agt");
    const agent: Agent = {
      agentId,
      identity: active ? admittedAs(keySource, agentId) : agentId,
      siteKeyHash,
      name: registration.name,
      contact: registration.contact,
      operatorUrl: registration.operatorUrl,
      keySource,
      source: "self",
      status: active ? "active" : "pending",
      scopes: null,
      tags: [],
      requestedScopes: registration.requestedScopes,
      createdBy: agentId,
      createdAt: now,
      changedBy: null,
      changedAt: null,
      expiresAt: active ? null : now + pendingMs(share),
    };
    const key = { siteKeyHash, kid, agentId, jwk, status: "active", createdAt: now } as const;
    await insertAgent(tx, agent, share);
    await insertKey(tx, { ...key, notAfter: null });
    const actor = agentActor(agentId);
    const admitted = agentChange("agent_admitted", agent, { actor, now, kids: [kid] });
    // A pending agent is not recorded, because anybody can register and would fill the log.
    return { records: active ? [admitted] : [], answer: ok({ agent, kid }) };
  });
  return answer;
}

/**
 * Registers an agent that proves to have a key. Idempotent: one key is one agent. `source` is the network of
 * the caller.
 */
export async function registerAgent(
  context: Context,
  site: Site,
  body: JsonValue,
  source: string,
): Promise<Registered> {
  const read = readRegistration(body);
  if (!read.ok) return read;
  const registration = read.value;
  const checked = await check(context, site, registration);
  if (!checked.ok) return checked;
  const { keySource, kid } = registration;
  // The limit for outbound requests is in memory and uses the exact network. Only its share is stored.
  const vouched = keySource !== null && (await publishesKey(context, keySource, kid, source));
  if (keySource !== null && !vouched) {
    return refuse(
      "identity_check_failed",
      "The key was not found at `key_source`. Publish it there first.",
    );
  }
  const network = context.networkShares.shareOf(source);
  return admit(context, site, registration, { vouched, network });
}
