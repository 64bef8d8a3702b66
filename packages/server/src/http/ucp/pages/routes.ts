import { classifyCaller } from "@gatehouse/protocol";
import type { BuyerEntries } from "../../../actions/checkout/buyer-entries.js";
import {
  browserMacOf,
  buyerOrder,
  buyerProgress,
  cancelOnPage,
  checkoutInBrowser,
  checkoutOfCartPage,
  enterOnPage,
  findBuyerPage,
  firstBrowser,
  syncReturnedBuyer,
  zoneOfShop,
} from "../../../actions/checkout/buyer-page.js";
import { showCart } from "../../../actions/checkout/carts.js";
import { canPayOnPage, type PageNotice, payOnPage } from "../../../actions/checkout/hand-off.js";
import { servedCountries, termsLinks } from "../../../actions/checkout/terms.js";
import type { Context } from "../../../context.js";
import { type Language, languageFor } from "../../../domain/buyer-words/words.js";
import type { Cart } from "../../../domain/checkouts/carts/cart.js";
import { type Checkout, pageUrl } from "../../../domain/checkouts/checkout.js";
import { sells } from "../../../domain/sites/gates.js";
import type { Site } from "../../../domain/sites/site.js";
import { AddressLimiter } from "../../../infra/rate-limit/address-limiter.js";
import { LocalLimiter } from "../../../infra/rate-limit/local.js";
import { type Answer, type Exchange, get, post, type Route } from "../../server/exchange.js";
import { PAGE_HEADERS, shopPageHeaders } from "../../server/html-page.js";
import { requireFound, requireNoWait } from "../../server/problem.js";
import { type Voice, voiceOf } from "../../server/voice.js";
import { browserCookie, browserIn } from "./browser.js";
import { cartPage } from "./cart-html.js";
import { checkoutPage } from "./checkout-html.js";
import { type PageForm, readPageForm } from "./form.js";
import { orderPage } from "./order-html.js";
import { NEXT_STEP } from "./parts.js";

/** How often the payment provider is asked because a buyer came back to one page. */
const RETURNS_PER_MINUTE = 6;

/** How often pages are read from one address. */
const VIEWS_PER_MINUTE = 600;

/** How often buttons of pages are pressed from one address. Each may write a record or open a payment page. */
const PRESSES_PER_MINUTE = 60;

const PATH = "/v1/ucp/:site/pages/:page";

/** Providers let owners put payment pages on domains of their own. */
const PAYMENT_ORIGINS = ["https:"];

/**
 * `/v1/ucp/{site_key_hash}/pages/{page_id}`: the page on which a buyer orders, pays and sees how far the order
 * is. `continue_url` leads here. The bank and the payment provider send the buyer back here with a query. The
 * query is neither used nor stored: the provider itself is asked.
 */
export function pageRoutes(context: Context): readonly Route[] {
  const pages = new BuyerPages(context);
  return [
    get(PATH, (exchange) => pages.show(exchange)),
    post(PATH, (exchange) => pages.act(exchange)),
  ];
}

class BuyerPages {
  private readonly context: Context;
  private readonly headers: Readonly<Record<string, string>>;
  // Separate from the limits of platforms, so that buyers at the same address do not use those up.
  private readonly views = new AddressLimiter({ perMinute: VIEWS_PER_MINUTE });
  private readonly presses = new AddressLimiter({ perMinute: PRESSES_PER_MINUTE });
  private readonly returns = new LocalLimiter({ perMinute: RETURNS_PER_MINUTE });

  constructor(context: Context) {
    this.context = context;
    const { stripeApiBase } = context.config;
    const simulated = stripeApiBase === undefined ? [] : [new URL(stripeApiBase).origin];
    this.headers = shopPageHeaders([...PAYMENT_ORIGINS, ...simulated]);
  }

  private async find(exchange: Exchange) {
    const { clock } = this.context;
    requireNoWait(this.views.take(exchange.caller.networks, clock.now()));
    const page = await findBuyerPage(this.context, exchange.param("site"), exchange.param("page"));
    return requireFound(page);
  }

  private page(body: string, headers: Readonly<Record<string, string>> = {}): Answer {
    return { status: 200, body, headers: { ...this.headers, ...headers } };
  }

  private async voice(language: Language, site: Site): Promise<Voice> {
    const { baseUrl } = this.context.config;
    return voiceOf(language, { baseUrl, timeZone: await zoneOfShop(this.context, site) });
  }

  async show(exchange: Exchange): Promise<Answer> {
    const { config, db, clock } = this.context;
    const subject = await this.find(exchange);
    const { site } = subject;
    const accepted = exchange.header("accept-language");
    if (subject.kind === "order") {
      const voice = await this.voice(languageFor(accepted, {}), site);
      return this.page(orderPage(site, voice, await buyerOrder(db, subject.order)));
    }
    if (subject.kind === "cart") return this.showCart(exchange, site, subject.cart);
    const { checkout } = subject;
    if (new URL(exchange.request.url ?? "", config.baseUrl).search !== "") {
      const { decisionId, pageId } = checkout;
      if (decisionId !== null && this.returns.take(pageId, clock.now()) === 0) {
        await syncReturnedBuyer(this.context, decisionId);
      }
      return seeOther(pageUrl(config, checkout));
    }
    return this.showCheckout(exchange, site, checkout, undefined);
  }

  private async showCart(exchange: Exchange, site: Site, cart: Cart): Promise<Answer> {
    const language = languageFor(exchange.header("accept-language"), cart.context);
    const voice = await this.voice(language, site);
    const priced = await showCart(this.context, cart);
    return this.page(cartPage(site, voice, priced.ok ? priced.value : undefined));
  }

  private async showCheckout(
    exchange: Exchange,
    site: Site,
    checkout: Checkout,
    notice: PageNotice | undefined,
  ): Promise<Answer> {
    const { context } = this;
    const { clock, config, db, ids } = context;
    const known = browserIn(exchange);
    const secret = known ?? ids.id("browser");
    const browser = browserMacOf(secret);
    const progress = await buyerProgress(db, checkout);
    const browserMac = isPerson(exchange)
      ? await firstBrowser(context, { checkout, progress: progress.progress }, browser)
      : checkout.browserMac;
    const bound = { ...checkout, browserMac };
    const shown =
      checkout.status === "open" ? await checkoutInBrowser(context, bound, browser) : bound;
    const language = languageFor(exchange.header("accept-language"), checkout.content.context);
    const voice = await this.voice(language, site);
    const state = {
      ...progress,
      sells: sells(site),
      payable: canPayOnPage(context, site, shown),
      browser,
      shop: {
        ...(await servedCountries(context, site)),
        ...(await termsLinks(context, site, checkout)),
      },
      notice,
      now: clock.now(),
    };
    // A stranger who only looks is not bound, and gets no cookie.
    const isOwn = shown.browserMac === browser;
    const cookie = isOwn && known === undefined ? browserCookie(config, bound, secret) : {};
    return this.page(checkoutPage(site, voice, { ...shown, browserMac }, state), cookie);
  }

  async act(exchange: Exchange): Promise<Answer> {
    const { context } = this;
    const { config } = context;
    const subject = await this.find(exchange);
    requireNoWait(context.admission.takeCostly(exchange.caller));
    requireNoWait(this.presses.take(exchange.caller.networks, context.clock.now()));
    const form = await readPageForm(context, exchange.request);
    if (subject.kind === "cart") {
      const checkout = await checkoutOfCartPage(context, subject.cart);
      if (checkout.ok) return seeOther(pageUrl(config, checkout.value));
      return this.showCart(exchange, subject.site, subject.cart);
    }
    if (subject.kind === "order") return this.show(exchange);
    const { site, checkout } = subject;
    if (form.act === "cancel") {
      await cancelOnPage(context, checkout);
      return seeOther(pageUrl(config, checkout));
    }
    return this.enter(exchange, { site, checkout, form });
  }

  /** Keeps what was entered, and goes on to the payment page if the buyer asks for it. */
  private async enter(
    exchange: Exchange,
    { site, checkout, form }: { site: Site; checkout: Checkout; form: PageForm },
  ): Promise<Answer> {
    const { context } = this;
    const { config, ids, keys } = context;
    const secret = browserIn(exchange) ?? ids.id("browser");
    const language = languageFor(exchange.header("accept-language"), checkout.content.context);
    const { email, address, optionId } = form;
    const entries: BuyerEntries = {
      email,
      address,
      optionId,
      language,
      browserMac: browserMacOf(secret),
    };
    const cookie = browserCookie(config, checkout, secret);
    const back = pageUrl(config, checkout);
    if (form.act === "update") {
      await enterOnPage(context, checkout, entries);
      return seeOther(`${back}#${NEXT_STEP}`, cookie);
    }
    const { payUrl, notice } = await payOnPage(context, {
      site,
      signer: await keys.signer("card"),
      checkoutId: checkout.checkoutId,
      entries: form.act === "pay" ? entries : null,
      browserMac: entries.browserMac,
      shownDigest: form.quote,
      requestId: exchange.requestId,
      source: exchange.caller.networks[0],
    });
    if (payUrl !== null) return seeOther(payUrl, cookie);
    if (notice === undefined) return seeOther(back, cookie);
    const page = await findBuyerPage(context, site.siteKeyHash, checkout.pageId);
    if (page?.kind !== "checkout") return seeOther(back, cookie);
    const shown = await this.showCheckout(exchange, page.site, page.checkout, notice);
    return { ...shown, headers: { ...shown.headers, ...cookie } };
  }
}

/** Programs that preview links must not take the place of the buyer, who is the first browser. */
function isPerson({ request }: Exchange): boolean {
  const userAgent = request.headers["user-agent"] ?? "";
  const { classification } = classifyCaller({ userAgent, webdriver: false });
  return request.method === "GET" && classification === "person";
}

function seeOther(location: string, more: Readonly<Record<string, string>> = {}): Answer {
  return { status: 303, headers: { ...PAGE_HEADERS, ...more, location } };
}
