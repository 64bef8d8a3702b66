import { apiCatalog, type KeyPurpose, securityTxt } from "@gatehouse/protocol";
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import type { Context } from "../../context.js";
import { DAY_MS } from "../../infra/time.js";
import type { HttpEnv } from "../server/env.js";
import { etagOf, isFresh } from "../server/etag.js";

/** Verifiers and edges may keep the key set five minutes; keys are announced for twice as long. */
const KEY_SET_CACHE = "public, max-age=300, s-maxage=300";
/** RFC 9116 asks for less than a year; the file is made afresh for whoever asks. */
const SECURITY_TXT_LIFE_MS = 180 * DAY_MS;
const API_CATALOG_TYPE =
  'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/** The key set of RFC 7517: current, announced and retired keys, and older ids of the same keys. */
async function keySetText({ keys }: Context, purpose: KeyPurpose): Promise<string> {
  const listed = await keys.listed(purpose);
  return JSON.stringify({
    keys: listed.map(({ kid, jwk }) => ({ ...jwk, alg: "EdDSA", use: "sig", kid })),
  });
}

/** What the installation says of itself, whatever the site. */
export function installationRoutes(routes: OpenAPIHono<HttpEnv>, context: Context): void {
  const { config, clock } = context;

  const keySet = (purpose: KeyPurpose) => async (c: HonoContext<HttpEnv>) => {
    const text = await keySetText(context, purpose);
    const etag = etagOf(text);
    c.header("etag", etag);
    c.header("cache-control", KEY_SET_CACHE);
    if (isFresh(c.req.header("if-none-match"), etag)) return c.body(null, 304);
    return c.body(text, 200, { "content-type": "application/jwk-set+json; charset=utf-8" });
  };
  routes.get("/.well-known/jwks.json", keySet("card"));
  // A key of its own: whoever can sign cards cannot rewrite what was decided.
  routes.get("/.well-known/audit-jwks.json", keySet("audit"));

  routes.get("/.well-known/api-catalog", (c) => {
    c.header("link", `<${config.baseUrl}/.well-known/api-catalog>; rel="api-catalog"`);
    const text = JSON.stringify(apiCatalog(config.baseUrl));
    return c.body(text, 200, { "content-type": API_CATALOG_TYPE });
  });

  routes.get("/.well-known/security.txt", (c) => {
    const midnight = Math.floor(clock.now() / DAY_MS) * DAY_MS;
    const expiresAt = midnight + SECURITY_TXT_LIFE_MS;
    return c.text(securityTxt(config.baseUrl, config.securityContact, expiresAt));
  });
}
