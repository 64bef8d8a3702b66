import { UCP_VERSIONS } from "@gatehouse/protocol";
import {
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from "vitest";
import { deliverMessages } from "../../src/actions/notifications/deliver-messages.ts";
import { SHOP_MESSAGES } from "../../src/connectors/shop/contract.ts";
import { isoTime, ManualClock } from "../../src/infra/clock.ts";
import { findingsOfSite } from "../audit/exporting.ts";
import { NOON, TIER_DATABASES } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { PageBuyer, TYPED } from "../ucp/buyer.ts";
import { BUYER, lines, paying, SHOP, sent, told } from "../ucp/buying.ts";
import { requestFaults, schemaFaults } from "../ucp/schemas.ts";
import { openShopWorld, type ShopWorld } from "./shop-world.ts";

const MINUTE_MS = 60_000;
const ROSE = { ...lines(["rose", 1]), buyer: BUYER, ...sent("parcel") };

describe.each(TIER_DATABASES)("a site with a shop system, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, platform, at, system } = {} as ShopWorld;
  let shop: Shop;
  beforeAll(async () => {
    const world = await openShopWorld(dialect, clock);
    ({ server, platform, at, system } = world);
    return world.close;
  });
  beforeEach(async () => {
    clock.advance(MINUTE_MS);
    system.reset();
    shop = await at.shop({});
    await system.connect(server, shop.site_key_hash);
  });

  // The contract is what other people build on, so nothing else may be sent.
  afterEach(() => {
    for (const { webhook_id: _, ...message } of system.received) {
      const { message: schema } = SHOP_MESSAGES[message.type as keyof typeof SHOP_MESSAGES];
      expect(schema.parse(message)).toEqual(message);
    }
  });

  const totals = (body: { totals: { type: string; amount: number }[] }) =>
    Object.fromEntries(body.totals.map(({ type, amount }) => [type, amount]));
  const deliver = () => deliverMessages(server.context);
  const charged = async () =>
    (await at.authorizations(shop)).map(({ amount_minor }) => amount_minor);

  test("sells at the shop's prices, and the shop has the order once", async () => {
    const made = await at.create(shop, { ...ROSE, ...sent(null) });
    expect(told(made)).toEqual([201, "incomplete", "field_required"]);
    const [method] = made.body.fulfillment.methods;
    expect(method.groups[0].options.map(({ id }: { id: string }) => id)).toEqual([
      "parcel",
      "courier",
    ]);
    expect(made.body.continue_url).toBe("https://shop.example.com/checkout-link/?products=rose:1");
    const ready = await at.update(shop, made.body.id, ROSE);
    expect(told(ready)).toEqual([200, "ready_for_complete"]);
    // 100.00 and 4.90, and 19 % of both.
    const sums = { subtotal: 10_000, fulfillment: 490, tax: 1993, total: 12_483 };
    expect(totals(ready.body)).toEqual(sums);
    const done = await at.complete(shop, made.body.id);
    expect(told(done)).toEqual([200, "completed"]);
    expect(await charged()).toEqual([12_483]);
    const [reserved] = system.of("reserve");
    expect(reserved).toMatchObject({
      total_minor: 12_483,
      option_id: "parcel",
      expires_in_s: 7200,
    });
    await deliver();
    await deliver();
    const [order, ...others] = system.orders.values();
    expect(others).toEqual([]);
    expect(order).toMatchObject({
      order_id: done.body.order.id,
      revision: 1,
      reservation_id: reserved.reservation_id,
      test: true,
      lines: [{ line_id: "li_1", product_id: "rose", quantity: 1, cancelled: 0, sent: 0 }],
      option: { id: "parcel", amount_minor: 490 },
      tax_minor: 1993,
      total_minor: 12_483,
      buyer: { email: "ada@example.com", first_name: "Ada" },
      destination: { country: "DE", city: "Berlin", street: "Gartenstr. 1", last_name: "Love" },
      payment: { state: "authorized", provider: "sandbox" },
      refunds: [],
    });
    expect([system.stock.rose, system.reservations.size]).toEqual([4, 0]);
    expect((await at.product(shop, "rose")).quantity).toBe(49);
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  });

  test("shows a quote for 15 minutes, says when it was given, and asks again before it sells", async () => {
    const { id } = await at.ready(shop, ROSE);
    clock.advance(MINUTE_MS);
    expect(told(await at.get(shop, id))).toEqual([200, "ready_for_complete"]);
    clock.advance(13 * MINUTE_MS);
    const kept = await at.get(shop, id);
    expect(told(kept)).toEqual([200, "ready_for_complete", "quote_kept"]);
    const [note] = kept.body.messages;
    expect(note.type).toBe("info");
    expect(note.content).toContain(`at ${isoTime(clock.now() - 14 * MINUTE_MS).slice(11, 16)} UTC`);
    expect(system.of("quote")).toHaveLength(1);
    system.prices.rose = 11_000;
    const changed = await at.complete(shop, id);
    expect(told(changed)).toEqual([200, "ready_for_complete", "quote_changed"]);
    expect([system.of("quote").length, system.of("reserve").length]).toEqual([2, 0]);
    expect(totals(changed.body).subtotal).toBe(11_000);
    const done = await at.complete(shop, id);
    expect(told(done)).toEqual([200, "completed"]);
    expect(await charged()).toEqual([13_673]);
    const { purchase } = (await shop.admin("GET", `/orders/${done.body.order.id}`)).body;
    expect(purchase.quoted_at).toBe(isoTime(clock.now()));
  });

  test("prices a cart by the shop, whose prices may include the taxes that Gatehouse knows", async () => {
    await shop.admin("PUT", "/shop", SHOP);
    const cart = (path: string, body: unknown, method = "POST") =>
      at.call(shop, `/carts${path}`, body, { method });
    const wanted = { ...lines(["rose", 2]), context: { address_country: "AT" } };
    system.prices.rose = 9000;
    system.spoil = {
      quote: (answer) => ({
        ...answer,
        discounts: [{ title: "Autumn sale", amount_minor: 500 }],
        tax_minor: 0,
        total_minor: 17_500,
      }),
    };
    const made = await cart("", wanted);
    expect([made.status, schemaFaults("shopping/cart.json", made.body)]).toEqual([201, []]);
    expect(system.of("quote")).toMatchObject([{ destination: { country: "AT" }, option_id: null }]);
    expect(made.body.line_items[0].item.price).toBe(9000);
    // Gatehouse would add 20 % in Austria.
    expect(totals(made.body)).toEqual({ subtotal: 18_000, discount: -500, total: 17_500 });
    expect(made.body.messages).toBeUndefined();
    clock.advance(14 * MINUTE_MS);
    const kept = await cart(`/${made.body.id}`, undefined, "GET");
    expect(kept.body.messages).toMatchObject([{ type: "info", code: "quote_kept" }]);
    expect(kept.body.totals).toEqual(made.body.totals);
    clock.advance(2 * MINUTE_MS);
    system.spoil = { quote: "silent" };
    const away = await cart(`/${made.body.id}`, undefined, "GET");
    expect(schemaFaults("shopping/cart.json", away.body)).toEqual([]);
    expect(away.body.messages).toMatchObject([{ type: "info", code: "shop_unavailable" }]);
    expect(totals(away.body)).toEqual({ subtotal: 20_000, total: 20_000 });
    const unanswered = async () => (await shop.admin("GET", "/shop-connection")).body.unanswered;
    const since = new Date(clock.now()).toISOString();
    expect(await unanswered()).toEqual({ since, problem: expect.any(String) });
    expect((await cart(`/${made.body.id}/cancel`, undefined)).status).toBe(200);
    system.spoil = {};
    system.prices = {};
    const soldOut = await cart("", lines(["vase", 1]));
    expect(told(soldOut)).toEqual([200, "error", "not_found"]);
    expect(await unanswered()).toBeNull();
  });

  test("publishes no delivery prices of Gatehouse, because the shop has its own", async () => {
    await shop.admin("PUT", "/shop", SHOP);
    await shop.admin("PATCH", "", { published_feeds: { formats: ["google"], condition: "new" } });
    const feed = () => fetch(`${server.url}/v1/feeds/${shop.site_key_hash}/google.xml`);
    const connected = await feed();
    expect(await connected.text()).not.toContain("g:shipping");
    await system.send(server, "status", { type: "status", disconnect: true });
    await shop.admin("PATCH", "/products/rose", { paused: false });
    const own = await feed();
    expect(await own.text()).toContain("<g:service>By post</g:service>");
    expect(own.headers.get("etag")).not.toBe(connected.headers.get("etag"));
  });

  /** How many messages to shops were answered, and how many were not, by the metrics. */
  async function messages(result: string): Promise<number> {
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    const lines = metrics.matchAll(/^gatehouse_shop_messages_total\{(.*)\} (\d+)$/gm);
    return [...lines]
      .filter(([, labels = ""]) => labels.includes(`result="${result}"`))
      .reduce((sum, [, , count]) => sum + Number(count), 0);
  }

  test("counts in the metrics which messages the shop answered, and which it did not", async () => {
    const before = { answered: await messages("answered"), failed: await messages("failed") };
    expect(told(await at.create(shop, ROSE))).toEqual([201, "ready_for_complete"]);
    expect(await messages("answered")).toBe(before.answered + 1);
    expect(await messages("failed")).toBe(before.failed);
    // No answer, and one that is none. Another quantity each time, so that the shop is asked again.
    for (const [i, spoil] of ["silent" as const, () => ({ type: "order.answer" })].entries()) {
      clock.advance(MINUTE_MS);
      system.spoil = { quote: spoil };
      await at.create(shop, { ...ROSE, ...lines(["rose", i + 2]) });
      expect(await messages("failed")).toBe(before.failed + i + 1);
    }
    expect(await messages("answered")).toBe(before.answered + 1);
  });

  test("sells nothing while the shop does not answer, and the buyer can go there", async () => {
    const { id } = await at.ready(shop, ROSE);
    clock.advance(2 * MINUTE_MS);
    system.spoil = { quote: "silent" };
    const refused = await at.complete(shop, id);
    expect(told(refused)).toEqual([200, "incomplete", "shop_unavailable"]);
    expect(refused.body.continue_url).toContain("checkout-link");
    // A shop that is away is not asked for every request.
    await at.get(shop, id);
    expect(system.of("quote")).toHaveLength(2);
    system.spoil = {};
    clock.advance(11_000);
    expect(told(await at.get(shop, id))).toEqual([200, "ready_for_complete"]);
    expect(told(await at.complete(shop, id))).toEqual([200, "completed"]);
  });

  test.each([
    ["out_of_stock", "out_of_stock"],
    ["price_changed", "cart_mismatch"],
    ["closed", "skill_not_live"],
  ])("charges nothing if the shop refuses to reserve: %s", async (reason, code) => {
    const { id } = await at.ready(shop, ROSE);
    system.spoil = { reserve: () => ({ type: "reserve.answer", state: "refused", reason }) };
    const refused = await at.complete(shop, id);
    expect(told(refused).at(-1)).toBe(code);
    expect(await charged()).toEqual([]);
    await deliver();
    expect(system.of("release").map(({ reservation_id }) => reservation_id)).toEqual(
      system.of("reserve").map(({ reservation_id }) => reservation_id),
    );
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  });

  test("frees the goods if the card is declined, and repeats that until the shop has it", async () => {
    const { id } = await at.ready(shop, ROSE);
    const declined = await at.complete(shop, id, paying("pm_card_visa_chargeDeclined"));
    expect(told(declined).at(-1)).toBe("payment_failed");
    expect(system.reservations.size).toBe(1);
    system.spoil = { release: "silent" };
    await deliver();
    system.spoil = {};
    clock.advance(MINUTE_MS);
    await deliver();
    expect(system.reservations.size).toBe(0);
    const [first, second] = system.of("release");
    expect(first.webhook_id).toBe(second.webhook_id);
  });

  test("tells the shop of every change, and the newest is what counts", async () => {
    const { orderId } = await at.bought(shop, ROSE);
    await deliver();
    const order = `/orders/${orderId}`;
    await shop.admin("POST", `${order}/ship`, {});
    system.spoil = { order: "silent" };
    await deliver();
    system.spoil = {};
    clock.advance(MINUTE_MS);
    await deliver();
    expect(system.orders.get(orderId)).toMatchObject({ revision: 2, lines: [{ sent: 1 }] });
    expect((await shop.admin("GET", order)).body.shop_order_id).toBe("wc-1001");
  });

  test("prices a mandate by the shop, and decides nothing while the shop is away", async () => {
    const buyer = await at.buyer(shop);
    const mandate = await at.signed(shop, buyer, { total: "119.00" });
    system.ships = false;
    system.spoil = { quote: "silent" };
    const away = await at.send(shop, mandate);
    expect([away.status, away.body.outcome]).toEqual([503, "unavailable"]);
    system.spoil = {};
    clock.advance(11_000);
    const wrong = await at.order(shop, buyer, { total: "100.00" });
    expect([wrong.status, wrong.body.reason]).toEqual([400, "cart_mismatch"]);
    expect((await at.send(shop, mandate)).status).toBe(200);
    expect(await charged()).toEqual([11_900]);
    await deliver();
    const [order] = system.orders.values();
    expect(order).toMatchObject({ buyer: null, destination: null, total_minor: 11_900 });
  });

  test("names the fees of the shop to the buyer, the owner and the shop", async () => {
    const fees = [
      { title: "Gift <wrapping>", amount_minor: 250 },
      { title: "Deposit", amount_minor: 25 },
    ];
    system.spoil = {
      quote: (answer) => ({ ...answer, fees, total_minor: answer.total_minor + 275 }),
    };
    const wrong = { quote: (answer: { readonly total_minor: number }) => ({ ...answer, fees }) };
    // The shop in memory knows no fees, so it would refuse the total.
    const reserve = () => ({ type: "reserve.answer", state: "reserved" });
    system.spoil = { ...system.spoil, reserve };
    const { id } = await at.ready(shop, ROSE);
    const { totals: sums } = (await at.get(shop, id)).body;
    expect(sums.filter(({ type }: { readonly type: string }) => type === "fee")).toEqual([
      { type: "fee", display_text: "Gift <wrapping>", amount: 250 },
      { type: "fee", display_text: "Deposit", amount: 25 },
    ]);
    const done = await at.complete(shop, id);
    expect(told(done)).toEqual([200, "completed"]);
    await deliver();
    const [order] = system.orders.values();
    expect(order).toMatchObject({ fee_minor: 275, tax_minor: 1993, total_minor: 12_758 });
    const { purchase } = (await shop.admin("GET", `/orders/${done.body.order.id}`)).body;
    expect(purchase).toMatchObject({ fee_minor: 275, tax_minor: 1993 });
    system.spoil = wrong;
    clock.advance(16 * MINUTE_MS);
    expect(told(await at.create(shop, ROSE)).at(-1)).toBe("shop_unavailable");
  });

  test("sells by mandate what has to be sent only if the owner wants it, since no order has its address", async () => {
    const buyer = await at.buyer(shop);
    const refused = await at.order(shop, buyer, { total: "119.00" });
    expect([refused.status, refused.body.reason]).toEqual([400, "cart_invalid"]);
    expect(refused.body.message).toContain("call `create_checkout`");
    expect([await charged(), system.of("reserve")]).toEqual([[], []]);
    const { body: settings } = await shop.admin("GET", "/shop");
    await shop.admin("PUT", "/shop", { ...settings, orders_without_address: true });
    const ordered = await at.order(shop, buyer, { total: "119.00" });
    expect([ordered.status, ordered.body.outcome]).toEqual([200, "approved"]);
  });

  /** Notes how long Gatehouse waits for each answer of the shop, and does something after it. */
  const exchanges = (afterAnswer = () => {}) => {
    const { safeFetch } = server.context;
    const exchange = safeFetch.exchange.bind(safeFetch);
    const waits: (number | undefined)[] = [];
    const spy = vi.spyOn(safeFetch, "exchange").mockImplementation(async (url, message, limits) => {
      waits.push(limits?.totalMs);
      const answer = await exchange(url, message, limits);
      afterAnswer();
      return answer;
    });
    onTestFinished(() => spy.mockRestore());
    return waits;
  };

  test("waits two seconds for a quote and five for a reservation of a shop that never answers, and charges nothing", async () => {
    const { id } = await at.ready(shop, ROSE);
    const waits = exchanges();
    /** Completes the checkout, and gives the shop a time to answer a message. */
    const completeAfter = async (type: string, ms: number) => {
      const before = system.of(type).length;
      const answer = at.complete(shop, id);
      await vi.waitFor(() => expect(system.of(type).length).toBe(before + 1));
      clock.advance(ms);
      return answer;
    };
    clock.advance(2 * MINUTE_MS);
    system.spoil = { quote: "never" };
    const refused = await completeAfter("quote", 2000);
    expect(told(refused)).toEqual([200, "incomplete", "shop_unavailable"]);
    expect(refused.body.continue_url).toContain("checkout-link");
    expect([waits, system.of("reserve"), await charged()]).toEqual([[2000], [], []]);
    clock.advance(11_000);
    system.spoil = { reserve: "never" };
    await at.get(shop, id);
    const unreserved = await completeAfter("reserve", 5000);
    expect(told(unreserved)).toEqual([200, "ready_for_complete", "shop_unavailable"]);
    expect(unreserved.body.continue_url).toContain("checkout-link");
    expect([waits, await charged()]).toEqual([[2000, 2000, 5000], []]);
    await deliver();
    expect(system.reservations.size).toBe(0);
  });

  /** A buyer in a browser, at the page of a checkout that the shop cannot take over. */
  const buyerAt = async () => {
    system.connectionLink = null;
    await system.connect(server, shop.site_key_hash);
    const { body } = await at.create(shop, lines(["rose", 1]));
    return { id: body.id as string, buyer: new PageBuyer(server.url, body.continue_url) };
  };
  const PARCEL = { ...TYPED, option: "parcel" };

  test("opens the payment page after a live quote and a reservation, and not without them", async () => {
    const { id, buyer } = await buyerAt();
    await buyer.look();
    await buyer.press("update", PARCEL);
    await buyer.look();
    clock.advance(2 * MINUTE_MS);
    system.received = [];
    system.spoil = {
      reserve: () => ({ type: "reserve.answer", state: "refused", reason: "out_of_stock" }),
    };
    const refused = await buyer.press("pay", PARCEL);
    expect(refused.location).not.toContain("/v1/sandbox/payments/");
    expect(system.received.map(({ type }) => type)).toEqual(["quote", "reserve"]);
    await deliver();
    expect(system.reservations.size).toBe(0);
    system.spoil = {};
    const page = await buyer.order(PARCEL);
    expect(system.reservations.size).toBe(1);
    await buyer.pay(page);
    expect((await at.get(shop, id)).body.status).toBe("completed");
    expect(await charged()).toEqual([12_483]);
    await deliver();
    expect([...system.orders.values()].at(-1)).toMatchObject({ total_minor: 12_483 });
  });

  test("asks the shop at most three times for one request, and charges nothing then", async () => {
    const { buyer } = await buyerAt();
    await buyer.look();
    await buyer.press("update", PARCEL);
    await buyer.look();
    clock.advance(2 * MINUTE_MS);
    // Each answer takes so long that the one before it is no longer live. With one option, two are needed.
    const one = { id: "only", title: "Parcel", amount_minor: 0 };
    const quote = { options: [one], tax_minor: 0, total_minor: 10_000 };
    system.spoil = { quote: (answer) => ({ ...answer, ...quote }) };
    exchanges(() => clock.advance(2 * MINUTE_MS));
    system.received = [];
    const refused = await buyer.press("pay", PARCEL);
    expect([refused.status, system.of("quote").length]).toEqual([503, 3]);
    expect([system.of("reserve"), await charged()]).toEqual([[], []]);
  });

  test("pays for an approved review after a live quote and a reservation, and not without them", async () => {
    system.prices.rose = 60_000;
    const { id } = await at.ready(shop, ROSE);
    expect(told(await at.complete(shop, id))).toContain("review_required");
    clock.advance(10 * MINUTE_MS);
    const [{ escalation_id, purchase }] = (await shop.admin("GET", "/escalations")).body.items;
    expect(purchase.quoted_at).toBe(isoTime(clock.now() - 10 * MINUTE_MS));
    const approve = () => shop.admin("POST", `/escalations/${escalation_id}/approve`, {});
    system.spoil = { quote: "silent" };
    expect((await approve()).status).toBe(409);
    clock.advance(11_000);
    expect([system.of("reserve"), await charged()]).toEqual([[], []]);
    system.spoil = {};
    system.received = [];
    expect((await approve()).body).toEqual({ status: "approved" });
    expect(system.received.map(({ type }) => type)).toEqual(["quote", "reserve"]);
    expect(await charged()).toEqual([71_983]);
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  });

  test("charges nothing for an approved review if the shop refuses to reserve", async () => {
    system.prices.rose = 60_000;
    const { id } = await at.ready(shop, ROSE);
    await at.complete(shop, id);
    const [{ escalation_id }] = (await shop.admin("GET", "/escalations")).body.items;
    system.spoil = {
      reserve: () => ({ type: "reserve.answer", state: "refused", reason: "out_of_stock" }),
    };
    await shop.admin("POST", `/escalations/${escalation_id}/approve`, {});
    expect(told(await at.get(shop, id)).at(-1)).toBe("out_of_stock");
    expect([system.of("reserve").length, await charged()]).toEqual([1, []]);
  });

  test("sends nothing to an address that is not public, even if the shop's own domain has it", async () => {
    const { resolver, safeFetch } = server.context;
    const { addresses } = resolver;
    onTestFinished(() => {
      resolver.addresses = addresses;
    });
    const asked = vi.spyOn(safeFetch, "exchange");
    onTestFinished(() => asked.mockRestore());
    for (const address of ["10.0.0.7", "169.254.169.254", "::1", "93.184.215.14 192.168.1.1"]) {
      resolver.addresses = async () => address.split(" ");
      clock.advance(11_000);
      await system.connect(server, shop.site_key_hash, "https://shop.example.com/connector");
      expect(told(await at.create(shop, ROSE)).at(-1)).toBe("shop_unavailable");
      const answer = await asked.mock.results.at(-1)?.value;
      expect([address, answer.reason]).toEqual([address, "not_global_address"]);
    }
    expect(asked).toHaveBeenCalledTimes(4);
  });

  test("follows no redirect of the shop", async () => {
    const { id } = await at.ready(shop, ROSE);
    clock.advance(2 * MINUTE_MS);
    system.paths = [];
    system.status = 307;
    system.location = `http://${system.host}/elsewhere`;
    expect(told(await at.complete(shop, id)).at(-1)).toBe("shop_unavailable");
    expect([system.paths, await charged()]).toEqual([["/connector"], []]);
  });

  const DISCOUNT = "dev.ucp.shopping.discount";
  const DISCOUNTED = `shopping/discount.json#/$defs/${DISCOUNT.replace("discount", "checkout")}`;
  /** Calls of a platform that knows discount codes, in a version of UCP. */
  const discounting = (version: string) => {
    platform.speaks(version, undefined, [DISCOUNT]);
    return { profile: platform.profileUrl(`discounts-${version}`) };
  };
  const capabilities = async () => {
    const answer = await fetch(`${server.url}/v1/ucp/${shop.site_key_hash}/profile`);
    return Object.keys((await answer.json()).ucp.capabilities);
  };

  test.each(UCP_VERSIONS)("takes discount codes of the shop, in version %s", async (version) => {
    const by = discounting(version);
    const codes = ["Welcome10", "nothing", " WELCOME10 "];
    const asked = { ...ROSE, discounts: { codes } };
    expect(requestFaults(DISCOUNTED, "create", asked, version)).toEqual([]);
    const made = await at.create(shop, asked, by);
    expect(schemaFaults(DISCOUNTED, made.body)).toEqual([]);
    expect(told(made)).toEqual([201, "ready_for_complete", "discount_code_invalid"]);
    expect(made.body.ucp.capabilities).toHaveProperty([DISCOUNT, 0, "version"], version);
    expect(made.body.messages).toMatchObject([{ type: "warning", path: "$.discounts.codes[1]" }]);
    const applied = [{ code: "welcome10", title: "10 % for new customers", amount: 1000 }];
    expect(made.body.discounts).toEqual({ codes: ["Welcome10", "nothing"], applied });
    // 100.00 - 10.00 + 4.90, and 19 % of that.
    const sums = { subtotal: 10_000, discount: -1000, fulfillment: 490, tax: 1803, total: 11_293 };
    expect(totals(made.body)).toEqual(sums);
    const { id } = made.body;
    const same = await at.update(shop, id, ROSE, by);
    expect(same.body.discounts).toEqual(made.body.discounts);
    const done = await at.complete(shop, id, paying(), by);
    expect(told(done)).toEqual([200, "completed"]);
    expect(schemaFaults(DISCOUNTED, done.body)).toEqual([]);
    expect(await charged()).toEqual([11_293]);
    expect(system.of("reserve")).toMatchObject([{ coupons: ["Welcome10"], total_minor: 11_293 }]);
    await deliver();
    const order = system.orders.get(done.body.order.id);
    expect(order).toMatchObject({ discount_minor: 1000, total_minor: 11_293 });
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  });

  test("leads the buyer to the shop with the code, or says which codes to enter there", async () => {
    const by = discounting("2026-08-25");
    const at1 = "https://shop.example.com/checkout-link/?products=rose:1";
    const link = (rest: string) =>
      `https://shop.example.com/checkout-link/?products={items}${rest}`;
    const next = async (codes: readonly string[]) => {
      const { body } = await at.create(shop, { ...ROSE, discounts: { codes } }, by);
      expect(schemaFaults(DISCOUNTED, body)).toEqual([]);
      const said = (body.messages ?? []).map(({ code }: { code: string }) => code);
      return [body.continue_url, said.filter((code: string) => code.includes("carried")).length];
    };
    // Accepts every code.
    system.spoil = { quote: (answer) => ({ ...answer, rejected_coupons: [] }) };
    system.connectionLink = link("");
    await system.connect(server, shop.site_key_hash);
    expect(await next(["welcome10"])).toEqual([at1, 1]);
    system.connectionLink = link("&coupon={coupon}#pay");
    await system.connect(server, shop.site_key_hash);
    expect(await next([])).toEqual([`${at1}#pay`, 0]);
    expect(await next(["A&b $&"])).toEqual([`${at1}&coupon=A%26b%20%24%26#pay`, 0]);
    expect(await next(["a", "b"])).toEqual([`${at1}#pay`, 1]);
    system.spoil = {};
    expect(await next(["welcome10", "nothing"])).toEqual([`${at1}&coupon=welcome10#pay`, 0]);
  });

  test("forgets codes that are replaced, and takes few at once", async () => {
    const by = discounting("2026-08-25");
    const { id } = (await at.create(shop, { ...ROSE, discounts: { codes: ["welcome10"] } }, by))
      .body;
    const cleared = await at.update(shop, id, { ...ROSE, discounts: { codes: [] } }, by);
    expect(cleared.body.discounts).toEqual({ codes: [], applied: [] });
    expect(totals(cleared.body).total).toBe(12_483);
    for (const codes of [["1", "2", "3", "4", "5", "6"], [7], "welcome10", ["x".repeat(101)]]) {
      const refused = await at.update(shop, id, { ...ROSE, discounts: { codes } }, by);
      expect([refused.status, refused.body.code]).toEqual([400, "invalid_request"]);
    }
  });

  test("does not charge a code that the shop takes back, unless the buyer agrees", async () => {
    const by = discounting("2026-08-25");
    const { id } = (await at.create(shop, { ...ROSE, discounts: { codes: ["welcome10"] } }, by))
      .body;
    clock.advance(2 * MINUTE_MS);
    system.coupon = "over";
    const changed = await at.complete(shop, id, paying(), by);
    expect(told(changed).slice(2)).toEqual(["quote_changed", "discount_code_invalid"]);
    expect([await charged(), system.of("reserve")]).toEqual([[], []]);
  });

  test("offers discount codes only while the shop is connected, and to platforms that know them", async () => {
    const asked = { ...ROSE, discounts: { codes: ["welcome10"] } };
    platform.speaks("2026-08-25");
    const unaware = (await at.create(shop, asked, { profile: platform.profileUrl("plain") })).body;
    const by = discounting("2026-08-25");
    expect([unaware.discounts, totals(unaware).total]).toEqual([undefined, 12_483]);
    expect(await capabilities()).toContain(DISCOUNT);
    await system.send(server, "status", { type: "status", disconnect: true });
    await shop.admin("PATCH", "/products/rose", { paused: false });
    expect(await capabilities()).not.toContain(DISCOUNT);
    const own = (await at.create(shop, asked, by)).body;
    expect([own.discounts, totals(own).total]).toEqual([undefined, 10_000]);
    expect(own.ucp.capabilities).not.toHaveProperty([DISCOUNT]);
  });

  test("shows a buyer on the page what the shop takes off", async () => {
    const by = discounting("2026-08-25");
    const asked = { ...ROSE, discounts: { codes: ["welcome10"] } };
    system.connectionLink = null;
    await system.connect(server, shop.site_key_hash);
    const { continue_url } = (await at.create(shop, asked, by)).body;
    const page = await (await fetch(continue_url)).text();
    expect(page).toMatch(/Discount<\/th><td>-€10\.00/);
  });

  test.each([
    ["a wrong sum", { total_minor: 1 }],
    ["another currency", { currency: "USD" }],
    ["other lines", { lines: [{ product_id: "vase", quantity: 1, unit_minor: 1 }] }],
    ["a negative tax", { tax_minor: -1993, total_minor: 8497 }],
    ["the type of the question", { type: "quote" }],
  ])("does not use a quote with %s", async (_what, wrong) => {
    system.spoil = { quote: (answer) => ({ ...answer, ...wrong }) };
    expect(told(await at.create(shop, ROSE))).toEqual([201, "incomplete", "shop_unavailable"]);
  });

  test("limits the length of a shop's texts in the log and the console", async () => {
    system.spoil = { quote: (answer) => ({ ...answer, currency: "X".repeat(100_000) }) };
    expect(told(await at.create(shop, ROSE)).at(-1)).toBe("shop_unavailable");
    const { body } = await shop.admin("GET", "/shop-connection");
    expect(body.unanswered.problem).toMatch(/currency/);
    expect(body.unanswered.problem.length).toBeLessThan(200);
  });

  test("shows the titles of a shop on one line, without hidden characters", async () => {
    const options = [
      { id: "parcel", title: "Par\u202ecel\nFree", amount_minor: 490, days: [1, 3] },
    ];
    system.spoil = { quote: (answer) => ({ ...answer, options }) };
    const { body } = await at.create(shop, ROSE);
    expect(body.fulfillment.methods[0].groups[0].options[0].title).toBe("Parcel Free");
    clock.advance(11_000);
    const hidden = [{ ...options[0], title: "\u200b" }];
    system.spoil = { quote: (answer) => ({ ...answer, options: hidden }) };
    const more = { ...ROSE, ...lines(["rose", 2]) };
    expect(told(await at.create(shop, more)).at(-1)).toBe("shop_unavailable");
  });

  test("refuses an order id that contains NUL", async () => {
    await at.bought(shop, ROSE);
    system.spoil = { order: (answer) => ({ ...answer, shop_order_id: "9\0" }) };
    await deliver();
    const { items } = (await shop.admin("GET", "/messages")).body;
    const [message] = items.filter(({ audience }: { audience: string }) => audience === "shop");
    expect(message).toMatchObject({ state: "waiting" });
    expect(message.last_problem).toContain("shop_order_id");
  });

  test("believes nobody without the secret, and no other status", async () => {
    system.otherSecret = `whsec_${Buffer.alloc(32).toString("base64")}`;
    expect(told(await at.create(shop, ROSE)).at(-1)).toBe("shop_unavailable");
    system.otherSecret = undefined;
    system.status = 500;
    clock.advance(11_000);
    expect(told(await at.create(shop, ROSE)).at(-1)).toBe("shop_unavailable");
  });
});
