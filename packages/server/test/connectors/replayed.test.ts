import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { deliverMessages } from "../../src/actions/notifications/deliver-messages.ts";
import { disconnectShop } from "../../src/actions/shop-connections/end-connection.ts";
import { takeProducts } from "../../src/actions/shop-connections/take-products.ts";
import { updateConnection } from "../../src/actions/shop-connections/update-connection.ts";
import { shopActor } from "../../src/domain/audit/drafts.ts";
import { siteConnection } from "../../src/domain/shop-connections/store.ts";
import { findSite } from "../../src/domain/sites/live-sites.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { findingsOfSite } from "../audit/exporting.ts";
import { NOON, TIER_DATABASES } from "../harness.ts";
import { send } from "../http-client.ts";
import type { Shop } from "../mandates/submitting.ts";
import { PRODUCTS } from "../selling/selling.ts";
import { BUYER, CHECKOUT_POLICY, lines, SHOP, sent, told } from "../ucp/buying.ts";
import type { SentMessage } from "./shop-stand-in.ts";
import { emptySite, openShopWorld, type ShopWorld } from "./shop-world.ts";

const MINUTE_MS = 60_000;
const TWO_ROSES = { ...lines(["rose", 2]), buyer: BUYER, ...sent("parcel") };

describe.each(TIER_DATABASES)("a shop that was connected again, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, at, system } = {} as ShopWorld;
  let shop: Shop;
  beforeAll(async () => {
    const world = await openShopWorld(dialect, clock);
    ({ server, at, system } = world);
    return world.close;
  });
  beforeEach(async () => {
    clock.advance(MINUTE_MS);
    system.reset();
    system.connectionLink = null;
    // Messages of the sites before, whose shops had the same address.
    await server.context.db.run("DELETE FROM outbox");
    shop = await site();
    await connect();
  });

  const site = async (): Promise<Shop> => {
    const empty = await emptySite(server, system.domain);
    const { admin } = empty;
    await admin("PUT", "/policy", CHECKOUT_POLICY);
    await admin("PUT", "/processor", { kind: "sandbox", rail_on: true, settles: true });
    await admin("PUT", "/products", { products: PRODUCTS });
    await admin("PUT", "/shop", SHOP);
    return empty;
  };
  const connect = async () => {
    const made = await shop.admin("POST", "/shop-connection/codes", {});
    expect((await system.connectWith(server, made.body.code)).status).toBe(201);
  };
  const disconnect = () => system.send(server, "status", { type: "status", disconnect: true });
  /** Ends the connection, or does not, and makes another one. Returns the secret of the earlier one. */
  const connectAgain = async (how: "replaced" | "disconnected"): Promise<string> => {
    const { secret } = system;
    if (how === "disconnected") await disconnect();
    await connect();
    expect(system.secret).not.toBe(secret);
    return secret;
  };
  const productsMessage = (version: number, ...ids: readonly string[]) => ({
    type: "products",
    products: ids.map((id) => ({ id, version, title: id, price: "9.00", currency: "EUR" })),
  });
  const change = (order_id: string, event_id: string, kind: object) =>
    system.send(server, "orders", { type: "order.change", event_id, order_id, change: kind });
  /** Everything that a message of a shop could change. */
  const state = async (orderId: string) => {
    const { seen_at: _, ...connection } = (await shop.admin("GET", "/shop-connection")).body;
    const products = (await shop.admin("GET", "/products?limit=100")).body.items;
    return { connection, products, order: (await shop.admin("GET", `/orders/${orderId}`)).body };
  };
  const replay = ({ to, headers, body }: SentMessage) =>
    send(to, { method: "POST", headers, body });

  test.each(["replaced", "disconnected"] as const)(
    "refuses every message of the connection that was %s, at its address and at the new one",
    async (how) => {
      const { orderId } = await at.bought(shop, TWO_ROSES);
      const old: SentMessage[] = [];
      const keep = async (answer: Promise<{ readonly status: number }>) => {
        expect((await answer).status).toBe(200);
        if (system.lastSent !== undefined) old.push(system.lastSent);
      };
      const one = [{ line_id: "li_1", quantity: 1 }];
      await keep(system.send(server, "products", productsMessage(clock.now(), "rose")));
      await keep(
        system.send(server, "products", {
          ...productsMessage(clock.now(), "rose"),
          sync: { id: "old", part: 1, last: true },
        }),
      );
      await keep(
        system.send(server, "products", {
          type: "products",
          removed: [{ id: "vase", version: clock.now() }],
        }),
      );
      await keep(change(orderId, "sent-1", { kind: "sent", lines: one }));
      await keep(change(orderId, "cancelled-1", { kind: "cancelled", lines: one }));
      await keep(change(orderId, "captured-1", { kind: "captured" }));
      await keep(change(orderId, "refunded-1", { kind: "refunded", amount_minor: 500 }));
      await keep(system.send(server, "status", { type: "status", sells: false }));
      await keep(system.send(server, "status", { type: "status", sells: true, cart_link: null }));
      await keep(disconnect());
      if (how === "replaced") await connect();
      await connectAgain(how);
      await system.send(server, "products", productsMessage(clock.now() + 1, "rose", "vase"));
      const before = await state(orderId);
      for (const message of old) {
        const moved = message.to.replace(/con_[\w-]+/, system.connectionId);
        expect(moved).not.toBe(message.to);
        for (const to of [message.to, moved]) {
          const { status } = await replay({ ...message, to });
          expect([message.body, status]).toEqual([message.body, 401]);
        }
      }
      expect(await state(orderId)).toEqual(before);
      expect((await system.send(server, "status", { type: "status" })).status).toBe(200);
      expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
    },
  );

  test("is not changed by messages of its earlier connection that were under way", async () => {
    const { context } = server;
    const { site_key_hash: hash } = shop;
    const old = await siteConnection(context.db, hash);
    const itself = await findSite(context.db, hash, "hash");
    if (old === undefined || itself === undefined) throw new Error("there is no connection");
    await connectAgain("replaced");
    await system.send(server, "products", productsMessage(clock.now(), "rose"));
    const shown = async () => {
      const products = (await shop.admin("GET", "/products?limit=100")).body.items;
      return [(await shop.admin("GET", "/shop-connection")).body, products];
    };
    const before = await shown();
    const ended = await disconnectShop(
      context,
      hash,
      shopActor(old.connectionId),
      old.connectionId,
    );
    expect(ended).toMatchObject({ ok: false, reason: "not_found" });
    await updateConnection(context, old, itself, { sells: false, cartLink: null });
    const late = {
      sync: { id: "late", part: 1, last: true },
      products: [{ id: "late", version: clock.now(), title: "L", price: "1.00", currency: "EUR" }],
      removed: [{ id: "rose", version: clock.now() + 1 }],
    };
    const taken = await takeProducts(context, old, late as never);
    expect(taken).toMatchObject({ stored: 0, removed: 0 });
    expect(await shown()).toEqual(before);
  });

  test("carries out once what it reported before, if it missed the answer and reports it again", async () => {
    const { orderId } = await at.bought(shop, TWO_ROSES);
    const one = [{ line_id: "li_1", quantity: 1 }];
    const reported: readonly (readonly [string, object])[] = [
      ["sent-1", { kind: "sent", lines: one }],
      ["cancelled-1", { kind: "cancelled", lines: one, reason: "Broken" }],
      ["captured-1", { kind: "captured" }],
      ["refunded-1", { kind: "refunded", amount_minor: 500 }],
    ];
    for (const [id, kind] of reported) {
      expect((await change(orderId, id, kind)).body.state).toBe("done");
    }
    const order = async () => (await shop.admin("GET", `/orders/${orderId}`)).body;
    const before = await order();
    await connectAgain("replaced");
    for (const [id, kind] of reported) {
      expect([id, (await change(orderId, id, kind)).body.state]).toEqual([id, "done"]);
    }
    expect(await order()).toEqual(before);
    // Another shop system may use the same ids for other changes.
    const more = { kind: "refunded", amount_minor: 300 };
    expect((await change(orderId, "other-1", more)).body.state).toBe("done");
    expect((await order()).refunded_minor).toBe(800);
  });

  test("may report again what was refused before", async () => {
    const { orderId } = await at.bought(shop, TWO_ROSES);
    const refund = { kind: "refunded", amount_minor: 500 };
    expect((await change(orderId, "refund-1", refund)).body.state).toBe("refused");
    await change(orderId, "captured-1", { kind: "captured" });
    expect((await change(orderId, "refund-1", refund)).body.state).toBe("refused");
    await connectAgain("replaced");
    expect((await change(orderId, "refund-1", refund)).body.state).toBe("done");
  });

  test("has its own changes carried out, even under the ids of an earlier connection", async () => {
    const { orderId } = await at.bought(shop, TWO_ROSES);
    const refund = (minor: number) => ({ kind: "refunded", amount_minor: minor });
    const refunded = async () =>
      (await shop.admin("GET", `/orders/${orderId}`)).body.refunded_minor;
    await change(orderId, "captured-1", { kind: "captured" });
    expect((await change(orderId, "refund-1", refund(500))).body.state).toBe("done");
    await connectAgain("replaced");
    expect((await change(orderId, "refund-1", refund(300))).body.state).toBe("done");
    expect(await refunded()).toBe(800);
    // Both are remembered, whoever reports them again.
    expect((await change(orderId, "refund-1", refund(300))).body.state).toBe("done");
    await connectAgain("replaced");
    for (const minor of [500, 300]) {
      expect((await change(orderId, "refund-1", refund(minor))).body).toMatchObject({
        state: "done",
      });
      await connectAgain("replaced");
    }
    expect(await refunded()).toBe(800);
  });

  test("gets the releases and orders of before with its new secret, and is believed with no other", async () => {
    const { id } = await at.ready(shop, TWO_ROSES);
    system.spoil = { reserve: "silent" };
    expect(told(await at.complete(shop, id)).at(-1)).toBe("shop_unavailable");
    system.spoil = {};
    const { orderId } = await at.bought(shop, TWO_ROSES);
    const earlier = await connectAgain("replaced");
    system.received = [];
    await deliverMessages(server.context);
    // Whatever is signed with the earlier secret is refused by the shop, so these are not.
    expect(system.received.map(({ type }) => type).sort()).toEqual(["order", "release"]);
    expect([...system.orders.keys()]).toEqual([orderId]);
    expect(system.reservations.size).toBe(0);
    clock.advance(2 * MINUTE_MS);
    system.otherSecret = earlier;
    expect(told(await at.complete(shop, id)).at(-1)).toBe("shop_unavailable");
    expect(system.of("reserve")).toEqual([]);
  });
});
