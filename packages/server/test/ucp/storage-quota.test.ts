import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { SHARES_MAX } from "../../src/actions/checkout/storage-quota.ts";
import { deleteExpiredCarts } from "../../src/domain/checkouts/carts/store.ts";
import { deleteExpiredCheckouts } from "../../src/domain/checkouts/store.ts";
import { deleteExpiredReplies } from "../../src/domain/ucp-replies/store.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { NOON, TIER_DATABASES } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import {
  ADDRESS,
  type BuyOptions,
  lines,
  openWorld,
  ROSE,
  sent,
  told,
  type World,
} from "./buying.ts";

const HOUR_MS = 3_600_000;
/** About ten of the checkouts below. */
const UNSIGNED_QUOTA = 20_000;
const SIGNED_QUOTA = 60_000;
const TABLES = ["carts", "checkouts", "ucp_replies"] as const;

/** From an address of a network of its own, which our proxy tells. */
const from = (network: number): BuyOptions => ({
  headers: { "x-forwarded-for": `2001:db8:${network.toString(16)}::1` },
  sign: false,
});

describe.each(TIER_DATABASES)("the data that callers leave at a shop, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, at } = {} as World;
  let shop: Shop;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const world = await openWorld(dialect, clock, {
      GATEHOUSE_TRUST_PROXY: "127.0.0.1",
      GATEHOUSE_PROFILE_FETCHES_PER_SOURCE_PER_MINUTE: "9999",
      GATEHOUSE_UNSIGNED_STORED_BYTES_PER_SITE: String(UNSIGNED_QUOTA),
      GATEHOUSE_SIGNED_STORED_BYTES_PER_SITE: String(SIGNED_QUOTA),
    });
    ({ server, at, close } = world);
    await server.context.jobs.stop();
  });
  afterAll(() => close());
  beforeEach(async () => {
    clock.advance(60_000);
    shop = await at.shop();
  });

  interface Sum {
    readonly holder: string;
    readonly bytes: number;
  }
  const byHolder = (rows: readonly Sum[]) =>
    Object.fromEntries(
      rows
        .filter(({ bytes }) => Number(bytes) !== 0)
        .map(({ holder, bytes }) => [holder, Number(bytes)]),
    );
  /** What the shares say, and what the rows add up to. */
  async function counted() {
    const { db } = server.context;
    const shares = await db.all<Sum>(
      "SELECT holder, bytes FROM stored_bytes WHERE site_key_hash = ?",
      shop.site_key_hash,
    );
    const all = TABLES.map((table) => `SELECT holder, bytes, site_key_hash FROM ${table}`);
    const rows = await db.all<Sum>(
      `SELECT holder, SUM(bytes) AS bytes FROM (${all.join(" UNION ALL ")}) AS kept
       WHERE site_key_hash = ? GROUP BY holder`,
      shop.site_key_hash,
    );
    return { shares: byHolder(shares), rows: byHolder(rows) };
  }
  const unsignedBytes = async () =>
    Object.entries((await counted()).rows)
      .filter(([holder]) => holder.startsWith("unsigned:"))
      .reduce((sum, [, bytes]) => sum + bytes, 0);
  const expire = () =>
    server.context.db.transaction(async (tx) => {
      const now = clock.now();
      await deleteExpiredCarts(tx, now);
      await deleteExpiredCheckouts(tx, now);
      await deleteExpiredReplies(tx, now);
    });

  test("stays within its own quota if it is unsigned", async () => {
    for (let i = 0; i < 40; i++) {
      expect((await at.create(shop, ROSE, from(1))).status).toBe(201);
      clock.advance(1);
    }
    expect(await unsignedBytes()).toBeLessThan(UNSIGNED_QUOTA * 1.2);
    const { id } = await at.ready(shop);
    expect((await at.call(shop, "/carts", lines(["rose", 1]))).status).toBe(201);
    expect((await at.update(shop, id, ROSE)).status).toBe(200);
    expect(told(await at.complete(shop, id))).toEqual([200, "completed"]);
  });

  test("is deleted from the largest holder first, so a caller from elsewhere keeps its own", async () => {
    const { body: mine } = await at.create(shop, ROSE, from(7));
    const { body: first } = await at.create(shop, ROSE, from(8));
    for (let i = 0; i < 30; i++) {
      clock.advance(1);
      await at.create(shop, ROSE, from(8));
    }
    expect((await at.get(shop, mine.id, { sign: false })).body.id).toBe(mine.id);
    expect(told(await at.get(shop, first.id, { sign: false }))).toEqual([
      200,
      "error",
      "not_found",
    ]);
    // Whoever comes anew is not refused either.
    expect((await at.create(shop, ROSE, from(9))).status).toBe(201);
  });

  test("is kept if somebody tried to pay for it, and then newcomers have to wait", async () => {
    await shop.admin("PUT", "/shop", { allow_unsigned: true });
    const unsigned = { ...lines(["rose", 6]), buyer: ROSE.buyer };
    const waiting: string[] = [];
    let refused: number | undefined;
    for (let i = 0; i < 30 && refused === undefined; i++) {
      const made = await at.create(shop, unsigned, from(i));
      if (made.status === 429) {
        refused = i;
        expect(made.headers.get("retry-after")).toBe("60");
        continue;
      }
      // Above 500 a person is asked: it waits for that.
      const done = await at.complete(shop, made.body.id, undefined, from(i));
      expect(done.body.status).toBe("requires_escalation");
      waiting.push(made.body.id);
    }
    expect(refused).toBeGreaterThan(2);
    for (const id of waiting) {
      const { body } = await at.get(shop, id, { sign: false });
      expect(body.status).toBe("requires_escalation");
    }
    // What ends something is done all the same, and those who sign are served.
    expect((await at.cancel(shop, waiting[0] as string, from(0))).body.status).toBe("canceled");
    await at.ready(shop, unsigned);
  });

  test("of a platform the owner admitted stays, however many other domains fill the quota", async () => {
    const { db } = server.context;
    const { body } = await at.create(shop, ROSE);
    clock.advance(1000);
    const strangers = Array.from({ length: 200 }, (_, n) => ({
      cart_id: `cart_${n}_${shop.site_key_hash}`,
      site_key_hash: shop.site_key_hash,
      platform_url: "x",
      proof: "signature",
      lines: "[]",
      buyer: "{}",
      context: "{}",
      created_at: clock.now(),
      expires_at: clock.now() + HOUR_MS,
      cancelled_at: null,
      holder: `signed:d${n}.example`,
      bytes: 300,
    }));
    const shares = strangers.map(({ site_key_hash, holder, bytes }) => ({
      site_key_hash,
      holder,
      bytes,
    }));
    const fill = () =>
      db.transaction(async (tx) => {
        await tx.insert("carts", strangers);
        await tx.insert("stored_bytes", shares);
      });
    await fill();
    const admit = "UPDATE platforms SET status = 'admitted' WHERE site_key_hash = ?";
    expect(await db.run(admit, shop.site_key_hash)).toBe(1);
    // The platform's own share is the largest by far, and would be cut first.
    expect((await at.create(shop, ROSE)).status).toBe(201);
    expect((await at.get(shop, body.id)).body.id).toBe(body.id);
    const { shares: left, rows } = await counted();
    expect(left).toEqual(rows);
    expect(Object.keys(left).length).toBeLessThan(200);
  });

  test("shares one quota if it is of more domains than have their own, except for admitted ones", async () => {
    const { db } = server.context;
    const share = (n: number) => ({
      site_key_hash: shop.site_key_hash,
      holder: `signed:d${n}.example`,
      bytes: 1,
    });
    const shares = Array.from({ length: SHARES_MAX }, (_, n) => share(n));
    await db.transaction((tx) => tx.insert("stored_bytes", shares));
    const holders = async () =>
      Object.keys((await counted()).rows).filter((holder) => holder.startsWith("signed:"));
    expect((await at.create(shop, ROSE)).status).toBe(201);
    expect((await at.call(shop, "/carts", lines(["rose", 1]))).status).toBe(201);
    expect(await holders()).toEqual(["signed:(others)"]);
    expect((await counted()).shares["signed:(others)"]).toBeGreaterThan(0);
    const admit = "UPDATE platforms SET status = 'admitted' WHERE site_key_hash = ?";
    await db.run(admit, shop.site_key_hash);
    expect((await at.create(shop, ROSE)).status).toBe(201);
    expect((await holders()).sort()).toEqual(["signed:(others)", "signed:127.0.0.1"]);
  });

  test("without a time in its signature is deleted too, after everything else of its sender", async () => {
    const undated = { undated: true };
    for (let i = 0; i < 60; i++) {
      clock.advance(1);
      expect((await at.create(shop, ROSE, undated)).status).toBe(201);
    }
    const { rows } = await counted();
    expect(rows["signed:127.0.0.1"]).toBeLessThan(SIGNED_QUOTA * 1.2);
  });

  test("is empty for a call that created nothing", async () => {
    for (const path of ["/carts", "/checkout-sessions"]) {
      const answer = await at.call(shop, path, lines(["nothing", 1]), from(3));
      expect(answer.body.messages[0].code).toBe("not_found");
    }
    await at.update(shop, "chk_none", ROSE, from(3));
    const { db } = server.context;
    for (const table of TABLES) {
      const sql = `SELECT * FROM ${table} WHERE site_key_hash = ?`;
      expect(await db.all(sql, shop.site_key_hash)).toEqual([]);
    }
    expect(await counted()).toEqual({ shares: {}, rows: {} });
  });

  test("is counted exactly in bytes through every change", async () => {
    const unsigned = (await at.create(shop, ROSE, from(1))).body.id;
    const cart = (await at.call(shop, "/carts", lines(["rose", 1]), from(2))).body.id;
    await at.call(shop, `/carts/${cart}`, lines(["rose", 2], ["rose", 1]), {
      ...from(2),
      method: "PUT",
    });
    await at.update(shop, unsigned, { ...ROSE, ...lines(["rose", 1], ["rose", 1]) }, from(1));
    // Touched with a signature it is the platform's from then on.
    await at.update(shop, unsigned, ROSE);
    const bought = await at.bought(shop);
    await at.cancel(shop, (await at.create(shop, { cart_id: cart })).body.id);
    const { shares, rows } = await counted();
    expect(shares).toEqual(rows);
    expect(Object.keys(rows)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^unsigned:[0-9a-f]{3}$/), "signed:127.0.0.1"]),
    );
    const order = await server.context.db.get<Sum>(
      "SELECT holder, bytes FROM checkouts WHERE checkout_id = ?",
      bought.checkoutId,
    );
    expect(order).toEqual({ holder: "", bytes: 0 });
    clock.advance(2 * HOUR_MS + 1);
    await expire();
    const later = await counted();
    expect(later.shares).toEqual(later.rows);
    clock.advance(48 * HOUR_MS);
    await expire();
    expect(await counted()).toEqual({ shares: {}, rows: {} });
  });

  test("is stored once for a long unsigned reply, and a retry shows the current state", async () => {
    const text = () => randomBytes(150).toString("base64");
    const wordy = { ...ADDRESS, street_address: text(), extended_address: text() };
    const destinations = Array.from({ length: 10 }, (_, i) => ({
      ...wordy,
      id: `${i}`,
      last_name: text(),
      first_name: text(),
      phone_number: text(),
      address_locality: text(),
    }));
    const body = {
      ...lines(...Array.from({ length: 50 }, () => ["rose", 1] as const)),
      buyer: ROSE.buyer,
      fulfillment: { methods: [{ type: "shipping", destinations }] },
    };
    const key = randomUUID();
    const first = await at.create(shop, body, { ...from(5), key });
    const again = await at.create(shop, body, { ...from(5), key });
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
    expect(again.body).toEqual(first.body);
    expect(await unsignedBytes()).toBeLessThan(JSON.stringify(body).length * 1.2);
    const other = await at.create(shop, { ...body, ...sent() }, { ...from(5), key });
    expect([other.status, other.body.code]).toEqual([409, "conflict"]);
  });
});
