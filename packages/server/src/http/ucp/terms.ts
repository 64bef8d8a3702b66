import { termsText } from "../../actions/checkout/terms.js";
import type { Context } from "../../context.js";
import { languageFor } from "../../domain/buyer-words/words.js";
import { CHECKOUT_ID, pageUrl } from "../../domain/checkouts/checkout.js";
import { findSite } from "../../domain/sites/live-sites.js";
import type { Site } from "../../domain/sites/site.js";
import { DAY_S } from "../../infra/time.js";
import { pendingAnswer } from "../server/errors.js";
import { cacheableAnswer, etagOf } from "../server/etag.js";
import { type Exchange, get, type Route } from "../server/exchange.js";
import { isBrowser, PAGE_HEADERS } from "../server/html-page.js";
import { NO_SITE, requireFound } from "../server/problem.js";
import { voiceOf } from "../server/voice.js";
import { renderUcpError } from "./errors.js";
import { termsPage } from "./pages/parts.js";

/** How long clients may cache terms. A text that is named by its digest never changes. */
const CURRENT_TERMS_S = 300;
const NAMED_TERMS_S = DAY_S;

/** The page of the checkout that led here; undefined if none is named. Whether it exists is checked there. */
function backUrl({ request }: Exchange, { config }: Context, { siteKeyHash }: Site) {
  const pageId = new URL(request.url ?? "", config.baseUrl).searchParams.get("page") ?? "";
  return CHECKOUT_ID.test(pageId) ? pageUrl(config, { siteKeyHash, pageId }) : undefined;
}

/**
 * `GET /v1/ucp/{site_key_hash}/terms`: the current terms of the shop. `…/terms/{sha256}`: the text whose
 * digest is signed with a checkout, as long as the site exists. Browsers get a
 * page, everything else the text itself.
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
    if (isBrowser(exchange.header("accept"))) {
      const { baseUrl } = context.config;
      const voice = voiceOf(languageFor(exchange.header("accept-language"), {}), { baseUrl });
      const page = termsPage(site, voice, body, backUrl(exchange, context, site));
      return { status: 200, body: page, headers: { ...PAGE_HEADERS, vary: "Accept" } };
    }
    const maxAgeS = sha256 === undefined ? CURRENT_TERMS_S : NAMED_TERMS_S;
    const headers = {
      etag: etagOf(body),
      "cache-control": `public, max-age=${maxAgeS}`,
      vary: "Accept",
    };
    return cacheableAnswer(exchange, { body, type: "text/plain; charset=utf-8", headers });
  });
  return { ...route, renderError: renderUcpError };
}
