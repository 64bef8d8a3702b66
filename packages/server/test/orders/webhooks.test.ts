import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { deliverMessages } from "../../src/actions/notifications/deliver-messages.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { NOON, TIER_DATABASES } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import type { Received } from "../notifications/receiver.ts";
import { BUYER, lines, openWorld, ROSE, sent, type World } from "../ucp/buying.ts";
import { isShopsNews, profileOf } from "../ucp/platform.ts";
import { schemaFaults, schemasThere } from "../ucp/schemas.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const why = schemasThere ? "" : " (UCP's schemas are not here: skipped)";

const idOf = ({ headers }: Received) => headers["webhook-id"];
const bodyOf = ({ body }: Received) => JSON.parse(body);
/** What a snapshot has that the one before had not. */
const stepsOf = ({ fulfillment, adjustments = [] }: ReturnType<typeof bodyOf>) =>
  (fulfillment.events ?? []).length + adjustments.length;

describe.each(TIER_DATABASES)("webhooks to a platform about its orders, on %s:", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, platform, at } = {} as World;
  let shop: Shop;
  beforeAll(async () => {
    const world = await openWorld(dialect, clock);
    ({ server, platform, at } = world);
    // Messages are delivered when a test says so.
    await server.context.jobs.stop();
    return world.close;
  });
  beforeEach(async () => {
    clock.advance(61_000);
    await server.context.db.run("DELETE FROM outbox");
    platform.news.length = 0;
    platform.takes = (response) => response.end();
    platform.wantsNews();
    shop = await at.shop();
  });
  const deliver = () => deliverMessages(server.context);
  const answers = (status: number) => {
    platform.takes = (response) => response.writeHead(status, { location: "/else" }).end();
  };
  const change = async (orderId: string, verb: string, body: object = {}) => {
    clock.advance(1000);
    const done = await shop.admin("POST", `/orders/${orderId}/${verb}`, body);
    expect([done.status, done.body.message]).toEqual([200, undefined]);
    return done.body;
  };
  const profile = async () =>
    (await fetch(`${server.url}/v1/ucp/${shop.site_key_hash}/profile`)).json();
  const messages = async (query = "") =>
    (await shop.admin("GET", `/messages?limit=200${query}`)).body.items;
  /** Runs the job as often as it would run, until a moment. */
  async function untilAfter(ms: number, everyMs = 30 * MINUTE_MS) {
    for (let passed = 0; passed < ms; passed += everyMs) {
      clock.advance(everyMs);
      await deliver();
    }
  }

  test(`the sale and each change are sent completely, signed by the shop${why}`, async () => {
    const { orderId } = await at.bought(shop, {
      ...lines(["rose", 2], ["vase", 1]),
      buyer: BUYER,
      ...sent(),
    });
    const sold = clock.now();
    clock.advance(10_000);
    await deliver();
    clock.advance(MINUTE_MS);
    const line_items = [{ id: "li_1", quantity: 1 }];
    await change(orderId, "ship", {
      line_items,
      carrier: "DHL",
      tracking_number: "JD01",
      tracking_url: "https://dhl.example/JD01",
    });
    await change(orderId, "ship");
    await change(orderId, "ship", { type: "delivered", line_items });
    await change(orderId, "rehearse", { event: "capture" });
    await change(orderId, "rehearse", { event: "refund", amount_minor: 1250 });
    await change(orderId, "rehearse", { event: "dispute" });
    await change(orderId, "rehearse", { event: "lose_dispute" });
    await deliver();
    const { keys } = await profile();
    for (const one of platform.news) {
      expect(await isShopsNews({ keys }, one)).toBe(true);
      expect(schemaFaults("shopping/order.json", bodyOf(one))).toEqual([]);
      expect(one.headers["ucp-agent"]).toMatch(`/v1/ucp/${shop.site_key_hash}/profile"`);
      expect(idOf(one)).toMatch(UUID);
      expect(one.headers["idempotency-key"]).toBe(idOf(one));
      expect(one.headers["signature-input"]).toMatch(/^sig1=\(.*"@query".*\);created=\d+;keyid="/);
      expect(one.headers["signature-input"]).not.toContain("alg=");
    }
    const [first] = platform.news as [Received];
    // When it happened, whenever it is sent.
    expect(first.headers["webhook-timestamp"]).toBe(String(Math.floor(sold / 1000)));
    expect(platform.news.map(bodyOf).map(stepsOf)).toEqual([0, 1, 2, 3, 4, 5, 5]);
    const last = bodyOf(platform.news.at(-1) as Received);
    expect(last).toEqual((await at.readOrder(shop, orderId)).body);
    expect(last.line_items.map(({ status }: { status: string }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
    ]);
    const second = bodyOf(platform.news[1] as Received);
    expect(second.line_items[0]).toMatchObject({
      status: "partial",
      quantity: { original: 2, total: 2, fulfilled: 1 },
    });
    expect(second.fulfillment.events).toMatchObject([
      { type: "shipped", line_items, carrier: "DHL", tracking_number: "JD01" },
    ]);
    expect(last.adjustments).toMatchObject([
      { type: "refund", status: "completed", totals: [{ type: "total", amount: -1250 }] },
      { type: "dispute", status: "completed" },
    ]);
    expect(last.adjustments[0].id).toMatch(/re_/);
    expect(last.adjustments[1].id).toMatch(/dp_/);
  });

  test("any change of the message invalidates the signature", async () => {
    await at.bought(shop);
    await deliver();
    const { keys } = await profile();
    const [one] = platform.news as [Received];
    const forged: Received[] = [
      { ...one, body: one.body.replace("ord_", "orb_") },
      { ...one, url: one.url.replace("team=1", "team=2") },
      { ...one, headers: { ...one.headers, "webhook-id": "another" } },
      { ...one, headers: { ...one.headers, "webhook-timestamp": "1" } },
      { ...one, headers: { ...one.headers, "ucp-agent": 'profile="https://other.example/"' } },
    ];
    for (const wrong of forged) {
      expect(await isShopsNews({ keys }, wrong).catch(() => false)).toBe(false);
    }
  });

  test("a platform that is down, slow, flapping and redirecting for three days gets each one in order", async () => {
    const first = await at.bought(shop);
    const second = await at.bought(shop);
    const ways = [
      () => answers(500),
      () => answers(302),
      () => {
        platform.takes = (response) => response.destroy();
      },
      () => {
        // Too slow: the wait is over when the clock says so.
        platform.takes = () => clock.advance(3000);
      },
    ];
    const taken: Received[] = [];
    for (let hour = 0; hour < 72; hour++) {
      // Every eighth hour it is there for a while.
      if (hour % 8 === 7) {
        platform.takes = (response) => {
          taken.push(platform.news.at(-1) as Received);
          response.end();
        };
      } else ways[hour % ways.length]?.();
      if (hour % 9 === 1) await change(first.orderId, "ship", { type: "processing" });
      if (hour % 12 === 5) await change(second.orderId, "ship", { type: "processing" });
      await untilAfter(HOUR_MS, 10 * MINUTE_MS);
    }
    answers(200);
    platform.takes = (response) => {
      taken.push(platform.news.at(-1) as Received);
      response.end();
    };
    await untilAfter(9 * HOUR_MS);
    expect(await messages("&state=waiting")).toEqual([]);
    expect(await messages("&state=failed")).toEqual([]);
    for (const [{ orderId }, changes] of [[first, 8] as const, [second, 6] as const]) {
      const of = (all: readonly Received[]) => all.filter((one) => bodyOf(one).id === orderId);
      // Each was taken once, and in the order it happened.
      expect(of(taken).map(bodyOf).map(stepsOf)).toEqual([
        ...Array.from({ length: changes + 1 }, (_, i) => i),
      ]);
      // However often it was tried: the same bytes under the same id.
      const bodies = new Map<unknown, Set<string>>();
      for (const one of of(platform.news)) {
        bodies.set(idOf(one), (bodies.get(idOf(one)) ?? new Set()).add(one.body));
      }
      expect(bodies.size).toBe(changes + 1);
      expect([...bodies.values()].every(({ size }) => size === 1)).toBe(true);
    }
    expect(platform.news.length).toBeGreaterThan(taken.length);
    const { keys } = await profile();
    for (const one of platform.news) expect(await isShopsNews({ keys }, one)).toBe(true);
  });

  test("a failed one is retried within a minute, and for more than a day", async () => {
    answers(503);
    await at.bought(shop);
    await deliver();
    const began = clock.now();
    let [waiting] = await messages();
    expect(Date.parse(waiting.next_at) - began).toBeLessThanOrEqual(55_000);
    let last = began;
    while (waiting.state === "waiting") {
      const before = platform.news.length;
      clock.advance(Math.max(MINUTE_MS, Date.parse(waiting.next_at) - clock.now()));
      await deliver();
      if (platform.news.length > before) last = clock.now();
      [waiting] = await messages();
    }
    expect(last - began).toBeGreaterThanOrEqual(DAY_MS);
    expect(last - began).toBeLessThanOrEqual(3 * DAY_MS);
    expect(waiting).toMatchObject({ state: "failed", audience: "platform" });
  });

  test("as soon as the platform accepts one again, it gets all that waited", async () => {
    answers(500);
    const { orderId } = await at.bought(shop);
    await untilAfter(20 * HOUR_MS);
    answers(200);
    platform.news.length = 0;
    const other = await at.bought(shop);
    await deliver();
    expect(platform.news.map(bodyOf).map(({ id }) => id)).toEqual([other.orderId, orderId]);
  });

  test("one that was given up or refused with 410 can be sent by hand, and the newest state comes last", async () => {
    answers(410);
    const { orderId } = await at.bought(shop);
    await deliver();
    await change(orderId, "ship");
    await deliver();
    await untilAfter(DAY_MS);
    expect(platform.news).toHaveLength(2);
    const [sold, shipped] = await messages("&state=failed");
    expect([sold.topic, shipped.topic]).toEqual(["order.created", "order.shipped"]);
    expect(shipped.last_problem).toContain("410");
    answers(200);
    const resent = await shop.admin("POST", `/messages/${sold.message_id}/resend`, {});
    expect(resent.body.state).toBe("waiting");
    await deliver();
    expect(platform.news.slice(2).map(({ body }) => body)).toEqual([
      ...platform.news.slice(0, 2).map(({ body }) => body),
    ]);
    expect(platform.news.slice(2).map(idOf)).toEqual(platform.news.slice(0, 2).map(idOf));
    const shown = (await shop.admin("GET", `/orders/${orderId}`)).body.messages;
    expect(shown.map(({ state }: { state: string }) => state)).toEqual(["delivered", "delivered"]);
  });

  test("the newest state comes last even if one is sent again during a run", async () => {
    const { orderId } = await at.bought(shop);
    await deliver();
    const [sold] = await messages();
    const other = await at.bought(shop);
    await change(orderId, "ship");
    let resent = false;
    platform.takes = async (response) => {
      const got = bodyOf(platform.news.at(-1) as Received);
      if (got.id === other.orderId && !resent) {
        resent = true;
        await shop.admin("POST", `/messages/${sold.message_id}/resend`, {});
      }
      response.end();
    };
    for (let i = 0; i < 3; i++) await deliver();
    expect(resent).toBe(true);
    const own = platform.news.map(bodyOf).filter(({ id }) => id === orderId);
    expect(stepsOf(own.at(-1))).toBe(1);
    expect(await messages("&state=waiting")).toEqual([]);
  });

  test("the result of an attempt from before one was sent again does not count for the new one", async () => {
    await at.bought(shop);
    platform.takes = async (response) => {
      // Meanwhile it is sent again, and that try fails.
      answers(500);
      const [{ message_id }] = await messages();
      await shop.admin("POST", `/messages/${message_id}/resend`, {});
      clock.advance(1000);
      await deliver();
      response.end();
    };
    await deliver();
    expect(platform.news).toHaveLength(2);
    expect((await messages())[0]).toMatchObject({ state: "waiting", attempts: 1 });
  });

  test("a snapshot that is too large is given up, and later ones are sent", async () => {
    const { orderId } = await at.bought(shop);
    await deliver();
    const { db } = server.context;
    await change(orderId, "ship", { type: "processing" });
    const huge = JSON.stringify({ text: "x".repeat(1_100_000) });
    await db.run("UPDATE outbox SET body = ? WHERE state = 'waiting'", huge);
    await change(orderId, "ship");
    await deliver();
    const states = (await messages()).map(({ state }: { state: string }) => state);
    expect(states.sort()).toEqual(["delivered", "delivered", "failed"]);
  });

  test("a broken message ends, and others are sent", async () => {
    const broken = await at.bought(shop);
    const { db } = server.context;
    await db.run(
      "UPDATE outbox SET kind = 'mail', body = 'no JSON' WHERE about = ?",
      broken.orderId,
    );
    await at.bought(shop);
    await deliver();
    await deliver();
    expect(platform.news).toHaveLength(1);
    await untilAfter(3 * DAY_MS, 3 * HOUR_MS);
    const states = (await messages()).map(({ state }: { state: string }) => state);
    expect(states.sort()).toEqual(["delivered", "failed"]);
  });

  test("orders that the platform refuses do not delay others, of this shop or another", async () => {
    const refused = new Set<string>();
    for (let i = 0; i < 6; i++) refused.add((await at.bought(shop)).orderId);
    platform.takes = (response) => {
      const { id } = bodyOf(platform.news.at(-1) as Received);
      response.writeHead(refused.has(id) ? 404 : 200).end();
    };
    await deliver();
    expect(platform.news).toHaveLength(6);
    await untilAfter(2 * HOUR_MS, 5 * MINUTE_MS);
    const tries = platform.news.length;
    const wanted = await at.bought(await at.shop());
    await deliver();
    expect(platform.news.map(bodyOf).at(tries).id).toBe(wanted.orderId);
    // What it does not want is not asked about sooner because it took something else.
    expect(platform.news).toHaveLength(tries + 1);
  });

  test("a platform that accepts nothing does not delay notifications to the owner or others", async () => {
    const { orderId } = await at.bought(shop);
    await shop.admin("PUT", "/notifications", { webhook_url: `http://${platform.host}/owner` });
    const { db } = server.context;
    await db.run(
      `INSERT INTO outbox (message_id, site_key_hash, kind, audience, topic, destination, body,
         created_at, attempts, next_at, state)
       SELECT message_id || '-' || n.version, site_key_hash, kind, audience, topic, destination,
         body, created_at, attempts, next_at, state
       FROM outbox, (WITH RECURSIVE counted(version) AS
         (SELECT 1 UNION ALL SELECT version + 1 FROM counted WHERE version < 2000)
         SELECT version FROM counted) AS n WHERE about = ?`,
      orderId,
    );
    await change(orderId, "ship");
    const { messages: told } = (await shop.admin("GET", `/orders/${orderId}`)).body;
    const of = (who: string) =>
      told.filter(({ audience }: { audience: string }) => audience === who).at(-1).state;
    expect([of("platform"), of("owner")]).toEqual(["failed", "waiting"]);
    platform.wantsNews(`http://${platform.host}/orders/elsewhere`);
    clock.advance(61_000);
    const other = await at.bought(shop);
    const shown = (await shop.admin("GET", `/orders/${other.orderId}`)).body.messages;
    expect(shown.every(({ state }: { state: string }) => state === "waiting")).toBe(true);
  });

  test("a receiver that never answers ends all waiting messages within the same time", async () => {
    answers(500);
    const { orderId } = await at.bought(shop);
    for (let i = 0; i < 4; i++) await change(orderId, "ship", { type: "processing" });
    await untilAfter(62 * HOUR_MS, HOUR_MS);
    for (let i = 0; i < 5; i++) await untilAfter(10_000, 10_000);
    const left = await messages("&state=waiting");
    expect(left).toEqual([]);
    expect(new Set(platform.news.map(idOf)).size).toBe(5);
  });

  test("orders do not wait for each other", async () => {
    const stuck = await at.bought(shop);
    platform.takes = (response) => {
      const { id } = bodyOf(platform.news.at(-1) as Received);
      response.writeHead(id === stuck.orderId ? 500 : 200).end();
    };
    await deliver();
    await change(stuck.orderId, "ship");
    const other = await at.bought(shop);
    await deliver();
    await deliver();
    const got = platform.news.map(bodyOf).map(({ id }) => id);
    expect(got.filter((id) => id === other.orderId)).toHaveLength(1);
    // What follows what was not taken was not even tried.
    expect(got.filter((id) => id === stuck.orderId)).toHaveLength(1);
  });

  test("they go to the address that the profile named last, and nowhere if it names none", async () => {
    platform.profile = profileOf([platform.key.publicJwk]);
    clock.advance(61_000);
    const silent = await at.bought(shop);
    const made = await at.ready(shop);
    platform.wantsNews(`http://${platform.host}/orders/moved?team=1`);
    clock.advance(61_000);
    const done = await at.complete(shop, made.id);
    await deliver();
    expect(platform.news.map(bodyOf).map(({ id }) => id)).toEqual([done.body.order.id]);
    expect(platform.news[0]?.url).toContain("/orders/moved");
    expect((await shop.admin("GET", `/orders/${silent.orderId}`)).body.messages).toEqual([]);
  });

  test.each([
    ["something that is not an address", "nothing"],
    ["an address with a password in it", "https://user:secret@platform.example/"],
    ["an address that is not https", "file:///etc/passwd"],
    ["an address that is far too long", `https://platform.example/${"x".repeat(3000)}`],
  ])("%s in a profile is ignored, and everything else works", async (_, url) => {
    platform.wantsNews(url);
    clock.advance(61_000);
    await at.bought(shop);
    expect(await messages()).toEqual([]);
  });

  test("an address inside the network is never requested, and waiting messages are given up in time", async () => {
    platform.wantsNews("https://10.0.0.1/orders");
    clock.advance(61_000);
    await at.bought(shop);
    await deliver();
    const [waiting] = await messages();
    expect([waiting.state, waiting.attempts]).toEqual(["waiting", 1]);
    expect(waiting.last_problem).toMatch(/address/);
  });

  test("a platform is not sent what the payment provider does with an authorization", async () => {
    const { orderId } = await at.bought(shop);
    await deliver();
    await change(orderId, "rehearse", { event: "capture" });
    await deliver();
    expect(platform.news).toHaveLength(1);
  });

  test("an order from a mandate is sent to no platform", async () => {
    expect((await at.order(shop, await at.buyer(shop))).status).toBe(200);
    expect(await messages()).toEqual([]);
    const [{ order_id }] = await at.orders(shop);
    await change(order_id, "ship");
    expect(await messages()).toEqual([]);
  });

  test("the message is written with the order, or neither is", async () => {
    const { db } = server.context;
    const made = await at.ready(shop, ROSE);
    await db.run("ALTER TABLE outbox RENAME TO outbox_away");
    const failed = await at.complete(shop, made.id);
    await db.run("ALTER TABLE outbox_away RENAME TO outbox");
    expect(failed.status).toBeGreaterThanOrEqual(500);
    expect(await at.orders(shop)).toEqual([]);
  });
});
