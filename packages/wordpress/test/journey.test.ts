import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { command } from "../../cli/test/command.ts";
import { deliverMessages } from "../../server/src/actions/notifications/deliver-messages.ts";
import { systemClock } from "../../server/src/infra/clock.ts";
import { findingsOfSite } from "../../server/test/audit/exporting.ts";
import {
  cleanUp,
  freshEnvironment,
  startServer,
  type TestServer,
} from "../../server/test/harness.ts";
import type { Shop } from "../../server/test/mandates/submitting.ts";
import { BUYER, buying, lines } from "../../server/test/ucp/buying.ts";
import { isShopsNews, Platform } from "../../server/test/ucp/platform.ts";
import { browser } from "./browser.ts";
import { BERLIN, connectCode, FLAT_RATE, newShop, openForAgents } from "./market.ts";
import { takePicture } from "./pictures.ts";
import { missing, startWordPress, TESTS_ARE_SALES, type WordPress } from "./wordpress.ts";

/** Two of this product by UCP, and one of the other, which is not sent, by mandate. */
const CUP = { sku: "SHOP-010", minor: 1350 };
const CARD = { sku: "SHOP-007", price: "10.65", minor: 1065 };
/** One that is only looked at. */
const TRAY = { sku: "SHOP-014" };
/** 4.90, and 19 % of it. */
const DELIVERY_MINOR = 583;
const TOTAL_MINOR = 2 * CUP.minor + DELIVERY_MINOR;
const REFUND_MINOR = 500;
/** How soon agents find on the shop's own domain that it sells. */
const VISIBLE_MS_MAX = 15_000;

// biome-ignore lint/suspicious/noExplicitAny: what PHP and the admin interface answer
type Json = any;

describe.skipIf(missing !== undefined)("from the installed plugin to a refunded order", () => {
  let server: TestServer;
  let platform: Platform;
  let wordpress: WordPress;
  let shop: Shop;
  let at: ReturnType<typeof buying>;
  let ids: Readonly<Record<string, string>>;
  const bought = { mandate: "", checkout: "" };

  beforeAll(async () => {
    [wordpress, platform] = await Promise.all([
      startWordPress(() => TESTS_ARE_SALES),
      Platform.start(),
    ]);
    platform.speaks("2026-08-25", undefined, ["dev.ucp.shopping.discount"]);
    const domain = `localhost:${wordpress.port}`;
    const env = await freshEnvironment("sqlite");
    server = await startServer({ ...env, GATEHOUSE_FETCH_ALLOW: `${domain},${platform.host}` });
    // Messages arrive when a test says so.
    await server.context.jobs.stop();
    shop = await newShop(server, domain);
    at = buying(server, platform, systemClock);
    ids = await wordpress.evaluate(
      `echo json_encode( array_map( fn( $sku ) => (string) wc_get_product_id_by_sku( $sku ), array( 'cup' => '${CUP.sku}', 'card' => '${CARD.sku}', 'tray' => '${TRAY.sku}' ) ) );`,
    );
  });
  afterAll(async () => {
    platform?.stop();
    await wordpress?.stop();
    await cleanUp();
  });

  const deliver = () => deliverMessages(server.context);
  const php = (code: string): Promise<Json> => wordpress.evaluate(code);
  /** The shop's order, and nothing but one. */
  async function shopOrder(orderId: string): Promise<Json> {
    const orders = await php(`$found = array();
      foreach ( wc_get_orders( array( 'limit' => -1, 'meta_key' => '_gatehouse_order_id', 'meta_value' => '${orderId}' ) ) as $order ) {
        $items   = array_map( fn( $item ) => array( (string) $item->get_product_id(), $item->get_quantity(), wc_format_decimal( $item->get_total(), 2 ), wc_format_decimal( $item->get_total_tax(), 2 ) ), array_values( $order->get_items() ) );
        $found[] = array(
          'id' => (string) $order->get_id(), 'status' => $order->get_status(), 'via' => $order->get_created_via(), 'items' => $items,
          'total' => $order->get_total(), 'tax' => $order->get_total_tax(), 'shipping' => wc_format_decimal( $order->get_shipping_total(), 2 ), 'method' => $order->get_shipping_method(),
          'city' => $order->get_shipping_city(), 'email' => $order->get_billing_email(), 'refunded' => wc_format_decimal( $order->get_total_refunded(), 2 ),
        );
      }
      echo json_encode( $found );`);
    expect(orders).toHaveLength(1);
    return orders[0];
  }
  const shopStock = () =>
    php(
      `echo json_encode( array( wc_get_product( ${ids.cup} )->get_stock_quantity(), wc_get_product( ${ids.card} )->get_stock_quantity() ) );`,
    );
  const gatehouseStock = async () =>
    Promise.all([ids.cup, ids.card].map(async (id) => (await product(id ?? "")).quantity));
  const product = async (id: string) => {
    const { items } = (await shop.admin("GET", "/products?limit=200")).body;
    return items.find((one: Json) => one.id === id);
  };
  const readOrder = async (id: string) => (await shop.admin("GET", `/orders/${id}`)).body;
  /** The sandbox's own books. */
  const charged = () =>
    server.context.db.all<Json>(
      "SELECT status, amount_minor, captured_minor FROM sandbox_authorizations ORDER BY amount_minor",
    );
  const returned = () =>
    server.context.db.all<Json>("SELECT kind, status, amount_minor FROM sandbox_returns");

  test("the owner installs the plugin and connects it with the code of the console", async () => {
    expect(await wordpress.command("status")).toBe("Not connected.\n");
    await takePicture(wordpress, { name: "wordpress-connect", shows: "Connect with a code" });
    const said = await wordpress.command("connect", {}, await connectCode(shop));
    expect(said).toContain("Success: Connected");
    const { body } = await shop.admin("GET", "");
    expect([body.domain, body.status]).toEqual([`localhost:${wordpress.port}`, "verified"]);
  });

  test("the shop's products appear at Gatehouse with their prices and their stock", async () => {
    await wordpress.work("gatehouse_full_sync");
    expect(await product(ids.cup ?? "")).toMatchObject({
      price: { minor: CUP.minor, currency: "EUR" },
      quantity: 100,
    });
    const profile = async () => (await fetch(`${wordpress.url}/.well-known/ucp`)).status;
    expect(await profile()).toBe(404);
    await openForAgents(shop);
    await expect.poll(profile, { timeout: VISIBLE_MS_MAX, interval: 500 }).toBe(200);
    const status = await wordpress.evaluate(
      "Gatehouse\\Connection_Status::clear(); echo json_encode( Gatehouse\\Connection_Status::recent( Gatehouse\\Settings::current() ) );",
    );
    expect(status).toMatchObject({ open: true });
  });

  test("what the shop stops counting can be bought in any number, by a change and by a full list", async () => {
    const stored = async () => {
      const tray = await product(ids.tray ?? "");
      return [tray.quantity, tray.gtin];
    };
    let quantity = 3;
    // More each time, because the shop's answer to the same question is kept.
    const wantMore = async () =>
      (await at.create(shop, lines([ids.tray ?? "", ++quantity]))).status;
    const change = async (code: string, hook: string) => {
      await php(`$p = wc_get_product( ${ids.tray} ); ${code} $p->save(); echo 1;`);
      if (hook === "gatehouse_full_sync") await wordpress.command("sync");
      else await wordpress.work(hook);
    };
    for (const hook of ["gatehouse_push_products", "gatehouse_full_sync"]) {
      await change(
        "$p->set_manage_stock( true ); $p->set_stock_quantity( 3 ); $p->set_global_unique_id( '4006381333931' );",
        hook,
      );
      expect([hook, await stored(), await wantMore()]).toEqual([hook, [3, "4006381333931"], 200]);
      await change("$p->set_manage_stock( false ); $p->set_global_unique_id( '' );", hook);
      expect([hook, await stored(), await wantMore()]).toEqual([hook, [null, null], 201]);
    }
  });

  test("gatehouse verify ticks every check of the documents on the shop's own domain", async () => {
    await wordpress.command("refresh");
    const signed = ["", "/agent", "/.well-known/agent-card.json", "/.well-known/ai-catalog.json"];
    for (const path of signed) {
      const { code, out, err } = await command(["verify", wordpress.url + path], {});
      expect([path, code, err]).toEqual([path, 0, ""]);
      expect(out).not.toContain("✗");
    }
  });

  test("a platform finds the shop by its domain, finds a product and fills a cart", async () => {
    const profile: Json = await (await fetch(`${wordpress.url}/.well-known/ucp`)).json();
    expect(profile.ucp.capabilities).toHaveProperty(["dev.ucp.shopping.checkout"]);
    const { title } = await product(ids.cup ?? "");
    const found = await at.call(shop, "/catalog/search", { query: title });
    const first = found.body.products.find(({ id }: Json) => id === ids.cup);
    expect(first).toMatchObject({ title });
    const context = { address_country: "DE" };
    const cart = await at.call(shop, "/carts", { ...lines([ids.cup ?? "", 2]), context });
    expect(cart.body.line_items).toMatchObject([{ item: { id: ids.cup }, quantity: 2 }]);
    // The prices of this shop include tax.
    expect(cart.body.totals).toEqual([
      { type: "subtotal", amount: 2 * CUP.minor },
      { type: "total", amount: 2 * CUP.minor },
    ]);
  });

  test("a platform uses a coupon of the shop, and learns which codes are none", async () => {
    const discounts = { codes: ["Welcome10", "nothing"] };
    const made = await at.create(shop, { ...lines([ids.cup ?? "", 2]), discounts });
    expect(made.body.discounts).toMatchObject({
      ...discounts,
      applied: [{ code: "welcome10", amount: 270 }],
    });
    expect(made.body.totals.at(-1)).toEqual({ type: "total", amount: 2 * CUP.minor - 270 });
    const warning = { type: "warning", path: "$.discounts.codes[1]" };
    expect(made.body.messages).toContainEqual(expect.objectContaining(warning));
    const link = `${wordpress.url}/checkout-link/?products=${ids.cup}:2&coupon=Welcome10`;
    expect(made.body.continue_url).toBe(link);
    // And pays the same in the shop.
    const buyer = browser(wordpress.url);
    await buyer.send(link.slice(wordpress.url.length));
    const cart = JSON.parse((await buyer.send("/wp-json/wc/store/v1/cart")).text);
    expect(cart.coupons.map(({ code }: Json) => code)).toEqual(["welcome10"]);
    expect(cart.totals.total_discount_tax).toBeDefined();
    expect(Number(cart.totals.total_items) + Number(cart.totals.total_items_tax)).toBe(
      2 * CUP.minor,
    );
    const taken = Number(cart.totals.total_discount) + Number(cart.totals.total_discount_tax);
    expect(taken).toBe(270);
  });

  test("a buyer who is handed over has the goods in the cart of WooCommerce's own checkout", async () => {
    const made = await at.create(shop, lines([ids.cup ?? "", 2]));
    const { continue_url } = made.body;
    expect(continue_url).toBe(`${wordpress.url}/checkout-link/?products=${ids.cup}:2`);
    const buyer = browser(wordpress.url);
    const { location } = await buyer.send(continue_url.slice(wordpress.url.length));
    expect(location).toContain("/checkout/");
    expect((await buyer.send(location.slice(wordpress.url.length))).status).toBe(200);
    const { items } = JSON.parse((await buyer.send("/wp-json/wc/store/v1/cart")).text);
    expect(items.map(({ id, quantity }: Json) => [String(id), quantity])).toEqual([[ids.cup, 2]]);
  });

  test("an agent buys by mandate, and a platform buys with delivery to a buyer", async () => {
    const agent = await at.buyer(shop);
    const parcel = [{ id: ids.cup, quantity: 1 }];
    const refused = await at.order(shop, agent, { items: parcel, total: "13.50" });
    expect([refused.status, refused.body.reason]).toEqual([400, "cart_invalid"]);
    expect(refused.body.message).toContain("These goods must be sent");
    const items = [{ id: ids.card, quantity: 1 }];
    const answer = await at.order(shop, agent, { items, total: CARD.price });
    expect([answer.status, answer.body.outcome]).toEqual([200, "approved"]);
    bought.mandate = answer.body.order_id;
    const delivery = {
      type: "shipping",
      destinations: [BERLIN],
      groups: [{ selected_option_id: FLAT_RATE }],
    };
    const body = {
      ...lines([ids.cup ?? "", 2]),
      buyer: BUYER,
      fulfillment: { methods: [delivery] },
    };
    const { orderId, order } = await at.bought(shop, body);
    bought.checkout = orderId;
    expect(order.id).toBe(orderId);
    expect((await readOrder(orderId)).amount.minor).toBe(TOTAL_MINOR);
  });

  test("both orders are in WooCommerce once, with lines, taxes and delivery, and the stock is reduced once", async () => {
    await deliver();
    await deliver();
    expect(await shopOrder(bought.checkout)).toMatchObject({
      status: "processing",
      via: "gatehouse",
      items: [[ids.cup, 2, "22.69", "4.31"]],
      total: "32.83",
      tax: "5.24",
      shipping: "4.90",
      city: "Berlin",
      email: BUYER.email,
    });
    expect(await shopOrder(bought.mandate)).toMatchObject({
      status: "processing",
      items: [[ids.card, 1, "8.95", "1.70"]],
      total: CARD.price,
    });
    await wordpress.work("gatehouse_push_products");
    expect([await shopStock(), await gatehouseStock()]).toEqual([
      [98, 99],
      [98, 99],
    ]);
    const { id } = await shopOrder(bought.checkout);
    expect((await readOrder(bought.checkout)).shop_order_id).toBe(id);
    await wordpress.background();
    await takePicture(wordpress, { name: "wordpress-connected", shows: "What agents see" });
    const path = `/wp-admin/admin.php?page=wc-orders&action=edit&id=${id}`;
    const owner = browser(wordpress.url);
    await owner.signIn(wordpress.admin);
    const { text } = await owner.send(path);
    expect(text).toContain("Bought through Gatehouse");
    // Names of lines at Gatehouse are for programs.
    expect(text).not.toContain("_gatehouse_line_id");
    await takePicture(wordpress, {
      name: "wordpress-order",
      path,
      shows: "Bought through Gatehouse",
    });
    expect(await charged()).toMatchObject([
      { status: "authorized", amount_minor: CARD.minor },
      { status: "authorized", amount_minor: TOTAL_MINOR },
    ]);
  });

  test("an order that is completed in WooCommerce is sent and captured, once", async () => {
    const { id } = await shopOrder(bought.checkout);
    await php(`wc_get_order( ${id} )->update_status( 'completed' ); echo 1;`);
    await wordpress.work("gatehouse_send_order_changes");
    const order = await readOrder(bought.checkout);
    expect([order.status, order.payment]).toEqual(["shipped", "captured"]);
    await deliver();
    expect((await shopOrder(bought.checkout)).status).toBe("completed");
    expect(await charged()).toMatchObject([
      { status: "authorized" },
      { status: "captured", captured_minor: TOTAL_MINOR },
    ]);
  });

  test("a refund in WooCommerce goes back to the buyer, once, and is recorded on both sides", async () => {
    const { id } = await shopOrder(bought.checkout);
    await php(
      `wc_create_refund( array( 'order_id' => ${id}, 'amount' => '5.00', 'reason' => 'A crack' ) ); echo 1;`,
    );
    await wordpress.work("gatehouse_send_order_changes");
    await deliver();
    expect((await readOrder(bought.checkout)).refunded_minor).toBe(REFUND_MINOR);
    expect((await shopOrder(bought.checkout)).refunded).toBe("5.00");
    expect(await returned()).toEqual([
      { kind: "refund", status: "completed", amount_minor: REFUND_MINOR },
    ]);
  });

  test("the platform gets a signed message about every step, once, with the whole order", async () => {
    const profile: Json = await (
      await fetch(`${server.url}/v1/ucp/${shop.site_key_hash}/profile`)
    ).json();
    for (const news of platform.news) expect(await isShopsNews(profile, news)).toBe(true);
    const told = platform.news.map(({ body }) => JSON.parse(body));
    const made = { id: bought.checkout, totals: [{}, {}, { type: "total", amount: TOTAL_MINOR }] };
    const shipped = { ...made, fulfillment: { events: [{ type: "shipped" }] } };
    const totals = [{ type: "total", amount: -REFUND_MINOR }];
    const refund = { type: "refund", status: "completed", totals, description: "A crack" };
    expect(told).toMatchObject([made, shipped, { ...shipped, adjustments: [refund] }]);
    expect(
      told.map(({ fulfillment, adjustments = [] }) => [
        fulfillment.events?.length ?? 0,
        adjustments.length,
      ]),
    ).toEqual([
      [0, 0],
      [1, 0],
      [1, 1],
    ]);
  });

  test("the audit log has each decision and each movement of money once, with who asked for it, and verifies", async () => {
    const records = (await shop.admin("GET", "/audit/records?limit=200")).body.items
      .map(({ record }: Json) => record)
      .reverse();
    const of = (type: string) => records.filter((record: Json) => record.type === type);
    const { connection_id } = (await shop.admin("GET", "/shop-connection")).body;
    const owner = { kind: "service", id: `shop ${connection_id}` };
    const provider = { kind: "service", id: "processor sandbox" };
    const order_id = bought.checkout;
    const whole = { amount: { currency: "EUR", minor: TOTAL_MINOR } };
    const part = { amount: { currency: "EUR", minor: REFUND_MINOR } };
    expect(of("payment.outcome")).toMatchObject([
      { order_id: bought.mandate, payment: "authorized", amount: { minor: CARD.minor } },
      { order_id, payment: "authorized", amount: { minor: TOTAL_MINOR } },
    ]);
    expect(of("checkout.decision")).toMatchObject([
      { decision: { outcome: "approved" }, ...whole },
    ]);
    expect(of("mandate.decision").map(({ decision }: Json) => decision.outcome)).toEqual([
      "rejected",
      "approved",
    ]);
    expect(of("order.capture")).toMatchObject([
      { order_id, actor: owner, capture: { ...whole, status: "requested" } },
      { order_id, actor: provider, capture: { ...whole, status: "completed" } },
    ]);
    expect(of("order.refund")).toMatchObject([
      { order_id, actor: owner, refund: { ...part, status: "requested" } },
      { order_id, actor: provider, refund: { ...part, status: "completed" } },
    ]);
    const kinds = of("order.adjustment").map(({ adjustment }: Json) => adjustment.kind);
    expect(kinds).toEqual(["fulfillment", "captured", "refund"]);
    const connected = of("site.changed").map(({ change }: Json) => change);
    expect(connected).toContainEqual(
      expect.objectContaining({ kind: "shop_connected", connection_id }),
    );
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
    expect(wordpress.complaints()).toEqual([]);
  });
});
