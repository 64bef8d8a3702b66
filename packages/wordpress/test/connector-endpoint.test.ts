import { signHmacWebhook, utf8 } from "@gatehouse/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkConnector } from "../../cli/src/connector-check/check-connector.ts";
import type { ContractFinding } from "../../cli/src/connector-check/finding.ts";
import { type ConnectedShop, type Json, ROUTE, startConnectedShop } from "./connector-shop.ts";
import { missing } from "./wordpress.ts";

let shop: ConnectedShop;
beforeAll(async () => {
  if (missing === undefined) shop = await startConnectedShop();
});
afterAll(() => shop?.stop());

/** About 180 messages, and a wait for a reservation that WooCommerce holds for a whole minute. */
const CHECK_MS_MAX = 300_000;

const release = JSON.stringify({ type: "release", reservation_id: "pay_nobody" });
const quote = (more: Json = {}) => ({
  type: "quote",
  currency: "EUR",
  lines: [{ product_id: shop.products["SHOP-001"], quantity: 1 }],
  destination: null,
  option_id: null,
  coupons: [],
  ...more,
});
const order = (more: Json = {}) => ({
  order_id: "ord_1",
  number: 1,
  revision: 1,
  reservation_id: "pay_1",
  created_at: "2026-11-18T12:00:00.000Z",
  test: false,
  currency: "EUR",
  lines: [
    {
      line_id: "li_1",
      product_id: "1",
      title: "x",
      quantity: 1,
      cancelled: 0,
      sent: 0,
      unit_minor: 1,
    },
  ],
  option: null,
  discount_minor: 0,
  tax_minor: 0,
  total_minor: 1,
  buyer: null,
  destination: null,
  agent: { id: "agt_1", name: "Shopper" },
  payment: { state: "authorized", provider: "stripe", reference: "pi_1", captured_minor: 0 },
  refunds: [],
  ...more,
});
const orders = () =>
  shop.php(`echo json_encode( count( wc_get_orders( array( 'limit' => -1 ) ) ) )`);

describe.skipIf(missing !== undefined)("the endpoint of the connector", () => {
  test("signs its answer with the id of the message, and never lets it be cached", async () => {
    const { status, headers, isSigned } = await shop.post(release, { "webhook-id": "msg_mine" });
    expect([status, isSigned, headers.get("webhook-id")]).toEqual([200, true, "msg_mine"]);
    expect(headers.get("content-type")).toBe("application/json");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.getSetCookie()).toEqual([]);
  });

  test("answers with any kind of permalinks", async () => {
    const plain = await shop.post(release, {}, "/index.php?rest_route=/gatehouse/v1/connector");
    expect([plain.status, plain.isSigned]).toEqual([200, true]);
    const priced = await shop.post(
      JSON.stringify(quote()),
      {},
      "/?rest_route=/gatehouse/v1/connector/",
    );
    expect([priced.isSigned, JSON.parse(priced.text).total_minor]).toEqual([true, 495]);
    expect(priced.headers.getSetCookie()).toEqual([]);
  });

  test("refuses wrong, missing, old and early signatures without signing its answer", async () => {
    const bytes = utf8(release);
    const signed = (sentAt: number, secret = shop.secret) =>
      signHmacWebhook({ id: "msg_1", body: bytes }, { secret, sentAt });
    const now = Date.now();
    const other = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
    const wrong = [
      await signed(now - 301_000),
      await signed(now + 330_000),
      // An order forged with the secret of another connection.
      await signed(now, other),
      { ...(await signed(now)), "webhook-id": "msg_2" },
      { ...(await signed(now)), "webhook-timestamp": "" },
      { ...(await signed(now)), "webhook-timestamp": "1e9" },
      { ...(await signed(now)), "webhook-signature": "" },
      { ...(await signed(now)), "webhook-signature": "v1,====" },
      { ...(await signed(now)), "webhook-signature": "v2,AAAA" },
    ];
    for (const headers of wrong) {
      const { status, isSigned, headers: answered } = await shop.post(release, headers);
      expect([status, isSigned, answered.get("webhook-signature")]).toEqual([401, false, null]);
    }
    const changed = await shop.post(`${release} `, await signed(now));
    expect(changed.status).toBe(401);
    const forged = JSON.stringify({ type: "order", order: order() });
    expect((await shop.post(forged, await signed(now, other))).status).toBe(401);
    expect(await orders()).toBe(0);
  });

  test("accepts one right signature among several, as while a secret is replaced", async () => {
    const right = await signHmacWebhook(
      { id: "msg_1", body: utf8(release) },
      { secret: shop.secret, sentAt: Date.now() },
    );
    const several = `v1a,x v1,${"A".repeat(43)}= ${right["webhook-signature"]}`;
    expect((await shop.post(release, { ...right, "webhook-signature": several })).status).toBe(200);
    const many = `${"v1,AAAA ".repeat(20)}${right["webhook-signature"]}`;
    expect((await shop.post(release, { ...right, "webhook-signature": many })).status).toBe(401);
  });

  test("reads no more than 256 KB", async () => {
    const filled = (bytes: number) =>
      JSON.stringify({ type: "release", filler: "x".repeat(bytes) });
    const large = await shop.post(filled(256 * 1024));
    expect([large.status, large.isSigned]).toEqual([400, false]);
    const fits = await shop.post(filled(200 * 1024));
    expect([fits.status, fits.isSigned, JSON.parse(fits.text).problem]).toEqual([
      400,
      true,
      "reservation_id: is missing or not valid.",
    ]);
  });

  test("answers 400 to messages that it cannot read, and stores nothing of them", async () => {
    const lines = (line: Json) => quote({ lines: [{ ...quote().lines[0], ...line }] });
    const { "0": line } = order().lines;
    const unreadable: (string | Json)[] = [
      "",
      "no JSON",
      "[]",
      '"quote"',
      `{"type":${"[".repeat(50)}${"]".repeat(50)}}`,
      '{"type":"quote","lines":"\xff"}',
      { type: "products" },
      { type: ["quote"] },
      {},
      quote({ currency: "eur" }),
      quote({ lines: [] }),
      quote({ lines: {} }),
      quote({ lines: Array(51).fill(quote().lines[0]) }),
      ...[0, -1, 1.5, 1e30, "1", null].map((quantity) => lines({ quantity })),
      ...["", "a\n", "x".repeat(101), 1, null].map((product_id) => lines({ product_id })),
      quote({ destination: {} }),
      quote({ destination: { country: "de" } }),
      quote({ destination: { country: "DE", city: "x".repeat(1001) } }),
      quote({ coupons: [1] }),
      { ...quote(), type: "reserve", reservation_id: "pay_1", expires_in_s: 3600 },
      { ...quote(), type: "reserve", reservation_id: "pay_1", expires_in_s: -1, total_minor: 1 },
      { ...quote(), type: "reserve", reservation_id: "", expires_in_s: 60, total_minor: 1 },
      { type: "release", reservation_id: {} },
      { type: "order" },
      ...[
        { total_minor: -1 },
        { total_minor: 1e15 },
        { revision: -1 },
        { revision: "1" },
        { test: null },
        { lines: [] },
        { lines: [{ ...line, cancelled: 2 }] },
        { lines: [{ ...line, sent: -1 }] },
        { agent: null },
        { payment: { ...order().payment, state: "paid" } },
        { refunds: [{ refund_id: "r", amount_minor: -5, state: "completed" }] },
      ].map((more) => ({ type: "order", order: order(more) })),
    ];
    for (const message of unreadable) {
      const body = typeof message === "string" ? message : JSON.stringify(message);
      const { status, isSigned, text } = await shop.post(body);
      expect([body, status, isSigned]).toEqual([body, 400, true]);
      expect(JSON.parse(text).type).toBe("error");
    }
    expect(await orders()).toBe(0);
  });

  test("leaves other methods and addresses to WordPress", async () => {
    expect((await fetch(shop.wordpress.url + ROUTE)).status).toBe(404);
    expect((await shop.post(release, {}, `${ROUTE}/more`)).status).toBe(404);
    expect((await shop.post(release, {}, "/wp-json/gatehouse/v1")).status).toBe(404);
  });

  test("declares that it works with WooCommerce's order tables", async () => {
    const compatible = await shop.php(
      `echo json_encode( Automattic\\WooCommerce\\Utilities\\FeaturesUtil::get_compatible_plugins_for_feature( 'custom_order_tables' )['compatible'] )`,
    );
    expect(compatible).toContain("gatehouse/gatehouse.php");
  });

  test(
    "keeps every rule of the contract that can be checked from outside",
    async () => {
      const wrong: ContractFinding[] = [];
      const checked = {
        endpoint: new URL(ROUTE, shop.wordpress.url),
        secret: shop.secret,
        productId: shop.products["SHOP-050"] as string,
        country: "DE",
        currency: "EUR",
      };
      const { findings } = await checkConnector(checked, (finding) => {
        if (finding.state !== "good") wrong.push(finding);
      });
      expect(wrong).toEqual([]);
      expect(findings.length).toBeGreaterThan(30);
    },
    CHECK_MS_MAX,
  );

  test("answers 503 while WooCommerce is off, and 404 without a connection", async () => {
    const load = "require_once ABSPATH . 'wp-admin/includes/plugin.php';";
    await shop.php(`${load} deactivate_plugins( 'woocommerce/woocommerce.php' ); echo 1`);
    const off = await shop.post(release);
    expect([off.status, off.isSigned]).toEqual([503, true]);
    await shop.php(`${load} activate_plugin( 'woocommerce/woocommerce.php' ); echo 1`);
    expect((await shop.post(release)).status).toBe(200);
    await shop.php("Gatehouse\\Connection::disconnect(); echo 1");
    expect((await shop.post(release)).status).toBe(404);
  });
});
