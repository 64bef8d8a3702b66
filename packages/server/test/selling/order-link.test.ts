import { type JsonObject, signMandate } from "@gatehouse/protocol";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import {
  cleanUp,
  DATABASES,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
} from "../harness.ts";
import type { Buyer, Shop } from "../mandates/submitting.ts";
import { selling } from "./selling.ts";

describe.each(DATABASES)("an agent that has bought something, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let server: TestServer;
  let at: ReturnType<typeof selling>;
  let shop: Shop;
  beforeAll(async () => {
    server = await startServer(await freshEnvironment(dialect), { clock });
    at = selling(server);
    return cleanUp;
  });
  beforeEach(async () => {
    clock.advance(61_000);
    shop = await at.shop();
  });

  const pageAt = async (url: string) => {
    const response = await fetch(server.url + new URL(url).pathname);
    return { status: response.status, text: await response.text() };
  };

  test("is told the order and its page, each time it asks, by the endpoint and by the tool", async () => {
    const buyer = await at.buyer(shop);
    const mandate = await at.signed(shop, buyer);
    const first = await at.send(shop, mandate);
    const [order] = await at.orders(shop);
    expect(first.body).toMatchObject({ outcome: "approved", order_id: order.order_id });
    expect((await at.send(shop, mandate)).body).toEqual(first.body);
    const other = await at.signed(shop, buyer, { protocol: "mcp" });
    const args = other.signed.arguments as JsonObject;
    const { result } = await at.call(shop, { ...args, mandate: other });
    const { outcome, order_url } = result.structuredContent;
    expect([outcome, (await pageAt(order_url)).status]).toEqual(["approved", 200]);
  });

  test("is told of it by the status of a review that led to it", async () => {
    const palm = { items: [{ id: "palm", quantity: 1 }], total: "600.00" };
    const { body } = await at.order(shop, await at.buyer(shop), palm);
    const status = async () =>
      (await (await fetch(server.url + new URL(body.status_url).pathname)).json()) as JsonObject;
    expect(await status()).not.toHaveProperty("order_id");
    await shop.admin("POST", `/escalations/${body.escalation_id}/approve`, {});
    const { order_id, order_url } = await status();
    const [order] = await at.orders(shop);
    expect([order_id, (await pageAt(String(order_url))).status]).toEqual([order.order_id, 200]);
  });

  test("sees at that page what was bought and how far it is, and no record or list names the page", async () => {
    const { body } = await at.order(shop, await at.buyer(shop));
    const page = await pageAt(body.order_url);
    expect(page.status).toBe(200);
    for (const words of ["Thank you for your order", "#1001", "€100.00"]) {
      expect(page.text).toContain(words);
    }
    await shop.admin("POST", `/orders/${body.order_id}/ship`);
    expect((await pageAt(body.order_url)).text).toContain("Your order is on its way");
    const secret = body.order_url.split("/").at(-1);
    const records = await shop.admin("GET", "/audit/records?limit=200");
    const lists = [records.body, (await shop.admin("GET", "/orders")).body];
    expect(JSON.stringify(lists)).not.toContain(secret);
    expect((await pageAt(`${body.order_url}x`)).status).toBe(404);
  });

  describe("reads it with a mandate for get_order:", () => {
    const reading = (id: string) => ({ skill: "get_order", arguments: { id } });
    const signedFor = (buyer: Buyer, id: string, more: JsonObject = {}) =>
      signMandate(at.mandate(shop, buyer, { ...reading(id), ...more }), buyer.key.signer);
    const ask = async (id: string, mandate: unknown) =>
      (await at.call(shop, { id, mandate }, undefined, "get_order")).result;
    const calls = async () => (await at.records(shop, "mcp.tools_call")).length;
    let buyer: Buyer;
    let orderId: string;
    beforeEach(async () => {
      buyer = await at.buyer(shop);
      orderId = (await at.order(shop, buyer)).body.order_id;
    });

    test("how far it is, as often as the mandate is valid, with one record for each call", async () => {
      const mandate = await signedFor(buyer, orderId);
      const before = await calls();
      const first = await ask(orderId, mandate);
      expect(first.structuredContent).toMatchObject({
        order_id: orderId,
        order_url: expect.stringContaining("/pages/page_"),
        status: "open",
        payment: "authorized",
        amount: { total: "100.00", currency: "EUR" },
        line_items: [{ item: { id: "rose" }, quantity: { original: 1, total: 1, fulfilled: 0 } }],
      });
      await shop.admin("POST", `/orders/${orderId}/ship`, { carrier: "DHL" });
      const { structuredContent } = await ask(orderId, mandate);
      expect([structuredContent.status, structuredContent.events[0].carrier]).toEqual([
        "shipped",
        "DHL",
      ]);
      expect((await calls()) - before).toBe(2);
      const decided = (await shop.admin("GET", "/decisions")).body.items;
      expect(decided).toHaveLength(1);
    });

    test("not if another agent placed it, another order is signed, or the mandate has expired", async () => {
      const stranger = await at.buyer(shop);
      const reasonOf = async (id: string, mandate: unknown) => {
        const { isError, structuredContent } = await ask(id, mandate);
        return [isError, structuredContent.reason];
      };
      const theirs = await signedFor(stranger, orderId);
      expect(await reasonOf(orderId, theirs)).toEqual([true, "not_found"]);
      const other = await signedFor(buyer, "ord_other");
      expect(await reasonOf(orderId, other)).toEqual([true, "arguments_mismatch"]);
      const own = await signedFor(buyer, orderId);
      const forged = {
        ...own,
        envelope: { ...own.envelope, signature: theirs.envelope.signature },
      };
      expect(await reasonOf(orderId, forged)).toEqual([true, "signature_invalid"]);
      clock.advance(20 * 60_000);
      expect(await reasonOf(orderId, own)).toEqual([true, "mandate_expired"]);
    });

    test("not if its scopes leave that out, or it was suspended", async () => {
      const mandate = await signedFor(buyer, orderId);
      const path = `/agents/${buyer.agentId}`;
      await shop.admin("PATCH", path, { scopes: ["place_order"] });
      expect((await ask(orderId, mandate)).structuredContent.reason).toBe("scope_not_granted");
      await shop.admin("POST", `${path}/suspend`, {});
      expect((await ask(orderId, mandate)).structuredContent.reason).toBe("agent_suspended");
    });
  });
});
