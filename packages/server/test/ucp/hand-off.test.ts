import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import type { PaymentProvider } from "../../src/payments/provider.ts";
import { reconcilePayments } from "../../src/purchase/reconcile.ts";
import { findingsOfSite } from "../audit/exporting.ts";
import { NOON, TIER_DATABASES } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { expectBooksAgree } from "../selling/books.ts";
import { headingOf, noticeOf, PageBuyer, TYPED } from "./buyer.ts";
import { BUYER, CHECKOUT_POLICY, lines, openWorld, ROSE, told, type World } from "./buying.ts";

const MINUTE_MS = 60_000;
const THANKS = "Thank you for your order";
/** A cart that nobody has given an address yet. */
const BARE = lines(["rose", 1]);

const present = (value: boolean) => ({ "buyer.present": { eq: value } });
const rule = (id: string, effect: string, when: object) => ({ id, effect, when });
const SKILL = { skill: { in: ["place_order", "complete_checkout"] } };

describe.each(TIER_DATABASES)("a person who pays at continue_url, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, at, stripe } = {} as World;
  let shop: Shop;
  beforeAll(async () => {
    const world = await openWorld(dialect, clock);
    // Payments are looked after when a test says so.
    await world.server.context.jobs.stop();
    ({ server, at, stripe } = world);
    return world.close;
  });
  beforeEach(async () => {
    clock.advance(MINUTE_MS);
    shop = await at.shop();
  });
  const reconcile = () => reconcilePayments(server.context, () => false);
  const publish = async (rules: readonly object[]) => {
    const policy = { ...CHECKOUT_POLICY, rules };
    expect((await shop.admin("PUT", "/policy", policy)).status).toBe(200);
  };
  /** A checkout, and somebody who opens its page. */
  const begun = async (body: object = BARE) => {
    const { body: made } = await at.create(shop, body);
    return { id: made.id as string, buyer: new PageBuyer(server.url, made.continue_url), made };
  };
  const decisions = async () => (await shop.admin("GET", "/decisions")).body.items;
  const statusOf = async (id: string) => told(await at.get(shop, id));
  /** Nothing is authorized without an order, and the log proves it. */
  const expectNothingLeft = async () => {
    await expectBooksAgree(server.context, shop, { rose: 50 });
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  };

  test("enters an address, pays on the provider's page, and gets an order; the platform sees it", async () => {
    const { id, buyer } = await begun();
    const form = await buyer.look();
    expect([headingOf(form), form.includes("€100.00")]).toEqual(["Your order", true]);
    const page = await buyer.order();
    expect(await statusOf(id)).toEqual([200, "requires_escalation", "payment_pending"]);
    const done = await buyer.pay(page);
    const [order] = await at.orders(shop);
    expect([headingOf(done), done.includes(`#${order.number}`)]).toEqual([THANKS, true]);
    expect([order.amount, order.payment]).toMatchObject([{ minor: 10_490 }, "authorized"]);
    // What everybody with the link may see.
    expect(done).toContain("A… L…, Berlin, Germany");
    expect(done).not.toMatch(/ada@|Gartenstr|Love/);
    const completed = await at.get(shop, id);
    expect([completed.body.status, completed.body.order.id]).toEqual(["completed", order.order_id]);
    const [decision] = await decisions();
    expect(decision).toMatchObject({ outcome: "approved", skill: "complete_checkout" });
    const record = await shop.admin("GET", `/decisions/${decision.decision_id}`);
    expect(record.body.facts.buyer).toEqual({ present: true });
    await expectNothingLeft();
  });

  test("sees what the platform has entered, and may change it", async () => {
    const { buyer } = await begun(ROSE);
    const form = await buyer.look();
    expect(form).toMatch(/value="ada@example.com"/);
    expect(form).toMatch(/value="Gartenstr. 1"/);
    expect(form).toContain("€104.90");
    await buyer.press("update", { ...TYPED, address_country: "AT", option: "express" });
    const changed = await buyer.look();
    expect(changed).toContain("€134.40");
    expect(
      headingOf(
        await buyer.pay(
          (await buyer.press("pay", { ...TYPED, address_country: "AT", option: "express" }))
            .location,
        ),
      ),
    ).toBe(THANKS);
    const [order] = await at.orders(shop);
    expect(order.amount.minor).toBe(13_440);
  });

  test("who clicks twice, or uses two windows, pays once", async () => {
    const { buyer } = await begun();
    await buyer.look();
    await buyer.press("update", TYPED);
    await buyer.look();
    const both = await Promise.all([buyer.press("pay", TYPED), buyer.press("pay", TYPED)]);
    expect(both.map(({ status }) => status)).toEqual([303, 303]);
    const page =
      both.map(({ location }) => location).find((url) => url.includes("/sandbox/")) ?? "";
    expect(await at.authorizations(shop)).toHaveLength(0);
    expect(headingOf(await buyer.pay(page))).toBe(THANKS);
    // The page is paid; pressing the button there again changes nothing.
    await buyer.pay(page);
    expect(await at.authorizations(shop)).toHaveLength(1);
    expect(await at.orders(shop)).toHaveLength(1);
    await expectNothingLeft();
  });

  test("is shown nothing of somebody else with the same link, and neither pays for the other", async () => {
    const { buyer: first, made } = await begun(ROSE);
    expect(await first.look()).toContain("ada@example.com");
    const second = new PageBuyer(server.url, made.continue_url);
    expect(await second.look()).not.toMatch(/ada@|Gartenstr|Love|10115/);
    const page = await second.order({ ...TYPED, email: "eve@example.com", last_name: "Other" });
    const waiting = await first.look();
    expect(headingOf(waiting)).toBe("This order is being paid in another browser");
    expect(waiting).not.toContain(page);
    expect(headingOf(await second.pay(page))).toBe(THANKS);
    expect(headingOf(await first.look())).toBe(THANKS);
    expect(await first.look()).not.toMatch(/eve@|Other/);
    expect(await at.orders(shop)).toHaveLength(1);
  });

  test("who goes back can change the order, and the payment page that was left takes no payment", async () => {
    const { id, buyer } = await begun();
    const left = await buyer.order();
    const waiting = await buyer.look();
    expect(headingOf(waiting)).toBe("Finish your payment");
    expect(waiting).toContain(left);
    expect((await buyer.press("cancel")).status).toBe(303);
    expect(headingOf(await buyer.look())).toBe("Your order");
    expect(await at.product(shop, "rose")).toMatchObject({ reserved: 0 });
    await buyer.pay(left);
    expect(await at.orders(shop)).toEqual([]);
    expect(headingOf(await buyer.pay(await buyer.order()))).toBe(THANKS);
    expect(await at.orders(shop)).toHaveLength(1);
    expect((await statusOf(id))[1]).toBe("completed");
    await expectNothingLeft();
  });

  test("is shown a changed price before anything is paid", async () => {
    const { buyer } = await begun(ROSE);
    await buyer.look();
    await at.importLines(shop, [
      { id: "rose", title: "A rose", price: "120.00", currency: "EUR", quantity: 50 },
    ]);
    const { status, html } = await buyer.press("pay", TYPED);
    expect([status, noticeOf(html)]).toEqual([
      200,
      "Something has changed since you opened this page. Check the order, then continue.",
    ]);
    expect(html).toContain("€124.90");
    const { location } = await buyer.press("pay", TYPED);
    expect(headingOf(await buyer.pay(location))).toBe(THANKS);
    expect((await at.orders(shop))[0].amount.minor).toBe(12_490);
  });

  test("cannot buy what was sold out in the meantime", async () => {
    const { buyer } = await begun({ ...lines(["last", 1]), ...ROSE, ...lines(["last", 1]) });
    await buyer.look();
    await at.bought(shop, { ...ROSE, ...lines(["last", 1]) });
    const { status, location } = await buyer.press("pay", TYPED);
    expect([status, location.includes("/sandbox/")]).toEqual([303, false]);
    expect(noticeOf(await buyer.look())).toContain("Some items are not available now.");
    expect(await at.orders(shop)).toHaveLength(1);
  });

  test("keeps the goods reserved while the payment page is open, and no longer", async () => {
    const { id, buyer } = await begun({ ...ROSE, ...lines(["last", 1]) });
    const page = await buyer.order();
    expect(await at.product(shop, "last")).toMatchObject({ quantity: 1, reserved: 1 });
    clock.advance(46 * MINUTE_MS);
    await reconcile();
    expect(await at.product(shop, "last")).toMatchObject({ quantity: 1, reserved: 0 });
    expect(await statusOf(id)).toEqual([200, "ready_for_complete", "payment_failed"]);
    await buyer.pay(page);
    expect(await at.orders(shop)).toEqual([]);
    expect(noticeOf(await buyer.look())).toBe(
      "The payment was not completed, and nothing was charged. You can try again.",
    );
  });

  test("may use another card after one was declined, or not confirmed to the bank", async () => {
    const { buyer } = await begun();
    const page = await buyer.order();
    expect(noticeOf(await buyer.pay(page, "decline"))).toBe(
      "The card was declined. Use another card.",
    );
    const bank = (await buyer.ask(page, new URLSearchParams({ answer: "challenge" }))).location;
    expect(bank).toContain("/v1/sandbox/challenges/");
    expect(noticeOf(await buyer.pay(bank, "refuse"))).toBe(
      "The card was declined. Use another card.",
    );
    expect(headingOf(await buyer.pay(bank, "confirm"))).toBe(THANKS);
    expect(await at.authorizations(shop)).toHaveLength(1);
    expect((await shop.admin("GET", "/declines")).body.waits ?? []).toEqual([]);
  });

  test("whose browser was closed after paying has an order all the same", async () => {
    const { id, buyer } = await begun();
    const page = await buyer.order();
    await buyer.ask(page, new URLSearchParams({ answer: "confirm" }));
    clock.advance(MINUTE_MS);
    await reconcile();
    expect((await statusOf(id))[1]).toBe("completed");
    await expectNothingLeft();
  });

  test("waits while the provider does not answer, and is charged nothing", async () => {
    const { buyer } = await begun(ROSE);
    await buyer.look();
    const sandbox = server.context.providers.sandbox as PaymentProvider;
    const lost = async () => Promise.reject(new Error("the connection was lost"));
    const down = Object.assign(Object.create(sandbox), { openPage: lost, read: lost });
    Object.assign(server.context.providers, { sandbox: down });
    expect((await buyer.press("pay", TYPED)).location).toContain("/pages/");
    expect(headingOf(await buyer.look())).toBe("One moment");
    clock.advance(MINUTE_MS);
    await reconcile();
    Object.assign(server.context.providers, { sandbox });
    clock.advance(MINUTE_MS);
    await reconcile();
    const waiting = await buyer.look();
    expect(headingOf(waiting)).toBe("Finish your payment");
    const page = /href="([^"]*\/v1\/sandbox\/payments\/[^"]*)"/.exec(waiting)?.[1] ?? "";
    expect(headingOf(await buyer.pay(page))).toBe(THANKS);
    expect(await at.authorizations(shop)).toHaveLength(1);
    await expectNothingLeft();
  });

  test("cannot pay on an open page once the owner has paused sales", async () => {
    const { buyer } = await begun();
    const page = await buyer.order();
    expect((await shop.admin("POST", "/pause", {})).status).toBe(200);
    await reconcile();
    await buyer.pay(page);
    expect(headingOf(await buyer.look())).toBe("The shop has paused sales");
    expect([await at.orders(shop), await at.authorizations(shop)]).toEqual([[], []]);
    await expectNothingLeft();
  });

  test("who paid a moment before the owner paused sales, or denied it by a rule, gets the money back", async () => {
    for (const stop of [
      async () => shop.admin("POST", "/pause", {}),
      async () => publish([rule("sell", "allow", SKILL), rule("none", "deny", present(true))]),
    ]) {
      shop = await at.shop();
      const { buyer } = await begun();
      const page = await buyer.order();
      const { location } = await buyer.ask(page, new URLSearchParams({ answer: "confirm" }));
      await stop();
      await buyer.ask(location);
      expect(headingOf(await buyer.look())).not.toBe(THANKS);
      expect([await at.orders(shop), await at.authorizations(shop)]).toEqual([[], []]);
      await expectNothingLeft();
    }
  });

  test("is not counted in the budgets of agents and platforms", async () => {
    const spend = { scope: "site", window: "P1D", would_exceed: { EUR: "150.00" } };
    await publish([rule("sell", "allow", SKILL), rule("budget", "deny", { spend })]);
    const { buyer } = await begun();
    await buyer.pay(await buyer.order());
    await at.bought(shop);
    const { id } = await at.ready(shop);
    expect(told(await at.complete(shop, id))).toContain("budget_exceeded");
    expect(await at.orders(shop)).toHaveLength(2);
    // An auditor counts as the service did.
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  });

  test("may pay although the shop takes no payments from the platform itself", async () => {
    await shop.admin("PATCH", "/platform-settings", { platforms: "admitted" });
    const { id, buyer } = await begun(ROSE);
    expect(told(await at.complete(shop, id))).toContain("platform_not_admitted");
    expect(headingOf(await buyer.pay(await buyer.order()))).toBe(THANKS);
  });

  test("is refused where a rule denies it, and waits where one asks for a reviewer", async () => {
    const { buyer: refused } = await begun({ ...lines(["palm", 2]) });
    await refused.look();
    await refused.press("update", TYPED);
    await refused.look();
    await refused.press("pay", TYPED);
    expect(noticeOf(await refused.look())).toContain("You can order directly from the shop.");
    const { buyer } = await begun(lines(["palm", 1]));
    await buyer.look();
    await buyer.press("update", TYPED);
    await buyer.look();
    await buyer.press("pay", TYPED);
    const reviewed = await buyer.look();
    expect(headingOf(reviewed)).toBe("The shop is reviewing this order");
    // The same order would only be reviewed once more.
    expect(reviewed).not.toContain("<button");
    const [review] = (await shop.admin("GET", "/escalations")).body.items;
    expect(review.paid_by_person).toBe(true);
    await shop.admin("POST", `/escalations/${review.escalation_id}/approve`, {});
    const waiting = await buyer.look();
    expect(headingOf(waiting)).toBe("Finish your payment");
    const page = /href="([^"]*\/v1\/sandbox\/payments\/[^"]*)"/.exec(waiting)?.[1] ?? "";
    expect(headingOf(await buyer.pay(page))).toBe(THANKS);
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  });

  test("need not wait for a reviewer of the platform's try, if the rules allow people to pay", async () => {
    const large = { "cart.total": { gt: { EUR: "500.00" } } };
    const ask = { all: [present(false), large] };
    await publish([rule("sell", "allow", SKILL), rule("ask", "escalate", ask)]);
    const { id, buyer } = await begun({ ...ROSE, ...lines(["palm", 1]) });
    expect(told(await at.complete(shop, id))).toContain("review_required");
    expect(headingOf(await buyer.look())).toBe("The shop is reviewing this order");
    const [asked] = (await shop.admin("GET", "/escalations?status=pending")).body.items;
    expect(asked.paid_by_person).toBe(false);
    const { location } = await buyer.press("pay_now");
    expect(headingOf(await buyer.pay(location))).toBe(THANKS);
    const [review] = (await shop.admin("GET", "/escalations?status=withdrawn")).body.items;
    expect(review.reason_code).toBe("buyer_pays");
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  });

  test("is reviewed by the same counts as it was first decided by", async () => {
    const count = { scope: "site", window: "PT1H", gt: 3 };
    await publish([rule("ask", "escalate", SKILL), rule("fast", "deny", { count })]);
    const { buyer } = await begun(ROSE);
    await buyer.look();
    await buyer.press("pay", TYPED);
    const [review] = (await shop.admin("GET", "/escalations")).body.items;
    const approved = await shop.admin("POST", `/escalations/${review.escalation_id}/approve`, {});
    expect(approved.status).toBe(200);
    expect(headingOf(await buyer.look())).toBe("Finish your payment");
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  });

  test("can keep only a few payment pages open from one address", async () => {
    for (let n = 0; n < 5; n++) await (await begun()).buyer.order();
    const { buyer } = await begun(ROSE);
    await buyer.look();
    const { html } = await buyer.press("pay", TYPED);
    expect(noticeOf(html)).toContain("Too many payments are open from your network.");
  });

  test("comes from a cart through its own page", async () => {
    const { body: cart } = await at.call(shop, "/carts", { ...BARE, buyer: BUYER });
    const buyer = new PageBuyer(server.url, cart.continue_url);
    expect(headingOf(await buyer.look())).toBe("Your cart");
    const { location } = await buyer.press("go");
    const again = await buyer.press("go");
    expect(again.location).toBe(location);
    const person = new PageBuyer(server.url, location);
    expect(headingOf(await person.pay(await person.order()))).toBe(THANKS);
    expect(headingOf(await buyer.look())).toBe("This cart no longer exists");
  });

  test.each([
    "GPTBot/1.2",
    "facebookexternalhit/1.1",
    "WhatsApp/2.23",
    "Slackbot-LinkExpanding 1.0",
    "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
    "curl/8.5.0",
    "",
  ])("is still the first after a program has previewed the link: %s", async (userAgent) => {
    const { buyer, made } = await begun(ROSE);
    const preview = new PageBuyer(server.url, made.continue_url, { "user-agent": userAgent });
    expect(await preview.look()).not.toContain("ada@example.com");
    expect(await buyer.look()).toContain("ada@example.com");
  });

  test("is shown what a platform sends later, and somebody who was there before is not", async () => {
    const { id, made } = await begun();
    const early = new PageBuyer(server.url, made.continue_url);
    await early.look();
    await early.press("update", { ...TYPED, email: "eve@example.com" });
    await at.update(shop, id, ROSE);
    const buyer = new PageBuyer(server.url, made.continue_url);
    expect(await buyer.look()).toContain("ada@example.com");
    expect(await early.look()).not.toMatch(/ada@|Gartenstr/);
  });

  test("leaves nothing of the place of somebody who was there before", async () => {
    const { made } = await begun();
    const first = new PageBuyer(server.url, made.continue_url);
    await first.look();
    await first.press("update", { ...TYPED, address_region: "BE-Mitte" });
    const second = new PageBuyer(server.url, made.continue_url);
    await second.look();
    await second.press("update", { email: "eve@example.com" });
    expect(await second.look()).not.toMatch(/10115|BE-Mitte|value="DE" selected/);
  });

  test("pays a reviewed checkout only in the browser that is shown where it goes", async () => {
    await publish([
      rule("sell", "allow", SKILL),
      rule("ask", "escalate", {
        all: [present(false), { "cart.total": { gt: { EUR: "500.00" } } }],
      }),
    ]);
    const { id, buyer, made } = await begun({ ...ROSE, ...lines(["palm", 1]) });
    await at.complete(shop, id);
    const shown = await buyer.look();
    expect(shown).toContain("Ada Love, Gartenstr. 1, 10115 Berlin, Germany, ada@example.com");
    const other = new PageBuyer(server.url, made.continue_url);
    expect(await other.look()).not.toMatch(/Gartenstr|<button/);
    const quote = /name="quote" value="([0-9a-f]+)"/.exec(shown)?.[1] ?? "";
    expect((await other.press("pay_now", { quote })).location).toBe(made.continue_url);
    const open = await begun(ROSE);
    await open.buyer.look();
    const stranger = new PageBuyer(server.url, open.made.continue_url);
    await stranger.look();
    expect((await stranger.press("pay_now", { quote })).location).toBe(open.made.continue_url);
    expect(await at.authorizations(shop)).toEqual([]);
  });

  test("is not stopped by how often others tried, nor voided for it after paying", async () => {
    const count = { scope: "site", window: "PT1H", gt: 3 };
    await publish([rule("sell", "allow", SKILL), rule("fast", "deny", { count })]);
    const { buyer } = await begun();
    const page = await buyer.order();
    for (let n = 0; n < 4; n++) {
      const { buyer: other } = await begun();
      await other.order();
      await other.press("cancel");
    }
    await at.bought(shop);
    expect(headingOf(await buyer.pay(page))).toBe(THANKS);
    const { buyer: last } = await begun();
    expect(headingOf(await last.pay(await last.order()))).toBe(THANKS);
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  });

  test("may pay what rules deny the platform itself, and is told where they deny it too", async () => {
    await publish([rule("sell", "allow", SKILL), rule("people", "deny", present(false))]);
    const { id, buyer } = await begun(ROSE);
    expect(told(await at.complete(shop, id))).toContain("policy_denied");
    expect(headingOf(await buyer.pay(await buyer.order()))).toBe(THANKS);
    const { buyer: refused } = await begun(ROSE);
    await publish([rule("nothing", "deny", SKILL)]);
    await refused.look();
    await refused.press("pay", TYPED);
    expect(noticeOf(await refused.look())).toContain("You can order directly from the shop.");
  });

  test("stays a person when a draft is tested, and counts in no window of it", async () => {
    const { buyer } = await begun();
    expect(headingOf(await buyer.pay(await buyer.order()))).toBe(THANKS);
    const tested = async (...rules: object[]) => {
      const policy = { ...CHECKOUT_POLICY, rules };
      return (await shop.admin("POST", "/policy/test", { policy })).body.changed.length;
    };
    const allow = rule("sell", "allow", SKILL);
    expect(await tested(allow, rule("people", "deny", present(true)))).toBe(1);
    expect(await tested(allow, rule("agents", "deny", present(false)))).toBe(0);
    const count = { scope: "site", window: "PT1H", gt: 1 };
    clock.advance(MINUTE_MS);
    await at.bought(shop);
    expect(await tested(allow, rule("fast", "deny", { count }))).toBe(0);
  });

  test("gets no order from a test page after the shop has connected another provider", async () => {
    const { buyer } = await begun();
    const page = await buyer.order();
    const { key: secret_key } = stripe.openAccount({ restricted: true });
    const account = { kind: "stripe", rail_on: true, settles: true, secret_key };
    expect((await shop.admin("PUT", "/processor", account)).status).toBe(200);
    await buyer.pay(page);
    expect([await at.orders(shop), await at.authorizations(shop)]).toEqual([[], []]);
  });

  test("cannot confirm to the bank what has closed", async () => {
    const { buyer } = await begun();
    const page = await buyer.order();
    const bank = (await buyer.ask(page, new URLSearchParams({ answer: "challenge" }))).location;
    clock.advance(46 * MINUTE_MS);
    await reconcile();
    await buyer.ask(bank, new URLSearchParams({ answer: "confirm" }));
    expect(await at.authorizations(shop)).toEqual([]);
    await expectNothingLeft();
  });

  test("keeps what was entered from callers who only name an unsigned platform", async () => {
    const { body: made } = await at.create(shop, BARE, { sign: false });
    const buyer = new PageBuyer(server.url, made.continue_url);
    await buyer.look();
    await buyer.press("update", TYPED);
    const read = await at.get(shop, made.id, { sign: false });
    expect(JSON.stringify(read.body)).not.toMatch(/ada@|Gartenstr|10115/);
  });
});
