import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { KEY_TOPIC } from "../../src/infra/keys/key-ring.ts";
import {
  cleanUp,
  freshEnvironment,
  NOON,
  startServer,
  type TestAnswer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { selling } from "../selling/selling.ts";
import { type CallOptions, isSigned, Platform } from "./platform.ts";
import { schemaFaults, schemasThere } from "./schemas.ts";

const HOUR_MS = 3_600_000;
const lines = (...wanted: readonly (readonly [string, number])[]) => ({
  line_items: wanted.map(([id, quantity]) => ({ item: { id }, quantity })),
});
const ROSES = lines(["rose", 2], ["vase", 1]);

describe.each(TIER_DATABASES)("a platform's cart, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let server: TestServer;
  let platform: Platform;
  let shop: Shop;
  beforeAll(async () => {
    platform = await Platform.start();
    const limits = { GATEHOUSE_SOURCE_REQUESTS_PER_MINUTE: "100000" };
    const env = { ...(await freshEnvironment(dialect)), ...limits };
    server = await startServer({ ...env, GATEHOUSE_FETCH_ALLOW: platform.host }, { clock });
    return async () => {
      platform.stop();
      await cleanUp();
    };
  });
  beforeEach(async () => {
    clock.advance(60_000);
    shop = await selling(server).shop();
  });

  const call = (path: string, body?: unknown, options: CallOptions & { key?: string } = {}) => {
    const url = `${server.url}/v1/ucp/${shop.site_key_hash}/carts${path}`;
    const { key = randomUUID(), method = "POST", headers, ...more } = options;
    const named = method === "GET" ? {} : { "idempotency-key": key };
    const all = { ...named, ...headers };
    return platform.call(url, body, { created: clock.now(), ...more, method, headers: all });
  };
  const get = (id: string, options: CallOptions = {}) =>
    call(`/${id}`, undefined, { ...options, method: "GET" });
  const put = (id: string, body: unknown, options: CallOptions & { key?: string } = {}) =>
    call(`/${id}`, body, { ...options, method: "PUT" });
  const code = ({ status, body }: TestAnswer) => [
    status,
    body.ucp?.status,
    body.messages?.[0].code,
  ];
  const NOT_FOUND = [200, "error", "not_found"];
  const kept = async () => {
    const sql = "SELECT cart_id FROM carts WHERE site_key_hash = ?";
    return server.context.db.all<{ cart_id: string }>(sql, shop.site_key_hash);
  };

  test("is created at the shop's prices, and shown to its creator", async () => {
    const buyer = { first_name: "Ada", email: "ada@example.com", shoe_size: "38" };
    const made = await call("", { ...ROSES, buyer, currency: "USD", context: { language: "de" } });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      ucp: {
        version: "2026-08-25",
        status: "success",
        capabilities: { "dev.ucp.shopping.cart": [{ version: "2026-08-25" }] },
      },
      id: expect.stringMatching(/^cart_[\w-]{24}$/),
      line_items: [
        {
          id: "li_1",
          item: { id: "rose", title: "A rose", price: 10_000 },
          quantity: 2,
          totals: [
            { type: "subtotal", amount: 20_000 },
            { type: "total", amount: 20_000 },
          ],
        },
        expect.objectContaining({ id: "li_2", quantity: 1 }),
      ],
      buyer: { first_name: "Ada", email: "ada@example.com" },
      context: { language: "de" },
      currency: "EUR",
      totals: [
        { type: "subtotal", amount: 21_250 },
        { type: "total", amount: 21_250 },
      ],
      policies: [expect.objectContaining({ type: "dev.gatehouse.policy.site_terms" })],
      links: [expect.objectContaining({ type: "terms_of_service" })],
      expires_at: new Date(clock.now() + HOUR_MS).toISOString(),
      continue_url: expect.stringContaining(`/v1/ucp/${shop.site_key_hash}/pages/page_`),
    });
    const shown = await get(made.body.id);
    expect([shown.status, shown.body]).toEqual([200, made.body]);
    expect(await at()).toMatchObject({ reserved: 0 });
  });
  const at = () => selling(server).product(shop, "rose");

  test("is answered as UCP's schemas say, and signed", async ({ task }) => {
    const profile = (await (
      await fetch(`${server.url}/v1/ucp/${shop.site_key_hash}/profile`)
    ).json()) as never;
    const made = await call("", { ...ROSES, buyer: { email: "a@example.com" } });
    const answers = [
      ["shopping/cart.json", made],
      ["shopping/cart.json", await get(made.body.id)],
      ["shopping/cart.json", await put(made.body.id, lines(["vase", 3]))],
      ["common/types/error_response.json", await put(made.body.id, lines(["none", 3]))],
      ["shopping/cart.json", await call(`/${made.body.id}/cancel`)],
      ["common/types/error_response.json", await get(made.body.id)],
    ] as const;
    for (const [schema, answer] of answers) {
      expect(schemaFaults(schema, answer.body)).toEqual([]);
      expect(await isSigned(profile, answer, clock.now())).toBe(true);
    }
    Object.assign(task.meta, { outside: schemasThere ? answers.length : 0 });
  });

  test("accepts a quantity of a thousand, and says what to do about more", async () => {
    expect((await call("", lines(["vase", 1000]))).status).toBe(201);
    const made = await call("", lines(["vase", 1001], ["rose", 1]));
    expect([made.status, made.body.ucp.status]).toEqual([200, "error"]);
    expect(made.body.messages).toEqual([
      {
        type: "error",
        code: "quantity_invalid_limit_exceeded",
        content: "vase: The quantity of a line can be at most 1000. Reduce the quantity.",
        severity: "unrecoverable",
      },
    ]);
    expect(schemaFaults("common/types/error_response.json", made.body)).toEqual([]);
  });

  test("is replaced as a whole by an update, and gone after it is cancelled", async () => {
    const { id } = (await call("", { ...ROSES, buyer: { email: "a@example.com" } })).body;
    const updated = await put(id, lines(["vase", 4]));
    expect([updated.status, updated.body.id]).toEqual([200, id]);
    expect(updated.body.totals[1]).toEqual({ type: "total", amount: 5000 });
    expect(updated.body.buyer).toBeUndefined();
    const cancelled = await call(`/${id}/cancel`);
    expect([cancelled.status, cancelled.body.totals[1].amount]).toEqual([200, 5000]);
    expect(code(await get(id))).toEqual(NOT_FOUND);
    expect(code(await put(id, ROSES))).toEqual(NOT_FOUND);
    expect(code(await call(`/${id}/cancel`))).toEqual(NOT_FOUND);
  });

  test("names every line that cannot be bought, and stores nothing", async () => {
    const wrong = lines(["rose", 1], ["none", 1], ["gone", 1], ["bonsai", 1]);
    const refused = await call("", wrong);
    expect(refused.status).toBe(200);
    expect(refused.body.ucp.status).toBe("error");
    const said = refused.body.messages.map((one: { code: string; content: string }) => [
      one.code,
      one.content.split(":")[0],
    ]);
    expect(said).toEqual([
      ["not_found", "none"],
      ["item_unavailable", "gone"],
      ["item_unavailable", "bonsai"],
    ]);
    expect(await kept()).toEqual([]);
    const { id } = (await call("", ROSES)).body;
    await put(id, wrong);
    expect((await get(id)).body.line_items).toHaveLength(2);
  });

  test("does not reveal how much is in stock", async () => {
    expect((await call("", lines(["last", 900]))).status).toBe(201);
  });

  test("shows current prices, and what is no longer available", async () => {
    const { id } = (await call("", ROSES)).body;
    const rose = { id: "rose", title: "A rose", price: "120.00", currency: "EUR" };
    await shop.admin("PUT", "/products", { products: [rose] });
    const { body } = await get(id);
    expect(body.totals[1].amount).toBe(24_000);
    expect(body.line_items.map((line: { id: string }) => line.id)).toEqual(["li_1"]);
    expect(body.messages).toMatchObject([
      { code: "not_found", content: expect.stringMatching(/^vase:/) },
    ]);
  });

  test("belongs to its creator: by profile, and by signature if it was created with one", async () => {
    const { id } = (await call("", ROSES)).body;
    const other = { profile: platform.profileUrl("other") };
    for (const answer of [await get(id, other), await put(id, ROSES, other)]) {
      expect(code(answer)).toEqual(NOT_FOUND);
    }
    expect((await get(id, { sign: true })).status).toBe(200);
    const signed = (await call("", ROSES, { sign: true })).body.id;
    expect((await get(signed, { sign: true })).body.id).toBe(signed);
    expect(code(await get(signed))).toEqual(NOT_FOUND);
    expect(code(await put(signed, ROSES))).toEqual(NOT_FOUND);
    expect(code(await call(`/${signed}/cancel`))).toEqual(NOT_FOUND);
    const elsewhere = await selling(server).shop();
    const url = `${server.url}/v1/ucp/${elsewhere.site_key_hash}/carts/${id}`;
    expect(code(await platform.call(url, undefined, { method: "GET" }))).toEqual(NOT_FOUND);
  });

  test("is created once for an idempotency key, however many concurrent requests there are", async () => {
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 12 }, () => call("", ROSES, { key })));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.every(({ status }) => status === 201)).toBe(true);
    expect(await kept()).toHaveLength(1);
    const again = await call("", ROSES, { key });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body).toEqual(answers[0]?.body);
    // A day later too, and whatever has become of it.
    await call(`/${again.body.id}/cancel`);
    clock.advance(24 * HOUR_MS);
    expect((await call("", ROSES, { key })).body).toEqual(again.body);
  });

  test("is created by many at once while the service's own keys are being reloaded", async () => {
    const { context } = server;
    await context.db.transaction(async (tx) => tx.announce(KEY_TOPIC, "any"));
    const answers = await Promise.all(Array.from({ length: 30 }, () => call("", ROSES)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  });

  test("refuses an idempotency key of another request, and a missing one", async () => {
    const key = randomUUID();
    const { id } = (await call("", ROSES, { key })).body;
    const other = await call("", lines(["vase", 1]), { key });
    expect([other.status, other.body.code]).toEqual([409, "conflict"]);
    const none = await call("", ROSES, { key: "" });
    expect([none.status, none.body.code]).toEqual([400, "invalid_request"]);
    // A key is of one caller and one operation: for others it is new.
    expect((await put(id, ROSES, { key })).status).toBe(200);
    const elsewhere = { key, profile: platform.profileUrl("other") };
    expect((await call("", ROSES, elsewhere)).body.id).not.toBe(id);
    const signed = await call("", ROSES, { key, sign: true });
    expect(signed.body.id).not.toBe(id);
    // What was refused was not done, and its key is free.
    const free = randomUUID();
    expect((await call("", { line_items: 5 }, { key: free })).status).toBe(400);
    expect(code(await call("", lines(["none", 1]), { key: free }))).toEqual(NOT_FOUND);
    expect((await call("", ROSES, { key: free })).status).toBe(201);
  });

  test("refuses a body that it cannot read", async () => {
    const wrong = [
      {},
      { line_items: [] },
      { line_items: [{ quantity: 1 }] },
      lines(["rose", 0]),
      lines(["rose", 1.5]),
      lines(["", 1]),
      lines(["a\u0000b", 1]),
      { line_items: Array.from({ length: 51 }, () => ({ item: { id: "rose" }, quantity: 1 })) },
      { ...ROSES, buyer: { email: 5 } },
      { ...ROSES, buyer: { email: "x".repeat(201) } },
    ];
    for (const body of wrong) {
      const { status, body: said } = await call("", body);
      expect([status, said.code]).toEqual([400, "invalid_request"]);
    }
    expect(code(await get("cart_none"))).toEqual(NOT_FOUND);
  });

  test("can be read and cancelled while a gate is closed, but not changed", async () => {
    const { id } = (await call("", ROSES, { key: "before" })).body;
    await shop.admin("PUT", "/processor", { kind: "sandbox", rail_on: false, settles: true });
    const SHUT = [200, "error", "capabilities_incompatible"];
    // What was done before is answered as it was.
    expect((await call("", ROSES, { key: "before" })).body.id).toBe(id);
    expect(code(await call("", ROSES))).toEqual(SHUT);
    expect(code(await put(id, ROSES))).toEqual(SHUT);
    expect((await get(id)).body.id).toBe(id);
    expect((await call(`/${id}/cancel`)).body.id).toBe(id);
  });

  test("expires after six hours signed and one hour unsigned, and is deleted with its site", async () => {
    const unsigned = (await call("", ROSES)).body.id;
    const signed = (await call("", ROSES, { sign: true })).body.id;
    clock.advance(HOUR_MS - 1);
    expect((await get(unsigned)).body.id).toBe(unsigned);
    clock.advance(1);
    expect(code(await get(unsigned))).toEqual(NOT_FOUND);
    clock.advance(5 * HOUR_MS - 1);
    expect((await get(signed, { sign: true })).body.id).toBe(signed);
    clock.advance(1);
    expect(code(await get(signed, { sign: true }))).toEqual(NOT_FOUND);
    await call("", ROSES);
    await shop.admin("DELETE", "");
    expect(await kept()).toEqual([]);
  });
});
