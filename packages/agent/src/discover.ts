import {
  cardInPage,
  isJsonObject,
  type JsonObject,
  parseUrl,
  readPublicJwk,
  trustedKeySet,
  type Verdict,
  verifyCard,
} from "@gatehouse/protocol";
import { AgentError, checkAddress, fetchBytes, getJson, objectIn } from "./http.js";

/** A site whose card holds: where to ask it for something. */
export interface DiscoveredSite {
  readonly domain: string;
  readonly siteKey: string;
  /** Where mandates go; what `audience` must be. */
  readonly mandateUrl: string;
  readonly mcpUrl: string;
  readonly skills: readonly JsonObject[];
  readonly card: JsonObject;
  /** Every check that was made of the card. */
  readonly verdict: Verdict;
}

const CARD_PATH = "/.well-known/agent-card.json";

/** An origin alone means the card at its well-known place. */
function cardAddress(text: string): string {
  const url = parseUrl(/^https?:\/\//.test(text) ? text : `https://${text}`);
  if (url === undefined) throw new AgentError(`${text} is not an address`);
  return url.pathname === "/" && url.search === "" ? url.origin + CARD_PATH : url.href;
}

function textAt(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === "string" ? value : "";
}

/** Finds a key of a key set by its id, asking for the set once. */
function keysAt(address: string) {
  let keySet: ReturnType<typeof getJson> | undefined;
  return async (kid: string) => {
    keySet ??= getJson(address);
    const { keys } = (await keySet).body;
    const listed = Array.isArray(keys) ? (keys as readonly JsonObject[]) : [];
    const jwk = listed.find((key) => isJsonObject(key) && key.kid === kid);
    const read = readPublicJwk(jwk);
    return read.ok ? read.value : undefined;
  };
}

const HTML_START = 0x3c;

/**
 * The card at an address, or in the agent page there. Redirects count only to the same server: where
 * a domain leads is told by its service, whose keys the card must hold by.
 */
async function fetchCard(address: string): Promise<Uint8Array> {
  const headers = { accept: "application/json, text/html;q=0.5" };
  const { status, url, bytes } = await fetchBytes(address, { headers, redirect: "follow" });
  const { origin } = new URL(url);
  if (origin !== new URL(address).origin) {
    throw new AgentError(
      `${address} redirects to another server, ${origin}; use that address if you trust it`,
    );
  }
  if (status !== 200) throw new AgentError(`${address} answers with status ${status}`);
  const card = bytes[0] === HTML_START ? cardInPage(bytes) : bytes;
  if (card === undefined) throw new AgentError(`${address} is a page without an agent card`);
  return card;
}

/**
 * Reads the card of a site and verifies it. By which keys, says the caller; by default those of the
 * server the card came from, or, where that is the very domain the card speaks for, those of the
 * service it names. Throws unless the card holds.
 */
export async function discover(
  site: string,
  options: { readonly keys?: string; readonly now?: number } = {},
): Promise<DiscoveredSite> {
  const address = cardAddress(site);
  const bytes = await fetchCard(address);
  const card = objectIn(bytes, address);
  const keys = options.keys ?? trustedKeySet(new URL(address), card);
  const verdict = await verifyCard(bytes, {
    findKey: keysAt(keys),
    now: options.now ?? Date.now(),
  });
  if (!verdict.ok) {
    const failed = verdict.checks.find(({ ok }) => !ok);
    throw new AgentError(`the card of ${site} is not valid: ${failed?.text ?? "no reason"}`);
  }
  const siteInfo = isJsonObject(card.site) ? card.site : {};
  const skills = Array.isArray(card.skills) ? (card.skills as readonly JsonObject[]) : [];
  const mandateUrl = textAt(siteInfo, "service_endpoint");
  const mcpUrl = textAt(siteInfo, "mcp_endpoint");
  for (const named of [mandateUrl, mcpUrl]) if (named !== "") checkAddress(named);
  return {
    domain: textAt(siteInfo, "domain"),
    siteKey: textAt(siteInfo, "site_key"),
    mandateUrl,
    mcpUrl,
    skills,
    card,
    verdict,
  };
}
