import { hash } from "node:crypto";
import { type JsonObject, signTerms, siteAddresses, siteTerms } from "@gatehouse/protocol";
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "../../context.js";
import type { Checkout } from "../../domain/checkouts/checkout.js";
import { writePolicies } from "../../domain/checkouts/store.js";
import type { ShopSettings } from "../../domain/shop-settings/shop-settings.js";
import { agreedTerms, keepTerms, shopSettings } from "../../domain/shop-settings/store.js";
import { findSite } from "../../domain/sites/find.js";
import type { Site } from "../../domain/sites/site.js";
import type { Queries, Transaction } from "../../infra/db/database.js";
import type { HttpEnv } from "../server/env.js";
import { etagOf, isFresh } from "../server/etag.js";
import { answerPending } from "../server/pending.js";
import { Problem } from "../server/problem.js";
import type { UcpCall } from "./operation.js";

/** The terms of a shop as they are now, and where this very text stays. */
function termsNow({ config }: Context, site: Site, own: ShopSettings["terms"]) {
  const terms = siteTerms(site, own);
  const sha256 = hash("sha256", terms.text, "hex");
  const url = `${siteAddresses(config.baseUrl, site).terms}/${sha256}`;
  return { ...terms, sha256, url };
}

/** What every answer about buying carries: the signed terms of the shop, and its own pages. */
export async function termsOf(
  context: Context,
  db: Queries,
  { site, signer }: UcpCall,
): Promise<{ readonly policies: JsonObject[]; readonly links: JsonObject[] }> {
  const { terms, links } = await shopSettings(db, site.siteKeyHash);
  const now = termsNow(context, site, terms);
  const entry = await signTerms(now, now.url, signer);
  const pages = { terms_of_service: now.url, ...links };
  return {
    policies: [entry],
    links: Object.entries(pages).map(([type, page]) => ({ type, url: page })),
  };
}

/** Whether the terms of now are those a checkout was shown under. */
export async function termsKept(
  context: Context,
  db: Queries,
  { site }: UcpCall,
  { policies }: Checkout,
): Promise<boolean> {
  const { terms } = await shopSettings(db, site.siteKeyHash);
  return policies[0]?.sha256 === termsNow(context, site, terms).sha256;
}

/**
 * Keeps what a checkout is shown under: the text is there as long as the site is, and an order that
 * comes of it carries the signature.
 */
export async function keepTermsOf(
  context: Context,
  tx: Transaction,
  { site, signer }: UcpCall,
  checkout: Checkout,
): Promise<void> {
  const { terms } = await shopSettings(tx, site.siteKeyHash);
  const now = termsNow(context, site, terms);
  const { sha256, text } = now;
  if (checkout.policies[0]?.sha256 === sha256) return;
  await keepTerms(tx, site.siteKeyHash, { sha256, text, now: context.clock.now() });
  // What an order came of under other terms stays what it was.
  if (checkout.status !== "open" && checkout.status !== "completing") return;
  await writePolicies(tx, { ...checkout, policies: [await signTerms(now, now.url, signer)] });
}

const DAY_S = 86_400;

/**
 * `GET /v1/ucp/{site_key_hash}/terms`: what the shop says now. `…/terms/{sha256}`: the very bytes whose
 * digest is signed with every checkout, then and now.
 */
export function termsRoute(routes: OpenAPIHono<HttpEnv>, context: Context): void {
  const { db } = context;
  routes.get("/v1/ucp/:site/terms/:sha256?", async (c) => {
    const site = await findSite(db, c.req.param("site") ?? "", "hash");
    if (site === undefined) throw new Problem("not_found", { message: "No site has this key." });
    if (site.status !== "verified") return answerPending(c, context, site.domain);
    const { terms } = await shopSettings(db, site.siteKeyHash);
    const now = termsNow(context, site, terms);
    const { sha256 = now.sha256 } = c.req.param();
    const text = sha256 === now.sha256 ? now.text : await agreedTerms(db, site.siteKeyHash, sha256);
    if (text === undefined) throw new Problem("not_found", { message: "Nobody was shown this." });
    const etag = etagOf(text);
    c.header("etag", etag);
    const named = c.req.param("sha256") !== undefined;
    c.header("cache-control", `public, max-age=${named ? DAY_S : 300}`);
    if (isFresh(c.req.header("if-none-match"), etag)) return c.body(null, 304);
    return c.body(text, 200, { "content-type": "text/plain; charset=utf-8" });
  });
}
