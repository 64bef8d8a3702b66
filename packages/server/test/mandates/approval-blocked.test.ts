import type { JsonObject } from "@gatehouse/protocol";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { reconcilePayments } from "../../src/purchase/reconcile.ts";
import { cleanUp, createSite, NOON, type TestServer, TIER_DATABASES } from "../harness.ts";
import { type Market, ORDER_POLICY, openMarket, PRODUCTS } from "../selling/selling.ts";
import type { Buyer, Shop } from "./submitting.ts";

const HOUR_MS = 3_600_000;
const SANDBOX = { kind: "sandbox", rail_on: true, settles: true };
const palmsLeft = (quantity: number) => ({
  products: PRODUCTS.map((one) => (one.id === "palm" ? { ...one, quantity } : one)),
});

/** Something that stops an approval for now: how it comes, how it goes, what the reviewer reads. */
interface Blocked {
  readonly code: string;
  readonly message: RegExp;
  stop(shop: Shop, buyer: Buyer, server: TestServer): Promise<unknown>;
  mend(shop: Shop, buyer: Buyer): Promise<unknown>;
}

const BLOCKED: readonly Blocked[] = [
  {
    code: "gate_shut",
    message:
      /^The site is not ready to sell\. Let agents pay through the payment provider\. Then approve again\.$/,
    stop: (shop) => shop.admin("PUT", "/processor", { ...SANDBOX, rail_on: false }),
    mend: (shop) => shop.admin("PUT", "/processor", SANDBOX),
  },
  {
    code: "site_not_verified",
    message: /domain of this site is not verified/,
    stop: async (shop, _, server) => createSite(server, (await shop.admin("GET", "")).body.domain),
    mend: (shop) => shop.admin("POST", "/verify", { method: "operator", reason: "the test" }),
  },
  {
    code: "agent_suspended",
    message: /agent is suspended/,
    stop: (shop, { agentId }) => shop.admin("POST", `/agents/${agentId}/suspend`, {}),
    mend: (shop, { agentId }) => shop.admin("POST", `/agents/${agentId}/approve`, {}),
  },
  {
    code: "mandates_disabled",
    message: /does not accept mandates now/,
    stop: (shop) => shop.admin("PATCH", "/mandates", { enabled: false }),
    mend: (shop) => shop.admin("PATCH", "/mandates", { enabled: true }),
  },
  {
    code: "out_of_stock",
    message: /^Not enough stock\./,
    stop: (shop) => shop.admin("PUT", "/products", palmsLeft(0)),
    mend: (shop) => shop.admin("PUT", "/products", palmsLeft(5)),
  },
];

describe.each(TIER_DATABASES)(
  "approving a review that cannot be approved now, on %s,",
  (dialect) => {
    const clock = new ManualClock(NOON);
    let { server, at, shop, buyer } = {} as Market;
    beforeAll(async () => {
      ({ server, at } = await openMarket(dialect, clock));
      return cleanUp;
    });
    beforeEach(async () => {
      clock.advance(HOUR_MS);
      ({ shop, buyer } = await at.shopAndBuyer());
    });

    async function asking(token = "pm_card_visa", total = "600.00") {
      const order = await at.signed(shop, buyer, {
        items: [{ id: "palm", quantity: 1 }],
        total,
        token,
      });
      const { body } = await at.send(shop, order);
      expect(body.outcome).toBe("escalated");
      const path = `/escalations/${body.escalation_id}`;
      return {
        approve: () => shop.admin("POST", `${path}/approve`, {}),
        state: async () => (await shop.admin("GET", path)).body.status,
        again: () => at.send(shop, order),
      };
    }

    test.each(BLOCKED)(
      "names the reason ($code), keeps the review pending, and approves it later",
      async (it) => {
        const { approve, state } = await asking();
        await it.stop(shop, buyer, server);
        const blocked = await approve();
        expect([blocked.status, blocked.body.error]).toEqual([409, "approval_blocked"]);
        expect(blocked.body).toMatchObject({
          reason_code: it.code,
          message: expect.stringMatching(it.message),
          docs_url: expect.stringContaining("/docs/errors/approval-blocked.md"),
        });
        expect(await state()).toBe("pending");
        expect(await at.authorizations(shop)).toEqual([]);
        expect(await at.records(shop, "review.decision")).toEqual([]);
        await it.mend(shop, buyer);
        expect((await approve()).body).toEqual({ status: "approved" });
        expect(await at.authorizations(shop)).toHaveLength(1);
      },
    );

    test("keeps the review while the budget is exhausted", async () => {
      const order = { skill: { eq: "place_order" } };
      const spend = { scope: "site", window: "PT1H", would_exceed: { EUR: "600.00" } };
      const [skills, ask] = ORDER_POLICY.rules;
      const rules = [
        skills,
        ask,
        { id: "hour", effect: "deny", when: { all: [order, { spend }] } },
      ];
      await shop.admin("PUT", "/policy", { ...ORDER_POLICY, rules });
      const [one, two] = [await asking(), await asking()];
      expect((await one.approve()).body).toEqual({ status: "approved" });
      const blocked = await two.approve();
      expect([blocked.status, blocked.body.reason_code]).toEqual([409, "budget_exceeded"]);
      expect(await two.state()).toBe("pending");
      clock.advance(2 * HOUR_MS);
      expect((await two.approve()).body).toEqual({ status: "approved" });
    });

    test("ends the review if the agent is revoked, a rule denies, or the quote no longer exists", async () => {
      const reviews = [await asking(), await asking(), await asking()];
      const ended = async (n: number) => {
        const { status, body } = (await reviews[n]?.approve()) ?? {};
        return [status, body?.status];
      };
      const dear = PRODUCTS.map((one) => (one.id === "palm" ? { ...one, price: "601.00" } : one));
      await shop.admin("PUT", "/products", { products: dear });
      expect(await ended(0)).toEqual([200, "invalidated"]);
      await shop.admin("PUT", "/products", { products: PRODUCTS });
      const never = { id: "never", effect: "deny", when: { skill: { eq: "place_order" } } };
      const rules = [...ORDER_POLICY.rules, never];
      await shop.admin("PUT", "/policy", { ...ORDER_POLICY, rules } as unknown as JsonObject);
      expect(await ended(1)).toEqual([200, "invalidated"]);
      await shop.admin("PUT", "/policy", ORDER_POLICY);
      await shop.admin("POST", `/agents/${buyer.agentId}/revoke`, {});
      expect(await ended(2)).toEqual([200, "invalidated"]);
      expect(await at.authorizations(shop)).toEqual([]);
    });

    test("never makes a review pending again after the payment provider was asked", async () => {
      const { approve, state, again } = await asking("pm_sandbox_timeout");
      expect((await approve()).body).toEqual({ status: "paying" });
      await shop.admin("PUT", "/processor", { ...SANDBOX, rail_on: false });
      expect((await approve()).body.error).toBe("conflict");
      expect(await state()).toBe("paying");
      clock.advance(60_000);
      await reconcilePayments(server.context, () => false);
      expect(await state()).toBe("approved");
      expect((await again()).status).toBe(200);
      expect(await at.authorizations(shop)).toHaveLength(1);
    });
  },
);
