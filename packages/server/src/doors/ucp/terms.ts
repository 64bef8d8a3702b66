import { type JsonObject, signTerms, siteAddresses, siteTerms } from "@gatehouse/protocol";
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "../../context.js";
import { shopSettings } from "../../owners/shop-settings/store.js";
import { findSite } from "../../owners/sites/find.js";
import type { Queries } from "../../platform/db/database.js";
import type { HttpEnv } from "../../platform/http/env.js";
import { etagOf, isFresh } from "../../platform/http/etag.js";
import { Problem } from "../../platform/http/problem.js";
import { answerPending } from "../pending.js";
import type { UcpCall } from "./operation.js";

/** What every answer about buying carries: the signed terms of the shop, and its own pages. */
export async function termsOf(
  { config }: Context,
  db: Queries,
  { site, signer }: UcpCall,
): Promise<{ readonly policies: JsonObject[]; readonly links: JsonObject[] }> {
  const { terms, links } = await shopSettings(db, site.siteKeyHash);
  const url = siteAddresses(config.baseUrl, site).terms;
  const entry = await signTerms(siteTerms(site, terms), url, signer);
  const pages = { terms_of_service: url, ...links };
  return {
    policies: [entry],
    links: Object.entries(pages).map(([type, page]) => ({ type, url: page })),
  };
}

/** `GET /v1/ucp/{site_key_hash}/terms`: the very bytes whose digest is signed with every checkout. */
export function termsRoute(routes: OpenAPIHono<HttpEnv>, context: Context): void {
  routes.get("/v1/ucp/:site/terms", async (c) => {
    const site = await findSite(context.db, c.req.param("site") ?? "", "hash");
    if (site === undefined) throw new Problem("not_found", { message: "No site has this key." });
    if (site.status !== "verified") return answerPending(c, context, site.domain);
    const { terms } = await shopSettings(context.db, site.siteKeyHash);
    const { text } = siteTerms(site, terms);
    const etag = etagOf(text);
    c.header("etag", etag);
    c.header("cache-control", "public, max-age=300");
    if (isFresh(c.req.header("if-none-match"), etag)) return c.body(null, 304);
    return c.body(text, 200, { "content-type": "text/plain; charset=utf-8" });
  });
}
