import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { type JsonObject, signMandate } from "@gatehouse/protocol";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { reconcilePayments, syncPaymentOfAttempt } from "../../src/purchase/reconcile.ts";
import { findingsOfSite } from "../audit/exporting.ts";
import { NOON, TIER_DATABASES } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { expectBooksAgree } from "../selling/books.ts";
import { cart } from "../selling/selling.ts";
import {
  ADDRESS,
  BUYER,
  lines,
  openWorld,
  paying,
  ROSE,
  SHOP,
  sent,
  told,
  type World,
} from "./buying.ts";

const MINUTE_MS = 60_000;
const CHALLENGED = paying("pm_card_authenticationRequired");
const rose = (price: string, quantity: number) => ({
  id: "rose",
  title: "A rose",
  price,
  currency: "EUR",
  quantity,
});

describe.each(TIER_DATABASES)("against a hostile caller, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, platform, stripe, at } = {} as World;
  let shop: Shop;
  beforeAll(async () => {
    const world = await openWorld(dialect, clock);
    ({ server, platform, stripe, at } = world);
    // What jobs do is done when a test says so.
    await server.context.jobs.stop();
    return world.close;
  });
  beforeEach(async () => {
    clock.advance(MINUTE_MS);
    shop = await at.shop();
  });
  const reconcile = () => reconcilePayments(server.context, () => false);
  const here = (url: string) => server.url + new URL(url).pathname;
  const amounts = async () => (await at.authorizations(shop)).map((one) => one.amount_minor);
  const meta = (profile = platform.profileUrl()) => ({ "ucp-agent": { profile } });
  const tool = async (name: string, args: JsonObject) =>
    (await at.callTool(shop, args, undefined, name)) as never as JsonObject;

  test("a retry with another amount gets the first answer, and an unseen amount is not charged", async () => {
    const { id } = await at.ready(shop);
    await at.importLines(shop, [rose("400.00", 50)]);
    const key = randomUUID();
    const first = await at.complete(shop, id, paying(), { key });
    expect(told(first)).toEqual([200, "ready_for_complete", "quote_changed"]);
    expect((await at.complete(shop, id, paying(), { key })).body).toEqual(first.body);
    expect(await amounts()).toEqual([]);
  });

  test("nobody is shown what a signed platform made of a cart, nor a checkout for an invalid mandate", async () => {
    const made = await at.call(
      shop,
      "/carts",
      { ...lines(["rose", 1]), buyer: BUYER },
      { sign: false },
    );
    await at.create(shop, { cart_id: made.body.id, ...sent() });
    const stranger = await at.create(shop, { cart_id: made.body.id }, { sign: false });
    expect(told(stranger)).toEqual([200, "error", "not_found"]);
    const { body } = await at.create(shop, ROSE, { sign: false });
    const answers = [
      await tool("complete_checkout", { id: body.id, mandate: { nonsense: 1 } }),
      await tool("complete_checkout", { id: body.id, meta: meta("https://else.example/p") }),
      await tool("get_checkout", { id: body.id, meta: meta(platform.profileUrl("else")) }),
    ];
    expect(JSON.stringify(answers)).not.toMatch(/ada@|Gartenstr|104\.90/);
  });

  test("no valid mandate completes another platform's checkout", async () => {
    const buyer = await at.buyer(shop);
    const { body } = await at.create(shop, ROSE, { sign: false });
    const by = async (profile: string, id = body.id) => {
      const args = { meta: meta(profile), id, checkout: paying() };
      const { payment: _, ...said } = cart({ total: "104.90", protocol: "mcp" });
      const signed = { ...said, skill: "complete_checkout", arguments: args };
      return at.send(shop, await signMandate(at.mandate(shop, buyer, signed), buyer.key.signer));
    };
    expect((await by("https://else.example/p")).body.reason).toBe("cart_invalid");
    expect((await by(platform.profileUrl(), "a\u0000b")).body.reason).toBe("cart_invalid");
    expect(await amounts()).toEqual([]);
    expect((await by(platform.profileUrl())).body.outcome).toBe("approved");
  });

  test("knowing an id is not enough to change what its platform then pays for unseen", async () => {
    const { body } = await at.create(shop, ROSE, { sign: false });
    const evil = { ...sent("standard", { ...ADDRESS, street_address: "Evil 1" }) };
    const moved = { ...ROSE, buyer: { ...BUYER, email: "evil@example.com" }, ...evil };
    await at.update(shop, body.id, moved, { sign: false });
    const looked = await at.complete(shop, body.id);
    expect(told(looked)).toEqual([200, "ready_for_complete", "quote_changed"]);
    expect(looked.body.fulfillment.methods[0].destinations[0].street_address).toBe("Evil 1");
    // From then on it answers to signed calls alone.
    expect(told(await at.update(shop, body.id, moved, { sign: false }))).toEqual([
      200,
      "error",
      "not_found",
    ]);
    await at.update(shop, body.id, ROSE);
    expect(told(await at.complete(shop, body.id))).toEqual([200, "completed"]);
    const [order] = await at.orders(shop);
    const shown = (await shop.admin("GET", `/orders/${order.order_id}`)).body;
    expect(shown.purchase.address.street_address).toBe(ADDRESS.street_address);
  });

  test("one product in two lines never sells more than is in stock", async () => {
    await at.importLines(shop, [rose("1.00", 50)]);
    const two = { ...ROSE, ...lines(["rose", 30], ["rose", 20]) };
    const { id, continue_url } = await at.ready(shop, two);
    await at.complete(shop, id, CHALLENGED);
    expect(await at.product(shop, "rose")).toMatchObject({ reserved: 50 });
    await at.importLines(shop, [rose("1.00", 40)]);
    const html = await (await fetch(here(continue_url))).text();
    const bank = /href="([^"]+\/challenges\/[^"]+)"/.exec(html)?.[1] ?? "";
    await fetch(here(bank), { method: "POST", body: new URLSearchParams({ answer: "confirm" }) });
    await fetch(`${here(continue_url)}?x`, { redirect: "manual" });
    expect((await at.get(shop, id)).body.messages[0].code).toBe("out_of_stock");
    expect(await at.product(shop, "rose")).toMatchObject({ quantity: 40, reserved: 0 });
    expect(await amounts()).toEqual([]);
    // It was authorized, and let go: both are in the log.
    const outcomes = await at.records(shop, "payment.outcome");
    expect(outcomes.map(({ record }: { record: { release?: string } }) => record.release)).toEqual([
      "done",
      "requested",
      undefined,
    ]);
    expect(await at.authorizations(shop, "released")).toHaveLength(1);
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  });

  test("an unanswered bank confirmation holds goods for half an hour, and not after a cancellation", async () => {
    const reserved = async () => (await at.product(shop, "rose")).reserved;
    const held = await at.ready(shop);
    await at.complete(shop, held.id, CHALLENGED);
    for (let minute = 0; minute < 31; minute++) {
      clock.advance(MINUTE_MS);
      if (minute < 28) await fetch(`${here(held.continue_url)}?x`, { redirect: "manual" });
      await reconcile();
    }
    expect(await reserved()).toBe(0);
    const cancelled = await at.ready(shop);
    await at.complete(shop, cancelled.id, CHALLENGED);
    expect(await reserved()).toBe(1);
    await at.cancel(shop, cancelled.id);
    await reconcile();
    expect(await reserved()).toBe(0);
    await expectBooksAgree(server.context, shop, { rose: 50 });
  });

  test("the sandbox's bank refuses unexpected input", async () => {
    const { id, continue_url } = await at.ready(shop);
    await at.complete(shop, id, CHALLENGED);
    const html = await (await fetch(here(continue_url))).text();
    const bank = here(/href="([^"]+\/challenges\/[^"]+)"/.exec(html)?.[1] ?? "");
    const post = (body: RequestInit["body"]) =>
      fetch(bank, {
        method: "POST",
        redirect: "manual",
        body: body as string,
        duplex: "half",
      } as never);
    for (const answer of ["constructor", "toString", "__proto__", ""]) {
      expect((await post(new URLSearchParams({ answer }))).status).toBe(400);
    }
    async function* much() {
      for (let n = 0; n < 64; n++) yield Buffer.alloc(1024, "a");
    }
    expect((await post(Readable.toWeb(Readable.from(much())) as never)).status).toBe(413);
    expect((await at.get(shop, id)).body.status).toBe("requires_escalation");
  });

  test("confirming a payment that was refused before cancels it at the bank, and holds nothing", async () => {
    const account = stripe.openAccount({ restricted: true });
    await shop.admin("PUT", "/processor", {
      kind: "stripe",
      rail_on: true,
      settles: true,
      secret_key: account.key,
      publishable_key: "pk_test_0123456789",
    });
    const { id, continue_url } = await at.ready(shop);
    await at.complete(shop, id, paying("pm_card_authenticationRequired", "gpay"));
    const intent = () => stripe.intents(account.id).at(-1);
    stripe.finishProcessing(intent()?.id ?? "", "requires_payment_method");
    await fetch(`${here(continue_url)}?x`, { redirect: "manual" });
    expect(told(await at.get(shop, id))).toEqual([200, "ready_for_complete", "payment_failed"]);
    expect(intent()?.status).toBe("canceled");
    expect(told(await at.complete(shop, id, paying("pm_card_visa", "gpay")))).toEqual([
      200,
      "completed",
    ]);
    expect(stripe.intents(account.id).map(({ status }) => status)).toEqual([
      "requires_capture",
      "canceled",
    ]);
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
    const [{ attempt_id }] = await at.orders(shop);
    await syncPaymentOfAttempt(server.context, attempt_id);
    expect(await at.orders(shop)).toMatchObject([{ payment: "authorized" }]);
  });

  test("a region in another spelling is taxed, and a missing one is asked for", async () => {
    const taxes = [{ country: "DE", region: "BE", percent: "10" }];
    await shop.admin("PUT", "/shop", { ...SHOP, taxes } as never);
    const to = (region: string) =>
      at.create(shop, { ...ROSE, ...sent("standard", { ...ADDRESS, address_region: region }) });
    for (const region of ["BE", "be", " BE "]) {
      expect((await to(region)).body.totals).toContainEqual({ type: "tax", amount: 1049 });
    }
    for (const region of ["Berlin", ""]) {
      expect(told(await to(region))).toEqual([201, "incomplete", "field_required"]);
    }
    await shop.admin("PUT", "/shop", { shipping: [], taxes } as never);
    const nowhere = await at.create(shop, { ...lines(["rose", 1]), buyer: BUYER });
    expect(told(nowhere)).toEqual([201, "incomplete", "field_required"]);
  });

  test("changed terms are shown to the buyer first, and every signed text stays available", async () => {
    const set = (version: string) =>
      shop.admin("PUT", "/shop", { ...SHOP, terms: { text: `${version}\n`, version } } as never);
    await set("1");
    const { id } = await at.ready(shop);
    await set("2");
    expect(told(await at.complete(shop, id))).toEqual([200, "ready_for_complete", "quote_changed"]);
    const done = await at.complete(shop, id);
    expect([done.body.status, done.body.policies[0].version]).toEqual(["completed", "2"]);
    await set("3");
    expect(await (await fetch(here(done.body.policies[0].url))).text()).toBe("2\n");
  });

  test("an id that no database can look up is answered as not found", async () => {
    const odd = ["\u0000", "x".repeat(200), "chk_\u0000", "../x"];
    for (const id of odd) {
      expect(told(await at.create(shop, { cart_id: id, line_items: [] }))).toEqual([
        200,
        "error",
        "not_found",
      ]);
      for (const name of ["get_checkout", "get_cart"]) {
        const { result } = (await tool(name, { meta: meta(), id })) as never as {
          result: { structuredContent: { messages: { code: string }[] } };
        };
        expect(result.structuredContent.messages[0]?.code).toBe("not_found");
      }
    }
  });

  test("a platform without fulfillment support completes nothing that has to be shipped", async () => {
    const { id } = await at.ready(shop);
    const before = platform.profile;
    const { "dev.ucp.shopping.fulfillment": _, ...rest } = (
      before.ucp as { capabilities: JsonObject }
    ).capabilities as Record<string, unknown>;
    platform.profile = {
      ...before,
      ucp: { ...(before.ucp as object), capabilities: rest as never },
    };
    clock.advance(2 * MINUTE_MS);
    const tried = await at.complete(shop, id);
    platform.profile = before;
    expect(told(tried)).toEqual([200, "incomplete", "capabilities_incompatible"]);
    expect(await amounts()).toEqual([]);
  });

  test("a profile address with a query is refused, so a platform has one name", async () => {
    const asked = await at.create(shop, ROSE, { profile: `${platform.profileUrl()}?2` });
    expect([asked.status, asked.body.code]).toEqual([400, "invalid_profile_url"]);
  });

  test("a cart without a buyer can be bought once", async () => {
    const made = await at.call(shop, "/carts", lines(["rose", 1]));
    const from = { cart_id: made.body.id, buyer: BUYER, ...sent() };
    const checkout = await at.create(shop, from);
    expect(told(checkout)).toEqual([201, "ready_for_complete"]);
    await at.complete(shop, checkout.body.id);
    expect(told(await at.create(shop, from))).toEqual([200, "error", "not_found"]);
    expect(await at.orders(shop)).toHaveLength(1);
  });
});
