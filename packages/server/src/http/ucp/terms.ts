import type { OpenAPIHono } from "@hono/zod-openapi";
import { termsText } from "../../actions/checkout/terms.js";
import type { Context } from "../../context.js";
import { findSite } from "../../domain/sites/find.js";
import type { HttpEnv } from "../server/env.js";
import { etagOf, isFresh } from "../server/etag.js";
import { answerPending } from "../server/pending.js";
import { Problem } from "../server/problem.js";

const DAY_S = 86_400;
const CURRENT_TERMS_S = 300;

/**
 * `GET /v1/ucp/{site_key_hash}/terms`: the current terms of the shop. `…/terms/{sha256}`: the text whose
 * digest is signed with a checkout, as long as the site exists.
 */
export function termsRoute(routes: OpenAPIHono<HttpEnv>, context: Context): void {
  routes.get("/v1/ucp/:site/terms/:sha256?", async (c) => {
    const site = await findSite(context.db, c.req.param("site") ?? "", "hash");
    if (site === undefined) throw new Problem("not_found", { message: "No site has this key." });
    if (site.status !== "verified") return answerPending(c, context, site.domain);
    const sha256 = c.req.param("sha256");
    const text = await termsText(context, site, sha256);
    if (text === undefined) throw new Problem("not_found", { message: "Nobody was shown this." });
    const etag = etagOf(text);
    c.header("etag", etag);
    const maxAgeS = sha256 === undefined ? CURRENT_TERMS_S : DAY_S;
    c.header("cache-control", `public, max-age=${maxAgeS}`);
    if (isFresh(c.req.header("if-none-match"), etag)) return c.body(null, 304);
    return c.body(text, 200, { "content-type": "text/plain; charset=utf-8" });
  });
}
