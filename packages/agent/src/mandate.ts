import { type JsonObject, signMandate, signTagged } from "@gatehouse/protocol";
import type { DiscoveredSite } from "./discover.js";
import { getJson, type JsonAnswer, postJson, postText } from "./http.js";
import type { AgentKey } from "./key.js";

const LIFE_S = 5 * 60;
const ID_BYTES = 18;
const WAIT_S_MAX = 20;

type Site = Pick<DiscoveredSite, "mandateUrl" | "siteKey">;

/** What an agent asks a site to let it do. */
export interface MandateRequest {
  readonly skill: string;
  readonly arguments?: JsonObject | undefined;
  /** Which protocol it comes by; `a2a` unless said. */
  readonly protocol?: "a2a" | "ap2" | "mcp" | undefined;
  /** What is to pay, as a decimal text and an ISO 4217 code. */
  readonly cart?: { readonly total: string; readonly currency: string } | undefined;
  /** How it is paid, for skills that move money: the processor's name and a token of its own. */
  readonly payment?: { readonly handler: string; readonly token: string } | undefined;
  readonly lifetimeS?: number | undefined;
  /** Chance unless said. The same one again is the same request. */
  readonly mandateId?: string | undefined;
}

function newMandateId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What is signed: what is asked, by whom, of whom, and for how long. */
export function mandateFor(
  site: Site,
  agentId: string,
  request: MandateRequest,
  now = Date.now(),
): JsonObject {
  const { skill, protocol = "a2a", cart, lifetimeS = LIFE_S, mandateId = newMandateId() } = request;
  const money = cart === undefined ? {} : { cart_total: cart.total, cart_currency: cart.currency };
  return {
    v: 1,
    mandate_id: mandateId,
    agent_id: agentId,
    site_key: site.siteKey,
    audience: site.mandateUrl,
    issued_at: new Date(now).toISOString(),
    expires_at: new Date(now + lifetimeS * 1000).toISOString(),
    skill,
    ...(request.arguments === undefined ? {} : { arguments: request.arguments }),
    ...(request.payment === undefined ? {} : { payment: { ...request.payment } }),
    protocol_context: { protocol, ...money },
  };
}

/** A mandate ready to be sent. Keep it: sent again, it gets the same answer, and is decided once. */
export type SignedMandate = Awaited<ReturnType<typeof signMandate>>;

/** Signs a mandate with the agent's key. */
export function sign(mandate: JsonObject, { signer }: AgentKey): Promise<SignedMandate> {
  return signMandate(mandate, signer);
}

/**
 * Sends a mandate. Every outcome is an answer; branch on `body.outcome`. With `receipt`, the answer
 * brings proof of itself: keep `body.receipt`.
 */
export function send(
  site: Site,
  mandate: SignedMandate,
  { receipt = false }: { readonly receipt?: boolean } = {},
): Promise<JsonAnswer> {
  return sendText(site, mandateText(mandate), { receipt });
}

/** The bytes `send` sends, as a text: keep them to send the same again, or to prove what was sent. */
export function mandateText(mandate: SignedMandate): string {
  return JSON.stringify(mandate);
}

/** Sends a mandate that was kept as a text, exactly as it is. */
export function sendText(
  { mandateUrl }: Pick<Site, "mandateUrl">,
  text: string,
  { receipt = false }: { readonly receipt?: boolean } = {},
): Promise<JsonAnswer> {
  return postText(mandateUrl, text, receipt ? { prefer: "return=receipt" } : {});
}

/** Asks what became of an escalated mandate, waiting a while for news. */
export async function escalationStatus(statusUrl: string, waitS = 0): Promise<JsonObject> {
  const wait = Math.min(Math.max(0, Math.floor(waitS)), WAIT_S_MAX);
  const headers: Record<string, string> = wait === 0 ? {} : { prefer: `wait=${wait}` };
  return (await getJson(statusUrl, headers)).body;
}

/** Takes back what waits for a person. */
export async function withdraw(
  site: Site,
  key: AgentKey,
  { agentId, escalationId }: { readonly agentId: string; readonly escalationId: string },
): Promise<JsonAnswer> {
  const signed = {
    v: 1,
    type: "withdrawal",
    site_key: site.siteKey,
    agent_id: agentId,
    escalation_id: escalationId,
    issued_at: new Date().toISOString(),
  };
  const signature = await signTagged("withdrawal", signed, key.signer);
  const envelope = { alg: "EdDSA", kid: key.kid, signature };
  const url = site.mandateUrl.replace(/\/mandate$/, `/escalations/${escalationId}/withdraw`);
  return postJson(url, { signed, envelope });
}
