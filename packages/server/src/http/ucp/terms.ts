import { termsText } from "../../actions/checkout/terms.js";
import type { Context } from "../../context.js";
import { findSite } from "../../domain/sites/find.js";
import { etagOf, isFresh } from "../server/etag.js";
import { get, type Route } from "../server/exchange.js";
import { pendingAnswer } from "../server/pending.js";
import { Problem } from "../server/problem.js";
import { renderUcpError } from "./errors.js";

const DAY_S = 86_400;
const CURRENT_TERMS_S = 300;

/**
 * `GET /v1/ucp/{site_key_hash}/terms`: the current terms of the shop. `…/terms/{sha256}`: the text whose
 * digest is signed with a checkout, as long as the site exists.
 */
export function termsRoute(context: Context): Route {
  const route = get("/v1/ucp/:site/terms/:sha256?", async (exchange) => {
    const site = await findSite(context.db, exchange.param("site"), "hash");
    if (site === undefined) throw new Problem("not_found", { message: "No site has this key." });
    if (site.status !== "verified") return pendingAnswer(context.config.baseUrl, site.domain);
    const { sha256 } = exchange.params;
    const text = await termsText(context, site, sha256);
    if (text === undefined) throw new Problem("not_found", { message: "Nobody was shown this." });
    const etag = etagOf(text);
    const maxAgeS = sha256 === undefined ? CURRENT_TERMS_S : DAY_S;
    const headers = { etag, "cache-control": `public, max-age=${maxAgeS}` };
    if (isFresh(exchange.header("if-none-match"), etag)) return { status: 304, headers };
    const type = "text/plain; charset=utf-8";
    return { status: 200, body: text, headers: { ...headers, "content-type": type } };
  });
  return { ...route, renderError: renderUcpError };
}
