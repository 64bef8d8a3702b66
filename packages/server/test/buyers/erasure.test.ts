import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eraseBuyer } from "../../src/actions/buyers/erase-buyer.ts";
import { eraseExpiredBuyers } from "../../src/actions/buyers/erase-expired.ts";
import { deliverMessages } from "../../src/actions/notifications/deliver-messages.ts";
import { serviceActor } from "../../src/domain/audit/drafts.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { exportDay, findingsOfSite } from "../audit/exporting.ts";
import { NOON, TIER_DATABASES } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { startMailbox } from "../notifications/mailbox.ts";
import { lines, openWorld, paying, ROSE, sent, type World } from "../ucp/buying.ts";
import { schemaFaults } from "../ucp/schemas.ts";
import { tablesWith } from "./stored-texts.ts";

const DAY_MS = 86_400_000;
const ZOE = { first_name: "Zoe", last_name: "Quill", email: "zoe.quill@example.com" };
const HOME = {
  id: "quill-home",
  street_address: "Nachtigallenweg 77",
  address_locality: "Quedlinburg",
  postal_code: "QX-06484",
  address_country: "DE",
  first_name: "Zoe",
  last_name: "Quill",
  phone_number: "+49 3946 555-1234",
};
/** Every one of these names the buyer. */
const PERSONAL = ["quill", "nachtigallenweg", "qx-06484", "555-1234", "TRACK77"];
const PURCHASE = { ...lines(["rose", 1]), buyer: ZOE, ...sent("standard", HOME) };
const go = () => false;

describe.each(TIER_DATABASES)("a buyer's personal data, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, platform, at } = {} as World;
  let shop: Shop;
  beforeAll(async () => {
    const mailbox = await startMailbox();
    const world = await openWorld(dialect, clock, {
      GATEHOUSE_SMTP_URL: `smtp://127.0.0.1:${mailbox.port}`,
      GATEHOUSE_MAIL_FROM: "Gatehouse <gate@example.com>",
    });
    ({ server, platform, at } = world);
    platform.wantsNews();
    await server.context.jobs.stop();
    return async () => {
      await world.close();
      await mailbox.close();
    };
  });
  beforeEach(async () => {
    clock.advance(61_000);
    shop = await at.shop();
  });
  const buyers = (verb: string, email = ZOE.email) =>
    shop.admin("POST", `/buyers/${verb}`, { email });
  const change = async (orderId: string, verb: string, body: object = {}) => {
    clock.advance(1000);
    expect((await shop.admin("POST", `/orders/${orderId}/${verb}`, body)).status).toBeLessThan(300);
  };
  const job = () => eraseExpiredBuyers(server.context, go);
  const changes = async () =>
    (await at.records(shop, "site.changed"))
      .map(({ record }: { record: { change: { kind: string } } }) => record.change)
      .filter(({ kind }: { kind: string }) => kind.startsWith("buyer"));
  test("goes the set time after an order has ended, and a run that stops half-way is continued", async () => {
    expect((await shop.admin("GET", "/buyers/retention")).body).toEqual({ days: 730 });
    const bought: string[] = [];
    for (let i = 0; i < 3; i++) bought.push((await at.bought(shop, PURCHASE)).orderId);
    const reason = "Ms Quill changed her mind";
    for (const orderId of bought) await change(orderId, "cancel", { reason });
    await deliverMessages(server.context);
    const open = await at.bought(shop, PURCHASE);
    const erased = async () => {
      const { items } = (await shop.admin("GET", "/orders?limit=200")).body;
      return items.filter((one: { erased_at: string | null }) => one.erased_at !== null).length;
    };
    expect((await shop.admin("PUT", "/buyers/retention", { days: null })).status).toBe(200);
    clock.advance(5 * DAY_MS);
    await job();
    expect(await erased()).toBe(0);
    expect((await shop.admin("PUT", "/buyers/retention", { days: 6 })).status).toBe(200);
    await job();
    expect(await erased()).toBe(0);
    expect((await shop.admin("PUT", "/buyers/retention", { days: 4 })).status).toBe(200);
    const crashPoint = (point: string) => {
      if (point === "buyers.expired") throw new Error("the process dies here");
    };
    await expect(eraseExpiredBuyers({ ...server.context, crashPoint }, go, 2)).rejects.toThrow(
      /dies/,
    );
    expect(await erased()).toBe(2);
    await Promise.all([job(), job()]);
    expect(await erased()).toBe(bought.length);
    expect((await shop.admin("GET", `/orders/${open.orderId}`)).body.purchase.buyer).toEqual(ZOE);
    const sums = (await changes()).filter(
      ({ kind }: { kind: string }) => kind === "buyers_expired",
    );
    expect(sums.map((one: { orders: number }) => one.orders).sort()).toEqual([1, 2]);
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  });

  test.each(["buyers.requested", "buyers.erased"])(
    "goes with the next run if the process died at %s",
    async (dying) => {
      await at.cancel(shop, (await at.create(shop, PURCHASE)).body.id);
      const cart = await at.call(shop, "/carts", { ...lines(["vase", 1]), buyer: ZOE });
      await at.call(shop, `/carts/${cart.body.id}/cancel`, undefined);
      const crashPoint = (point: string) => {
        if (point === dying) throw new Error("the process dies here");
      };
      const context = { ...server.context, crashPoint };
      const { site_key_hash } = shop;
      const erasing = eraseBuyer(context, site_key_hash, ZOE.email, serviceActor("test"));
      await expect(erasing).rejects.toThrow(/dies/);
      expect(await tablesWith(server.context, shop, PERSONAL)).not.toEqual([]);
      await job();
      expect(await tablesWith(server.context, shop, PERSONAL)).toEqual([]);
      const erased = (await changes()).filter(
        ({ kind }: { kind: string }) => kind === "buyer_erased",
      );
      const sum = (of: "checkouts" | "carts") =>
        erased.reduce((total: number, one: Record<typeof of, number>) => total + one[of], 0);
      expect([sum("checkouts"), sum("carts")]).toEqual([1, 1]);
      expect(await findingsOfSite(server, site_key_hash)).toEqual([]);
    },
  );

  test("is exported completely, and the log names nobody", async () => {
    const { orderId } = await at.bought(shop, PURCHASE);
    await change(orderId, "notes", { text: "Ms Quill called" });
    await at.create(shop, { ...PURCHASE, buyer: { ...ZOE, email: " Zoe.Quill@Example.com" } });
    await at.call(shop, "/carts", { ...lines(["vase", 1]), buyer: ZOE });
    await at.bought(shop, ROSE);
    const { status, body } = await buyers("export");
    expect([status, body.is_complete]).toEqual([200, true]);
    expect(body.orders).toMatchObject([
      { order_id: orderId, purchase: { buyer: ZOE }, notes: [{ text: "Ms Quill called" }] },
    ]);
    expect(body.checkouts).toMatchObject([{ addresses: [HOME] }, { addresses: [HOME] }]);
    expect(body.carts).toMatchObject([{ buyer: ZOE, items: [{ id: "vase", quantity: 1 }] }]);
    expect(await changes()).toEqual([
      { kind: "buyer_exported", buyer: expect.any(String), orders: 1, checkouts: 1, carts: 1 },
    ]);
    expect((await buyers("export", "nobody@example.com")).body.orders).toEqual([]);
    expect((await buyers("export", "no address")).status).toBe(400);
  });

  test("is found under every address that an order can have, however it is spelled", async () => {
    const spellings = [
      ["zoë@bücher", "ZOË@xn--bcher-kva"],
      ["zoe\u200d@quill.example", "zoe@quill.example"],
      ["zoe@quill_shop/1", "zoe@quill_shop/1"],
    ] as const;
    for (const [email, asked] of spellings) {
      const { orderId } = await at.bought(shop, { ...PURCHASE, buyer: { ...ZOE, email } });
      for (const one of [email, asked]) {
        expect((await buyers("find", one)).body.items).toMatchObject([{ id: orderId }]);
      }
    }
    expect((await buyers("find", "zoe@quill_shop/2")).body.items).toEqual([]);
  });

  test("is erased everywhere when the order ends, and orders, answers and the log still hold", async () => {
    const key = randomUUID();
    // The mail about the review says where the goods go.
    await shop.admin("PUT", "/notifications", { emails: ["owner@example.com"] });
    const { id } = await at.ready(shop, { ...PURCHASE, ...lines(["palm", 1]) });
    await at.complete(shop, id, paying(), { key });
    const [{ escalation_id }] = (await shop.admin("GET", "/escalations")).body.items;
    const ofReview = "SELECT body FROM outbox WHERE about = ? AND kind = 'mail'";
    const mails = () => server.context.db.all<{ body: string }>(ofReview, escalation_id);
    const [mail] = await mails();
    expect(mail?.body).toContain("Zoe Quill");
    expect(mail?.body).toContain("QX-06484");
    await shop.admin("POST", `/escalations/${escalation_id}/approve`, { note: "I know Ms Quill" });
    const { order } = (await at.get(shop, id)).body;
    await change(order.id, "notes", { text: "Ms Quill called" });

    expect((await buyers("find")).body).toMatchObject({
      items: [{ id: order.id, number: 1001, is_erasing: false }],
      erasure_requested_at: null,
    });
    const first = (await buyers("erase")).body;
    expect(first.erased).toMatchObject({ orders: 0, checkouts: 0, carts: 0 });
    expect(first.kept).toMatchObject([{ kind: "order", id: order.id, why: "payment_open" }]);
    await change(order.id, "rehearse", { event: "capture" });
    expect((await buyers("find")).body).toMatchObject({
      items: [{ id: order.id, needed_for: { why: "not_sent" }, is_erasing: true }],
      erasure_requested_at: expect.any(String),
    });
    const { revision } = (await shop.admin("GET", `/orders/${order.id}`)).body;
    await change(order.id, "refund", { amount_minor: 100, reason: "Ms Quill asked", revision });
    await change(order.id, "ship", { tracking_number: "TRACK77", description: "For Ms Quill" });
    await job();
    const [item] = (await buyers("find")).body.items;
    expect(item.needed_for.why).toBe("on_its_way");
    await change(order.id, "ship", { type: "delivered" });
    await job();
    expect((await buyers("find")).body.items[0].needed_for.why).toBe("notifying");
    await deliverMessages(server.context);
    const before = (await at.readOrder(shop, order.id)).body;
    expect(await tablesWith(server.context, shop, PERSONAL)).toEqual([
      "checkouts",
      "order_adjustments",
      "order_events",
      "order_notes",
      "outbox",
      "payment_changes",
      "reviews",
      "ucp_replies",
    ]);

    await job();
    expect(await tablesWith(server.context, shop, PERSONAL)).toEqual([]);
    expect(await mails()).toEqual([]);
    expect((await buyers("find")).body.items).toEqual([]);
    const shown = (await shop.admin("GET", `/orders/${order.id}`)).body;
    expect(shown).toMatchObject({
      erased_at: expect.any(String),
      amount: { minor: 60_490, currency: "EUR" },
      items: [{ id: "palm", quantity: 1 }],
      notes: [],
      purchase: { buyer: {}, address: { address_country: "DE" } },
    });
    const { fulfillment, adjustments, ...rest } = (await at.readOrder(shop, order.id)).body;
    const { fulfillment: _, adjustments: adjusted, ...restBefore } = before;
    expect(rest).toEqual(restBefore);
    expect(adjustments).toEqual([{ ...adjusted[0], description: undefined }]);
    expect(fulfillment.expectations[0].destination).toEqual({ address_country: "DE" });

    // Words about an erased order would stay, because it is not erased again.
    for (const [verb, body] of [
      ["notes", { text: "Ms Quill called again" }],
      ["refund", { amount_minor: 100, reason: "Ms Quill asked again", revision: 1 }],
      ["ship", { type: "delivered", description: "Ms Quill has it" }],
    ] as const) {
      const refused = await shop.admin("POST", `/orders/${order.id}/${verb}`, body);
      expect([refused.status, refused.body.message]).toEqual([
        409,
        expect.stringMatching(/erased/),
      ]);
    }
    expect(await tablesWith(server.context, shop, PERSONAL)).toEqual([]);

    // The same request again: the answer is of now, and nobody pays twice.
    const again = await at.complete(shop, id, paying(), { key });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body).toMatchObject({ status: "completed", order: { id: order.id } });
    expect(JSON.stringify(again.body)).not.toMatch(/\bquill\b/i);
    const asked = "SELECT status FROM sandbox_authorizations WHERE site_key_hash = ?";
    expect(await server.context.db.all(asked, shop.site_key_hash)).toEqual([
      { status: "captured" },
    ]);

    const told = shown.messages.filter((one: { audience: string }) => one.audience === "platform");
    expect(told.length).toBeGreaterThan(2);
    await shop.admin("POST", `/messages/${told[0].message_id}/resend`, {});
    platform.news.length = 0;
    await deliverMessages(server.context);
    expect(platform.news.length).toBeGreaterThan(0);
    for (const { body } of platform.news) {
      expect(body).not.toMatch(/quill|TRACK77/i);
      expect(schemaFaults("shopping/order.json", JSON.parse(body))).toEqual([]);
    }
    const page = await fetch(order.permalink_url);
    expect([page.status, /quill|Quedlinburg/i.test(await page.text())]).toEqual([200, false]);

    expect(await changes()).toEqual(
      expect.arrayContaining([
        { kind: "buyer_erasure_requested", buyer: expect.any(String) },
        expect.objectContaining({ kind: "buyer_erased", orders: 1, carts: 0 }),
      ]),
    );
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
    const day = new Date(clock.now()).toISOString().slice(0, 10);
    const parts = await exportDay(server, shop.site_key_hash, { day });
    expect(parts.map(({ text }) => text).join("")).not.toMatch(/quill|nachtigall|555-1234/i);
  });

  test("is erased on request in carts and checkouts that have ended, and stays in those in use", async () => {
    const cart = (await at.call(shop, "/carts", { ...lines(["vase", 1]), buyer: ZOE })).body.id;
    const gone = (await at.create(shop, PURCHASE)).body.id;
    const key = randomUUID();
    const open = (await at.create(shop, PURCHASE, { key })).body.id;
    await at.cancel(shop, gone);
    const { body } = await buyers("erase");
    expect(body.erased).toMatchObject({ orders: 0, checkouts: 1, carts: 0, replies: 2 });
    expect(body.kept).toMatchObject([
      { kind: "checkout", id: open, why: "open", until: expect.any(String) },
      { kind: "cart", id: cart, why: "open" },
    ]);
    expect(JSON.stringify((await at.get(shop, gone)).body)).not.toMatch(/\bquill\b/i);
    expect((await at.create(shop, PURCHASE, { key })).body.buyer).toEqual(ZOE);
    await at.call(shop, `/carts/${cart}/cancel`, undefined);
    await at.cancel(shop, open);
    await job();
    expect(await tablesWith(server.context, shop, PERSONAL)).toEqual([]);
  });

  test("can be read and erased only by owners", async () => {
    const paths = ["find", "export", "erase"].map((verb) => ["POST", verb] as const);
    for (const role of ["reviewer", "auditor", "owner"]) {
      const { token } = (await shop.admin("POST", "/tokens", { name: role, role })).body;
      const path = `/v1/admin/sites/${shop.site_key_hash}/buyers`;
      const statuses = [];
      for (const [method, verb] of paths) {
        const body = { email: "nobody@example.com" };
        statuses.push((await server.admin(method, `${path}/${verb}`, body, token)).status);
      }
      const put = await server.admin("PUT", `${path}/retention`, { days: 90 }, token);
      expect([role, ...statuses, put.status]).toEqual(
        role === "owner" ? [role, 200, 200, 200, 200] : [role, 403, 403, 403, 403],
      );
    }
  });

  // The last test, because the job fails as long as a log is frozen.
  test("is erased at other sites while the log of one site is frozen", async () => {
    const shops = [shop, await at.shop()].sort((a, b) =>
      a.site_key_hash < b.site_key_hash ? -1 : 1,
    );
    const [stuck, other] = shops as [Shop, Shop];
    for (const one of shops) {
      const expired = await at.bought(one, ROSE);
      await one.admin("POST", `/orders/${expired.orderId}/cancel`, {});
      const { id } = (await at.create(one, PURCHASE)).body;
      await one.admin("POST", "/buyers/erase", { email: ZOE.email });
      await at.cancel(one, id);
      await one.admin("PUT", "/buyers/retention", { days: 1 });
    }
    await deliverMessages(server.context);
    clock.advance(2 * DAY_MS);
    const { site_key_hash: site } = stuck;
    expect((await fetch(`${server.url}/v1/audit/${site}/checkpoint`)).status).toBe(200);
    await server.context.db.run("UPDATE audit_chains SET size = 3 WHERE site_key_hash = ?", site);
    await expect(job()).rejects.toThrow();
    const rose = [...PERSONAL, ROSE.buyer.email];
    expect(await tablesWith(server.context, other, rose)).toEqual([]);
    expect(await tablesWith(server.context, stuck, rose)).toContain("checkouts");
  });
});
