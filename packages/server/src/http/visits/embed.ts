import { existsSync, readFileSync } from "node:fs";
import type { OpenAPIHono } from "@hono/zod-openapi";
import { EMBED_FILE } from "../../infra/assets.js";
import type { HttpEnv } from "../server/env.js";
import { etagOf, isFresh } from "../server/etag.js";
import { Problem } from "../server/problem.js";

const TYPE = "text/javascript; charset=utf-8";
/** Every page of every site loads it, and a mended one should be there within minutes. */
const CACHE = "public, max-age=300";

/** `GET /embed.js`: what a site's pages load. */
export function embedRoute(routes: OpenAPIHono<HttpEnv>): void {
  const code = existsSync(EMBED_FILE) ? readFileSync(EMBED_FILE) : undefined;
  const etag = code === undefined ? "" : etagOf(code, TYPE);
  routes.get("/embed.js", (c) => {
    if (code === undefined) {
      throw new Problem("unavailable", { message: "embed.js is missing. Run `npm run build`." });
    }
    const headers = {
      "cache-control": CACHE,
      etag,
      "cross-origin-resource-policy": "cross-origin",
    };
    if (isFresh(c.req.header("if-none-match"), etag)) return c.body(null, 304, headers);
    const body = code as Uint8Array<ArrayBuffer>;
    return c.body(body, 200, { ...headers, "content-type": TYPE });
  });
}
