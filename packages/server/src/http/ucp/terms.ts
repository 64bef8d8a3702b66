import { termsText } from "../../actions/checkout/terms.js";
import type { Context } from "../../context.js";
import { findSite } from "../../domain/sites/live-sites.js";
import { DAY_S } from "../../infra/time.js";
import { pendingAnswer } from "../server/errors.js";
import { cacheableAnswer, etagOf } from "../server/etag.js";
import { get, type Route } from "../server/exchange.js";
import { NO_SITE, requireFound } from "../server/problem.js";
import { renderUcpError } from "./errors.js";

/** How long clients may cache terms. A text that is named by its digest never changes. */
const CURRENT_TERMS_S = 300;
const NAMED_TERMS_S = DAY_S;

/**
 * `GET /v1/ucp/{site_key_hash}/terms`: the current terms of the shop. `…/terms/{sha256}`: the text whose
 * digest is signed with a checkout, as long as the site exists.
 */
export function termsRoute(context: Context): Route {
  const route = get("/v1/ucp/:site/terms/:sha256?", async (exchange) => {
    const site = requireFound(await findSite(context.db, exchange.param("site"), "hash"), NO_SITE);
    if (site.status !== "verified") return pendingAnswer(context.config.baseUrl, site.domain);
    const { sha256 } = exchange.params;
    const body = requireFound(
      await termsText(context, site, sha256),
      "There is no such version of the terms.",
    );
    const maxAgeS = sha256 === undefined ? CURRENT_TERMS_S : NAMED_TERMS_S;
    const headers = { etag: etagOf(body), "cache-control": `public, max-age=${maxAgeS}` };
    return cacheableAnswer(exchange, { body, type: "text/plain; charset=utf-8", headers });
  });
  return { ...route, renderError: renderUcpError };
}
