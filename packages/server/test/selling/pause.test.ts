import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { signMandate } from "@gatehouse/protocol";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { reconcilePayments } from "../../src/purchase/reconcile.ts";
import { findingsOfSite } from "../audit/exporting.ts";
import { NOON, TIER_DATABASES } from "../harness.ts";
import type { Buyer, Shop } from "../mandates/submitting.ts";
import { APPROVAL_SECRET, stripeSelling } from "../payments/stripe-shop.ts";
import { lines, openWorld, paying, ROSE, told, type World } from "../ucp/buying.ts";
import { NOTHING_SOLD, SHOP_TOOLS, surfaces } from "../ucp/surfaces.ts";
import { expectBooksAgree } from "./books.ts";
import { cart, ORDER_POLICY } from "./selling.ts";

const PAUSED = { outcome: "rejected", reason: "mandates_disabled", reason_code: "site_paused" };
const SHUT = [200, "error", "capabilities_incompatible"];
const FINALIZE = "v1.delegated_checkout.finalize_checkout";
const VASE = { ...ROSE, ...lines(["vase", 1]) };
const PALM = { ...ROSE, ...lines(["palm", 1]) };

describe.each(TIER_DATABASES)("while its owner has paused sales, a site on %s", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, stripe, platform, at } = {} as World;
  let shop: Shop;
  let buyer: Buyer;
  beforeAll(async () => {
    const world = await openWorld(dialect, clock);
    await world.server.context.jobs.stop();
    ({ server, stripe, platform, at } = world);
    return world.close;
  });
  beforeEach(async () => {
    clock.advance(60_000);
    shop = await at.shop();
    buyer = await at.buyer(shop);
  });
  const pause = async () => {
    const paused = await shop.admin("POST", "/pause", {});
    expect([paused.status, paused.body.paused_at]).toEqual([
      200,
      new Date(clock.now()).toISOString(),
    ]);
  };
  const resume = async () => {
    const resumed = await shop.admin("POST", "/resume", {});
    expect([resumed.status, resumed.body.paused_at]).toEqual([200, null]);
  };
  const nothingHeld = async () => {
    expect(await at.authorizations(shop)).toEqual([]);
    await expectBooksAgree(server.context, shop, { rose: 50, palm: 5 });
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  };

  test("shows on every surface that nothing can be bought, and sells again when sales resume", async () => {
    const before = await surfaces(server, shop);
    expect(before.skills).toEqual(Array(4).fill(SHOP_TOOLS));
    await pause();
    expect(await surfaces(server, shop)).toEqual(NOTHING_SOLD);
    expect((await shop.admin("GET", "/processor")).body.sells).toBe(false);
    await resume();
    expect(await surfaces(server, shop)).toEqual(before);
    expect((await at.order(shop, buyer)).body.outcome).toBe("approved");
  });

  test("limits the caching of its documents to a minute", async () => {
    const { site_key: key, site_key_hash: hash } = shop;
    for (const path of [
      `/v1/agent-card/${key}.json`,
      `/v1/catalog/${key}.json`,
      `/v1/llms/${hash}.txt`,
      `/v1/agent/${hash}`,
      `/v1/ucp/${hash}/profile`,
    ]) {
      const { headers } = await fetch(server.url + path);
      expect([path, headers.get("cache-control")]).toEqual([path, "public, max-age=60"]);
    }
  });

  test("records once who paused and resumed it, and lets only its owner do it", async () => {
    await pause();
    await shop.admin("POST", "/pause", {});
    clock.advance(1000);
    await resume();
    await shop.admin("POST", "/resume", {});
    const changes = (await at.records(shop, "site.changed")).map(
      // biome-ignore lint/suspicious/noExplicitAny: records as they are
      ({ record }: any) => [record.change.kind, record.actor.role],
    );
    expect(changes.filter(([kind]: string[]) => /paused|resumed/.test(kind ?? ""))).toEqual([
      ["resumed", "operator"],
      ["paused", "operator"],
    ]);
    const made = await shop.admin("POST", "/tokens", { name: "R", role: "reviewer" });
    for (const verb of ["pause", "resume"]) {
      const path = `/v1/admin/sites/${shop.site_key_hash}/${verb}`;
      expect((await server.admin("POST", path, {}, made.body.token)).status).toBe(403);
    }
  });

  test("refuses a mandate without deciding it, and the same bytes are approved after the pause", async () => {
    const body = await at.signed(shop, buyer);
    await pause();
    const refused = await at.send(shop, body);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([403, "60"]);
    expect(refused.body).toMatchObject(PAUSED);
    const [{ record }] = await at.records(shop);
    expect(record.decision.reason_codes).toEqual(["site_paused"]);
    await nothingHeld();
    await resume();
    expect((await at.send(shop, body)).body.outcome).toBe("approved");
  });

  test("repeats earlier decisions, and decides requests that move no money", async () => {
    const body = await at.signed(shop, buyer);
    const first = await at.send(shop, body);
    expect(first.body.outcome).toBe("approved");
    await shop.admin("PUT", "/policy", ORDER_POLICY);
    await pause();
    const again = await at.send(shop, body);
    expect([again.body, again.headers.get("idempotent-replayed")]).toEqual([first.body, "true"]);
    expect((await at.submit(shop, buyer)).body.outcome).toBe("approved");
  });

  test("counts nothing against an agent that keeps asking", async () => {
    await pause();
    for (let n = 0; n < 25; n++) expect((await at.order(shop, buyer)).body).toMatchObject(PAUSED);
    await resume();
    clock.advance(60_000);
    expect((await at.order(shop, buyer)).body.outcome).toBe("approved");
  });

  test("requests no payment over MCP either, and repeats earlier decisions", async () => {
    const items = [{ id: "rose", quantity: 1 }];
    const decided = await at.signed(shop, buyer, { protocol: "mcp" });
    const before = (await at.callTool(shop, { items, mandate: decided })).result.structuredContent;
    expect(before.outcome).toBe("approved");
    await pause();
    const again = (await at.callTool(shop, { items, mandate: decided })).result.structuredContent;
    expect(again).toEqual(before);
    const mandate = await at.signed(shop, buyer, { protocol: "mcp" });
    for (const args of [{ items, mandate }, { items }]) {
      const { result } = await at.callTool(shop, args);
      expect([result.isError, result.structuredContent]).toMatchObject([true, PAUSED]);
    }
    expect(await at.authorizations(shop)).toHaveLength(1);
    await resume();
    const after = (await at.callTool(shop, { items, mandate })).result.structuredContent;
    expect(after.outcome).toBe("approved");
  });

  test("completes no checkout of a platform, and the same key completes it after the pause", async () => {
    const { id } = await at.ready(shop);
    const done = await at.bought(shop, VASE);
    await pause();
    const key = randomUUID();
    const refused = await at.complete(shop, id, paying(), { key });
    expect(told(refused)).toEqual(SHUT);
    expect(refused.body.messages[0].content).toContain("paused sales");
    expect(told(await at.create(shop))).toEqual(SHUT);
    // What was begun can be looked at, what was bought can be read.
    expect(told(await at.get(shop, id))).toEqual([200, "ready_for_complete"]);
    expect((await at.readOrder(shop, done.orderId)).body.id).toBe(done.orderId);
    expect(await at.authorizations(shop)).toHaveLength(1);
    await resume();
    expect(told(await at.complete(shop, id, paying(), { key }))).toEqual([200, "completed"]);
  });

  test("completes no checkout by a mandate over MCP, and still lets it be cancelled there", async () => {
    const meta = () => ({
      "ucp-agent": { profile: platform.profileUrl() },
      "idempotency-key": randomUUID(),
    });
    const use = async (tool: string, args: object) =>
      (await at.callTool(shop, { meta: meta(), ...args }, undefined, tool)).result
        .structuredContent;
    const { id } = await use("create_checkout", { checkout: ROSE });
    const args = { meta: meta(), id, checkout: paying() };
    const { payment: _, ...signed } = cart({ total: "104.90", protocol: "mcp" });
    const asked = { ...signed, skill: "complete_checkout", arguments: args };
    const mandate = await signMandate(at.mandate(shop, buyer, asked), buyer.key.signer);
    await pause();
    expect(await use("complete_checkout", { ...args, mandate })).toMatchObject(PAUSED);
    const making = await use("create_checkout", { checkout: ROSE });
    expect(making.messages[0].code).toBe("capabilities_incompatible");
    expect((await use("get_checkout", { id })).status).toBe("ready_for_complete");
    expect((await use("cancel_checkout", { id })).status).toBe("canceled");
    await nothingHeld();
  });

  test("keeps an approved review pending, and pays it after the pause", async () => {
    const escalated = await at.order(shop, buyer, {
      items: [{ id: "palm", quantity: 1 }],
      total: "600.00",
    });
    expect(escalated.status).toBe(202);
    const { id } = await at.ready(shop, PALM);
    expect((await at.complete(shop, id)).body.status).toBe("requires_escalation");
    await pause();
    const pending = async () => {
      const { items } = (await shop.admin("GET", "/escalations?status=pending")).body;
      return items.map(({ escalation_id }: { escalation_id: string }) => escalation_id);
    };
    const waiting = await pending();
    expect(waiting).toHaveLength(2);
    for (const one of waiting) {
      const refused = await shop.admin("POST", `/escalations/${one}/approve`, {});
      expect([refused.status, refused.body.error]).toEqual([409, "approval_blocked"]);
      expect(refused.body.reason_code).toBe("site_paused");
    }
    expect(await pending()).toEqual(waiting);
    await nothingHeld();
    await resume();
    for (const one of waiting) {
      const approved = await shop.admin("POST", `/escalations/${one}/approve`, {});
      expect(approved.body.status).toBe("approved");
    }
  });

  test("lets a review be denied", async () => {
    await at.order(shop, buyer, { items: [{ id: "palm", quantity: 1 }], total: "600.00" });
    const [{ escalation_id }] = (await shop.admin("GET", "/escalations")).body.items;
    await pause();
    const said = { reason_code: "other" };
    const denied = await shop.admin("POST", `/escalations/${escalation_id}/deny`, said);
    expect(denied.body.status).toBe("denied");
  });

  test("declines Stripe's order approvals, even of an order it had approved", async () => {
    const account = stripe.openAccount({ restricted: true });
    const connected = await shop.admin("PUT", "/processor", {
      kind: "stripe",
      rail_on: true,
      settles: true,
      secret_key: account.key,
      approval_secret: APPROVAL_SECRET,
    });
    expect(connected.status).toBe(200);
    const ask = async (n: number) => {
      const data = { amount_total: 10_000, currency: "eur", checkout_session: `cs_${n}` };
      const call = { type: FINALIZE, id: `dc_${randomUUID()}`, livemode: false, data };
      const timestamp = Math.floor(clock.now() / 1000);
      const sent = stripe.hookCall(call, APPROVAL_SECRET, { timestamp });
      const { body } = await stripeSelling(server, stripe).hook(shop, "order-approval", sent);
      return body.manual_approval_details;
    };
    expect((await ask(1)).type).toBe("approved");
    await pause();
    expect(await ask(1)).toEqual({
      type: "declined",
      declined: { reason: expect.stringContaining("paused") },
    });
    expect((await ask(2)).type).toBe("declined");
    await resume();
    expect((await ask(2)).type).toBe("approved");
  });

  describe("with a payment that its buyer has to confirm at the bank,", () => {
    const here = (url: string) => server.url + new URL(url).pathname;
    let made: { readonly id: string; readonly continue_url: string };
    let challenge: string;
    const page = async () => (await fetch(here(made.continue_url))).text();
    beforeEach(async () => {
      made = await at.ready(shop);
      await at.complete(shop, made.id, paying("pm_card_authenticationRequired"));
      challenge = /href="([^"]+\/v1\/sandbox\/challenges\/[^"]+)"/.exec(await page())?.[1] ?? "";
      expect(challenge).not.toBe("");
    });
    const confirm = async () => {
      const answered = await fetch(here(challenge), {
        method: "POST",
        redirect: "manual",
        body: new URLSearchParams({ answer: "confirm" }),
      });
      const back = new URL(answered.headers.get("location") ?? "");
      await fetch(server.url + back.pathname + back.search, { redirect: "manual" });
    };

    test("does not send the buyer to the bank until the pause ends", async () => {
      await pause();
      const html = await page();
      expect(html).toContain("The shop has paused sales");
      expect(html).not.toContain("/v1/sandbox/challenges/");
      await resume();
      expect(await page()).toContain(challenge);
      await confirm();
      expect(told(await at.get(shop, made.id))).toEqual([200, "completed"]);
    });

    test("voids a payment that was confirmed anyway, and the checkout can be paid after the pause", async () => {
      await pause();
      await confirm();
      expect(told(await at.get(shop, made.id))).toEqual([
        200,
        "ready_for_complete",
        "sales_paused",
      ]);
      expect(await at.orders(shop)).toEqual([]);
      await nothingHeld();
      await resume();
      expect(told(await at.complete(shop, made.id))).toEqual([200, "completed"]);
    });

    test("voids a payment that was confirmed after its platform was suspended", async () => {
      const { hostname } = new URL(platform.profileUrl());
      await shop.admin("PUT", `/platforms/${hostname}`, { status: "suspended" });
      await confirm();
      expect(told(await at.get(shop, made.id)).at(-1)).toBe("platform_suspended");
      expect(await at.orders(shop)).toEqual([]);
      await nothingHeld();
    });
  });

  test("does not repeat a request that the provider never received, until it is resumed", async () => {
    const { providers } = server.context;
    const { sandbox } = providers;
    if (sandbox === undefined) throw new Error("no sandbox");
    const authorize = sandbox.authorize.bind(sandbox);
    sandbox.authorize = async () => {
      throw new Error("the connection was lost");
    };
    const body = await at.signed(shop, buyer);
    expect((await at.send(shop, body)).body.outcome).toBe("unavailable");
    sandbox.authorize = authorize;
    await pause();
    clock.advance(60_000);
    await reconcilePayments(server.context, () => false);
    expect(await at.authorizations(shop)).toEqual([]);
    expect((await at.send(shop, body)).body.outcome).toBe("unavailable");
    await resume();
    clock.advance(60_000);
    await reconcilePayments(server.context, () => false);
    expect((await at.send(shop, body)).body.outcome).toBe("approved");
    expect(await at.authorizations(shop)).toHaveLength(1);
  });

  test("requests no payment after its pause, however many requests arrive at that moment", async () => {
    const vase = { items: [{ id: "vase", quantity: 1 }], total: "12.50" };
    const first = new EventEmitter();
    const buyUntilRefused = async () => {
      for (;;) {
        const { outcome, reason } = (await at.order(shop, buyer, vase)).body;
        if (outcome !== "approved") return reason;
        first.emit("bought");
      }
    };
    const bought = once(first, "bought");
    const refusals = Promise.all(Array.from({ length: 4 }, buyUntilRefused));
    await bought;
    await pause();
    expect(await refusals).toEqual(Array(4).fill("mandates_disabled"));
    const { items } = (await shop.admin("GET", "/audit/records?limit=200")).body;
    // biome-ignore lint/suspicious/noExplicitAny: records as they are
    const newest = items.findIndex(({ record }: any) => record.change?.kind === "paused");
    expect(newest).toBeGreaterThanOrEqual(0);
    for (const { record } of items.slice(0, newest)) expect(record.payment).not.toBe("requested");
  });
});
