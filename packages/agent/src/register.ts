import { isAgentId, type JsonObject, type KeySource, signTagged } from "@gatehouse/protocol";
import type { DiscoveredSite } from "./discover.js";
import { AgentError, getJson, type JsonAnswer, postJson, refusalIn } from "./http.js";
import type { AgentKey } from "./key.js";

const LIFE_MS = 5 * 60_000;

/** What an agent says of itself to a site's owner. */
export interface AgentClaims {
  readonly name: string;
  readonly contact?: string | undefined;
  readonly operatorUrl?: string | undefined;
  /** Where the key is published; an owner may admit the agent by it without asking. */
  readonly keySource?: KeySource | undefined;
  readonly scopes?: readonly string[] | undefined;
}

const STATUSES = ["pending", "active", "suspended", "revoked", "rejected"] as const;

/** What became of an agent. */
export type AgentStatus = (typeof STATUSES)[number];

export interface RegisteredAgent {
  readonly agentId: string;
  readonly kid: string;
  readonly status: AgentStatus;
}

type Site = Pick<DiscoveredSite, "mandateUrl" | "siteKey">;

/** `…/v1/m/{site_key}/agents`, beside the address mandates go to. */
function agentsUrl({ mandateUrl }: Site): string {
  return mandateUrl.replace(/\/mandate$/, "/agents");
}

function refusal(what: string, { status, body }: JsonAnswer): AgentError {
  const message = typeof body.message === "string" ? body.message : "";
  const words = `${what} was refused (${status} ${String(body.reason)}): ${message}`;
  return new AgentError(words, refusalIn(body));
}

const textOf = ({ body }: JsonAnswer, name: string) => String(body[name] ?? "");

/** Words of a stranger, that others print and keep: only those that a site can mean are taken. */
function statusIn(answer: JsonAnswer): AgentStatus {
  const status = STATUSES.find((one) => one === answer.body.status);
  if (status !== undefined) return status;
  throw new AgentError("the site answered with an unknown agent status");
}

function agentIdIn(answer: JsonAnswer, { kid }: AgentKey): string {
  const agentId = textOf(answer, "agent_id");
  if (!isAgentId(agentId)) throw new AgentError("the site answered with an invalid agent id");
  if (answer.body.kid === kid) return agentId;
  throw new AgentError("the site answered for a different key than the registered one");
}

/** What is signed to register: the key answers the site's challenge. */
function registrationOf(
  site: Site,
  key: AgentKey,
  claims: AgentClaims,
  { challenge, audience, now }: { challenge: string; audience: string; now: number },
): JsonObject {
  const { name, contact, operatorUrl, keySource, scopes } = claims;
  return {
    v: 1,
    type: "agent_registration",
    audience,
    site_key: site.siteKey,
    challenge,
    kid: key.kid,
    jwk: { ...key.jwk },
    display_name: name,
    ...(contact === undefined ? {} : { contact }),
    ...(operatorUrl === undefined ? {} : { operator_url: operatorUrl }),
    ...(keySource === undefined ? {} : { key_source: { ...keySource } }),
    ...(scopes === undefined ? {} : { requested_scopes: scopes }),
    issued_at: new Date(now).toISOString(),
    expires_at: new Date(now + LIFE_MS).toISOString(),
  };
}

/** Makes a key known to a site. Safe to repeat: one key is one agent. */
export async function register(
  site: Site,
  key: AgentKey,
  claims: AgentClaims,
): Promise<RegisteredAgent> {
  const url = agentsUrl(site);
  const challenge = await postJson(`${url}/challenge`, { jwk: key.jwk });
  if (challenge.status !== 200) throw refusal("the challenge", challenge);
  const answer = {
    challenge: textOf(challenge, "challenge"),
    audience: textOf(challenge, "audience"),
  };
  const signed = registrationOf(site, key, claims, { ...answer, now: Date.now() });
  const signature = await signTagged("agentRegistration", signed, key.signer);
  const envelope = { alg: "EdDSA", kid: key.kid, signature };
  const registered = await postJson(url, { signed, envelope });
  if (registered.status !== 201 && registered.status !== 202) {
    throw refusal("the registration", registered);
  }
  const agentId = agentIdIn(registered, key);
  return { agentId, kid: key.kid, status: statusIn(registered) };
}

/** Asks what became of an agent. */
export async function agentStatus(site: Site, agentId: string): Promise<AgentStatus> {
  const url = `${agentsUrl(site)}/${encodeURIComponent(agentId)}`;
  const answer = await getJson(url);
  if (answer.status !== 200) throw refusal("the question", answer);
  return statusIn(answer);
}
