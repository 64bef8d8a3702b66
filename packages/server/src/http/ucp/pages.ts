import {
  buyerOrder,
  buyerProgress,
  findBuyerPage,
  syncReturnedBuyer,
} from "../../actions/checkout/buyer-page.js";
import { termsText } from "../../actions/checkout/terms.js";
import type { Context } from "../../context.js";
import { pageUrl } from "../../domain/checkouts/checkout.js";
import { findSite } from "../../domain/sites/live-sites.js";
import { AddressLimiter } from "../../infra/rate-limit/address-limiter.js";
import { LocalLimiter } from "../../infra/rate-limit/local.js";
import { pendingAnswer } from "../server/errors.js";
import { cacheableAnswer, etagOf } from "../server/etag.js";
import { get, type Route } from "../server/exchange.js";
import { PAGE_HEADERS } from "../server/html-page.js";
import { NO_SITE, requireFound, requireNoWait } from "../server/problem.js";
import { renderUcpError } from "./errors.js";
import { checkoutPage, orderPage } from "./page-html.js";

/** How often the payment provider is asked because a buyer came back to one page. */
const RETURNS_PER_MINUTE = 6;

/** How often pages are read from one address. */
const VIEWS_PER_MINUTE = 600;

/** How long clients may cache terms. A text that is named by its digest never changes. */
const CURRENT_TERMS_S = 300;
const NAMED_TERMS_S = 86_400;

/**
 * `GET /v1/ucp/{site_key_hash}/pages/{page_id}`: shows a buyer how far their order is. The bank sends
 * the buyer back here with a query. The query is neither used nor stored: the provider itself is asked.
 */
export function pageRoute(context: Context): Route {
  const { clock, config, db } = context;
  // Separate from the limits of platforms, so that buyers at the same address do not use those up.
  const views = new AddressLimiter({ perMinute: VIEWS_PER_MINUTE });
  const returns = new LocalLimiter({ perMinute: RETURNS_PER_MINUTE });
  return get("/v1/ucp/:site/pages/:page", async (exchange) => {
    const { caller, request } = exchange;
    requireNoWait(views.take(caller.networks, clock.now()));
    const page = await findBuyerPage(context, exchange.param("site"), exchange.param("page"));
    const subject = requireFound(page);
    const { site } = subject;
    if (subject.kind === "order") {
      const body = orderPage(site, await buyerOrder(db, subject.order));
      return { status: 200, body, headers: PAGE_HEADERS };
    }
    const { checkout } = subject;
    if (new URL(request.url ?? "", config.baseUrl).search !== "") {
      const { decisionId, pageId } = checkout;
      if (decisionId !== null && returns.take(pageId, clock.now()) === 0) {
        await syncReturnedBuyer(context, decisionId);
      }
      return { status: 303, headers: { ...PAGE_HEADERS, location: pageUrl(config, checkout) } };
    }
    const progress = await buyerProgress(db, checkout);
    const state = { ...progress, isPaused: site.pausedAt !== null, now: clock.now() };
    return { status: 200, body: checkoutPage(site, checkout, state), headers: PAGE_HEADERS };
  });
}

/**
 * `GET /v1/ucp/{site_key_hash}/terms`: the current terms of the shop. `…/terms/{sha256}`: the text whose
 * digest is signed with a checkout, as long as the site exists.
 */
export function termsRoute(context: Context): Route {
  const route = get("/v1/ucp/:site/terms/:sha256?", async (exchange) => {
    const site = requireFound(await findSite(context.db, exchange.param("site"), "hash"), NO_SITE);
    if (site.status !== "verified") return pendingAnswer(context.config.baseUrl, site.domain);
    const { sha256 } = exchange.params;
    const body = requireFound(await termsText(context, site, sha256), "Nobody was shown this.");
    const maxAgeS = sha256 === undefined ? CURRENT_TERMS_S : NAMED_TERMS_S;
    const headers = { etag: etagOf(body), "cache-control": `public, max-age=${maxAgeS}` };
    return cacheableAnswer(exchange, { body, type: "text/plain; charset=utf-8", headers });
  });
  return { ...route, renderError: renderUcpError };
}
