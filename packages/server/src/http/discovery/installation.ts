import { apiCatalog, type KeyPurpose, securityTxt } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { DAY_MS } from "../../infra/time.js";
import { etagOf, isFresh } from "../server/etag.js";
import { type Answer, type Exchange, get, type Route } from "../server/exchange.js";

/** Verifiers and edges may keep the key set five minutes; keys are announced for twice as long. */
const KEY_SET_CACHE = "public, max-age=300, s-maxage=300";
/** RFC 9116 asks for less than a year; the file is made anew for every request. */
const SECURITY_TXT_LIFE_MS = 180 * DAY_MS;
const API_CATALOG_TYPE =
  'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/** The key set of RFC 7517: current, announced and retired keys, and older ids of the same keys. */
async function answerKeySet(
  { keys }: Context,
  exchange: Exchange,
  purpose: KeyPurpose,
): Promise<Answer> {
  const listed = await keys.listed(purpose);
  const body = JSON.stringify({
    keys: listed.map(({ kid, jwk }) => ({ ...jwk, alg: "EdDSA", use: "sig", kid })),
  });
  const etag = etagOf(body);
  const headers = { etag, "cache-control": KEY_SET_CACHE };
  if (isFresh(exchange.header("if-none-match"), etag)) return { status: 304, headers };
  const type = "application/jwk-set+json; charset=utf-8";
  return { status: 200, body, headers: { ...headers, "content-type": type } };
}

/** What the installation says of itself, for all sites. */
export function installationRoutes(context: Context): Route[] {
  const { config, clock } = context;
  return [
    get("/.well-known/jwks.json", (exchange) => answerKeySet(context, exchange, "card")),
    // A separate key: someone who can sign cards cannot rewrite what was decided.
    get("/.well-known/audit-jwks.json", (exchange) => answerKeySet(context, exchange, "audit")),
    get("/.well-known/api-catalog", () => {
      const link = `<${config.baseUrl}/.well-known/api-catalog>; rel="api-catalog"`;
      const headers = { link, "content-type": API_CATALOG_TYPE };
      return { status: 200, body: JSON.stringify(apiCatalog(config.baseUrl)), headers };
    }),
    get("/.well-known/security.txt", () => {
      const midnight = Math.floor(clock.now() / DAY_MS) * DAY_MS;
      const expiresAt = midnight + SECURITY_TXT_LIFE_MS;
      const body = securityTxt(config.baseUrl, config.securityContact, expiresAt);
      return { status: 200, body, headers: { "content-type": "text/plain; charset=UTF-8" } };
    }),
  ];
}
