import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "../../context.js";
import type { Door, HttpEnv } from "../../platform/http/env.js";
import { etagOf, isFresh } from "../../platform/http/etag.js";

/** Verifiers and edges may keep the key set five minutes; keys are announced for twice as long. */
const KEY_SET_CACHE = "public, max-age=300, s-maxage=300";

/** The key set of RFC 7517: current, announced and retired keys, and older ids of the same keys. */
async function keySetText({ keys }: Context): Promise<string> {
  const listed = await keys.listed("card");
  return JSON.stringify({
    keys: listed.map(({ kid, jwk }) => ({ ...jwk, alg: "EdDSA", use: "sig", kid })),
  });
}

/** What any agent may read without asking first. */
export function discoveryDoor(context: Context): Door {
  const routes = new OpenAPIHono<HttpEnv>();

  routes.get("/.well-known/jwks.json", async (c) => {
    const text = await keySetText(context);
    const etag = etagOf(text);
    c.header("etag", etag);
    c.header("cache-control", KEY_SET_CACHE);
    if (isFresh(c.req.header("if-none-match"), etag)) return c.body(null, 304);
    return c.body(text, 200, { "content-type": "application/jwk-set+json; charset=utf-8" });
  });

  return { name: "discovery", cors: "open", routes };
}
