import { OpenAPIHono } from "@hono/zod-openapi";
import { progressOf } from "../../actions/checkout/progress.js";
import type { Context } from "../../context.js";
import { pageUrl } from "../../domain/checkouts/checkout.js";
import { checkoutByPage } from "../../domain/checkouts/store.js";
import { orderById } from "../../domain/orders/store.js";
import { findSite } from "../../domain/sites/find.js";
import { AddressLimiter } from "../../infra/rate-limit/address-limiter.js";
import { LocalLimiter } from "../../infra/rate-limit/local.js";
import { isRehearsed } from "../../purchase/after-sale/rehearsed.js";
import { wholeOrder } from "../../purchase/after-sale/whole-order.js";
import { followDecision } from "../../purchase/follow-payment.js";
import type { HonoGroup, HttpEnv } from "../server/env.js";
import { PAGE_HEADERS } from "../server/html-page.js";
import { Problem } from "../server/problem.js";
import { checkoutPage } from "./page-html.js";

/** How often the processor is asked because somebody came back to one page. */
const RETURNS_PER_MINUTE = 6;

/** How often pages are looked at from one address. */
const VIEWS_PER_MINUTE = 600;

/**
 * `GET /v1/ucp/{site_key_hash}/pages/{page_id}`: where a buyer sees how far their order is, and comes
 * back to from the bank. Whoever comes back brings words for us in the address: they are not used, and
 * not kept, since the processor itself is asked.
 */
export function pagesDoor(context: Context): HonoGroup {
  const routes = new OpenAPIHono<HttpEnv>();
  const { clock, config, db, log } = context;
  // Apart from what platforms at the same address do: their buyers must not stop them.
  const views = new AddressLimiter({ perMinute: VIEWS_PER_MINUTE });
  const returns = new LocalLimiter({ perMinute: RETURNS_PER_MINUTE });
  routes.get("/v1/ucp/:site/pages/:page", async (c) => {
    const waitMs = views.take(c.get("caller").networks, clock.now());
    if (waitMs > 0) throw new Problem("rate_limited");
    const site = await findSite(db, c.req.param("site"), "hash");
    const checkout = site && (await checkoutByPage(db, site.siteKeyHash, c.req.param("page")));
    if (site === undefined || checkout === undefined) throw new Problem("not_found");
    const { decisionId, pageId } = checkout;
    if (new URL(c.req.url).search !== "") {
      if (decisionId !== null && returns.take(pageId, clock.now()) === 0) {
        await followDecision(context, decisionId).catch((error: unknown) => {
          log.warn({ error }, "payment.not_followed");
        });
      }
      return c.body(null, 303, { ...PAGE_HEADERS, location: pageUrl(config, checkout) });
    }
    const progress = await progressOf(db, checkout);
    const { orderId } = checkout;
    const made = orderId === null ? undefined : await orderById(db, site.siteKeyHash, orderId);
    const order = made === undefined ? null : await wholeOrder(db, made);
    const rehearsed = made !== undefined && (await isRehearsed(db, made));
    const paused = site.pausedAt !== null;
    const shown = { progress, order, rehearsed, paused, now: clock.now() };
    const page = checkoutPage(site, checkout, shown);
    return c.body(page, 200, { ...PAGE_HEADERS });
  });
  return { name: "pages", cors: "none", routes };
}
