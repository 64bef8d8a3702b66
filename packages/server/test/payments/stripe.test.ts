import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { checkExpiringOrders } from "../../src/actions/orders/check-expiring-orders.ts";
import { startTest } from "../../src/actions/test-purchases/start-test.ts";
import { serviceActor } from "../../src/domain/audit/drafts.ts";
import { deleteEndedSecrets } from "../../src/domain/payments/accounts/store.ts";
import type { Payment } from "../../src/domain/payments/payment.ts";
import { paymentById } from "../../src/domain/payments/store.ts";
import type { Site } from "../../src/domain/sites/site.ts";
import { siteByHash } from "../../src/domain/sites/store.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { writeOutcome } from "../../src/purchase/outcome.ts";
import { reconcilePayments } from "../../src/purchase/reconcile.ts";
import { newKey } from "../agents/registering.ts";
import { findingsOfSite } from "../audit/exporting.ts";
import {
  cleanUp,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import { clientOf } from "../stripe/kit.ts";
import { stripeSchemas } from "../stripe/schemas.ts";
import { StripeSimulator } from "../stripe/simulator.ts";
import { stripeSelling } from "./stripe-shop.ts";

const HOUR_MS = 3_600_000;

describe.each(TIER_DATABASES)("a site paid through Stripe, on %s:", (dialect) => {
  const clock = new ManualClock(NOON);
  let server: TestServer;
  let stripe: StripeSimulator;
  let at: ReturnType<typeof stripeSelling>;
  let shop: Awaited<ReturnType<typeof at.stripeShop>>["shop"];
  let account: Awaited<ReturnType<typeof at.stripeShop>>["account"];
  let buyer: Awaited<ReturnType<typeof at.stripeShop>>["buyer"];
  beforeAll(async () => {
    stripe = await StripeSimulator.start({ now: () => clock.now() });
    const env = {
      ...(await freshEnvironment(dialect)),
      GATEHOUSE_STRIPE_API_BASE: stripe.url,
      GATEHOUSE_SOURCE_REQUESTS_PER_MINUTE: "1000000",
    };
    server = await startServer(env, { clock });
    at = stripeSelling(server, stripe);
    // What jobs do is done when a test says so.
    await server.context.jobs.stop();
    return async () => {
      await cleanUp();
      await stripe.stop();
    };
  });
  beforeEach(async () => {
    stripe.fault = () => undefined;
    ({ shop, account, buyer } = await at.stripeShop());
  });

  const reconcile = () => reconcilePayments(server.context, () => false);
  const outcomes = async () =>
    (await at.records(shop, "payment.outcome")).map(
      ({ record }: { record: { payment: string } }) => record.payment,
    );

  test("an approved order is authorized for the exact amount, not captured, with the attempt's key", async () => {
    const answer = await at.order(shop, buyer);
    expect([answer.status, answer.body.outcome]).toEqual([200, "approved"]);
    const [intent] = at.held(account);
    expect(intent).toMatchObject({
      amount: 10_000,
      currency: "eur",
      amount_capturable: 10_000,
      amount_received: 0,
      status: "requires_capture",
    });
    const [order] = await at.orders(shop);
    expect(intent?.metadata.gatehouse_attempt).toBe(order.attempt_id);
    expect(order).toMatchObject({ payment: "authorized", captured_minor: null });
    expect(Date.parse(order.lapses_at)).toBe(NOON_PLUS_WEEK(clock.now()));
    const asked = stripe.calls.filter(({ path }) => path === "/v1/payment_intents").at(-1);
    expect(asked).toMatchObject({ idempotencyKey: `gatehouse-${order.attempt_id}` });
    expect(asked?.params).toMatchObject({ capture_method: "manual", confirm: "true" });
    expect(asked?.params).toMatchObject({ error_on_requires_action: "true" });
    expect(await outcomes()).toEqual(["authorized"]);
  });

  test.each([
    ["pm_card_chargeDeclined", "generic_decline"],
    ["pm_card_chargeDeclinedInsufficientFunds", "insufficient_funds"],
    ["pm_card_chargeDeclinedLostCard", "card_declined"],
    ["pm_card_chargeDeclinedStolenCard", "card_declined"],
    ["pm_card_authenticationRequired", "authentication_required"],
    ["pm_card_of_nobody", "unknown_token"],
    ["tok_of_nobody", "unknown_token"],
    ["spt_1234567890", "shared_tokens_off"],
  ])("%s is declined: %s", async (token, reason) => {
    const answer = await at.order(shop, buyer, { token });
    expect([answer.status, answer.body.reason]).toEqual([403, "payment_declined"]);
    const [{ record }] = await at.records(shop, "payment.outcome");
    expect([record.payment, record.processor_reason]).toEqual(["declined", reason]);
    expect(at.held(account)).toEqual([]);
    expect(await at.orders(shop)).toEqual([]);
  });

  test("a test purchase is paid with a test card, and refused on a live account", async () => {
    const key = await newKey();
    const { status, body } = await shop.admin("POST", "/test-purchases", { jwk: key.jwk });
    expect([status, body.handler]).toEqual([201, "stripe"]);
    const items = [{ id: body.product_id as string, quantity: 1 }];
    const tester = { agentId: body.agent_id as string, key };
    const answer = await at.order(shop, tester, { items, ...body.cart, token: "tok_visa" });
    expect(answer.body.outcome).toBe("escalated");
    const review = `/escalations/${answer.body.escalation_id}/approve`;
    expect((await shop.admin("POST", review, {})).status).toBe(200);
    expect(at.held(account)).toHaveLength(1);
    const [order] = await at.orders(shop);
    expect(order).toMatchObject({ payment: "authorized", is_test: true });
    const { context } = server;
    const site = (await siteByHash(context.db, shop.site_key_hash)) as Site;
    const live = { ...site.provider, live: true, walletMerchantId: "BCR2DN" } as never;
    const other = [(await newKey()).jwk, serviceActor("test")] as const;
    const refused = await startTest(context, { ...site, provider: live }, ...other);
    expect(refused).toMatchObject({ ok: false, reason: "conflict" });
    expect(await startTest(context, site, ...other)).toMatchObject({ ok: true });
  });

  test("a card token becomes a payment method and pays", async () => {
    expect((await at.order(shop, buyer, { token: "tok_visa" })).status).toBe(200);
    expect(at.held(account)).toHaveLength(1);
  });

  test("a shared payment token pays if the owner allows it, in Stripe's preview", async () => {
    await at.connect(shop, { shared_payment_tokens: true });
    expect((await at.order(shop, buyer, { token: "spt_1234567890" })).status).toBe(200);
    const paid = stripe.calls.filter(({ method }) => method === "POST").at(-1);
    expect(paid?.apiVersion).toMatch(/\.preview$/);
    expect(at.held(account)).toHaveLength(1);
  });

  test("a payment in processing has an unknown outcome, and then the one that Stripe reports", async () => {
    const body = await at.signed(shop, buyer, { token: "pm_card_processing" });
    expect((await at.send(shop, body)).status).toBe(503);
    const [intent] = stripe.intents(account.id);
    stripe.finishProcessing(intent?.id ?? "", "requires_capture");
    clock.advance(HOUR_MS);
    await reconcile();
    expect((await at.send(shop, body)).body.outcome).toBe("approved");
    expect(at.held(account)).toHaveLength(1);
  });

  describe("if Stripe fails once,", () => {
    test.each(["drop_before", "drop_during", "drop_after", "rate_limited", "in_use"] as const)(
      "%s leads to an unknown outcome, and then to one authorization and one order",
      async (fault) => {
        let failed = false;
        stripe.fault = ({ method, path }) => {
          if (failed || method !== "POST" || path !== "/v1/payment_intents") return undefined;
          failed = true;
          return fault;
        };
        const body = await at.signed(shop, buyer);
        const first = await at.send(shop, body);
        // Their library tries a connection that was closed again by itself, with the same key.
        if (first.status !== 200) {
          expect([first.status, first.body.outcome]).toEqual([503, "unavailable"]);
          clock.advance(HOUR_MS);
          await reconcile();
        }
        expect((await at.send(shop, body)).body.outcome).toBe("approved");
        expect(at.held(account)).toHaveLength(1);
        expect(await at.orders(shop)).toHaveLength(1);
      },
    );

    test("a 500 that Stripe stores under the key is resolved by reading", async () => {
      stripe.fault = ({ method, path }) =>
        method === "POST" && path === "/v1/payment_intents" ? "error_500_after" : undefined;
      const body = await at.signed(shop, buyer);
      expect((await at.send(shop, body)).status).toBe(503);
      stripe.fault = () => undefined;
      clock.advance(HOUR_MS);
      await reconcile();
      expect((await at.send(shop, body)).body.outcome).toBe("approved");
      expect(at.held(account)).toHaveLength(1);
    });

    test("a 500 without any effect is cancelled after 23 hours", async () => {
      stripe.fault = ({ method, path }) =>
        method === "POST" && path === "/v1/payment_intents" ? "error_500" : undefined;
      const body = await at.signed(shop, buyer);
      expect((await at.send(shop, body)).status).toBe(503);
      stripe.fault = () => undefined;
      clock.advance(22 * HOUR_MS);
      await reconcile();
      expect((await at.send(shop, body)).status).toBe(503);
      clock.advance(2 * HOUR_MS);
      await reconcile();
      expect((await at.send(shop, body)).body.reason).toBe("payment_declined");
      expect(at.held(account)).toEqual([]);
      expect(await outcomes()).toEqual(["declined", "unknown"]);
    });
  });

  test("an answer that comes too late is unknown, and then counts", async () => {
    stripe.fault = ({ method, path }) =>
      method === "POST" && path === "/v1/payment_intents" ? "slow" : undefined;
    const body = await at.signed(shop, buyer);
    const asked = at.send(shop, body);
    await stripe.whenSlow();
    clock.advance(10_000);
    expect((await asked).status).toBe(503);
    stripe.fault = () => undefined;
    stripe.releaseSlow();
    clock.advance(HOUR_MS);
    await reconcile();
    expect((await at.send(shop, body)).body.outcome).toBe("approved");
    expect(at.held(account)).toHaveLength(1);
  });

  test("an idempotency key used for another request is never taken as an answer", async () => {
    stripe.fault = ({ method, path }) =>
      method === "POST" && path === "/v1/payment_intents" ? "drop_before" : undefined;
    const body = await at.signed(shop, buyer);
    expect((await at.send(shop, body)).status).toBe(503);
    stripe.fault = () => undefined;
    const { db } = server.context;
    const sql = "SELECT attempt_id FROM payments WHERE site_key_hash = ?";
    const [row] = await db.all<{ attempt_id: string }>(sql, shop.site_key_hash);
    await clientOf(stripe, account.key).paymentIntents.create(
      { amount: 500, currency: "eur" },
      { idempotencyKey: `gatehouse-${row?.attempt_id}` },
    );
    clock.advance(HOUR_MS);
    await reconcile();
    expect((await at.send(shop, body)).status).toBe(503);
    expect(at.held(account)).toEqual([]);
  });

  test("all requests and answers have the shape of Stripe's own types", () => {
    const faults = stripe.calls.flatMap((call) => stripeSchemas?.ofCall(call) ?? []);
    expect(new Set(faults)).toEqual(new Set());
  });

  test("an authorization behind a final decline is voided", async () => {
    const answer = await at.order(shop, buyer, { token: "pm_card_chargeDeclined" });
    expect(answer.body.reason).toBe("payment_declined");
    const { db } = server.context;
    const sql = "SELECT attempt_id FROM payments WHERE site_key_hash = ?";
    const [row] = await db.all<{ attempt_id: string }>(sql, shop.site_key_hash);
    const late = { outcome: "authorized", reference: "pi_late", expiresAt: null } as const;
    const declined = await paymentById(db, row?.attempt_id ?? "");
    const ended = await writeOutcome(server.context, declined as Payment, late);
    expect(ended).toMatchObject({ status: "releasing", reference: "pi_late" });
    clock.advance(HOUR_MS);
    await reconcile();
    expect(await outcomes()).toEqual(["authorized", "authorized", "declined"]);
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  });

  test("a shared token pays even if the owner turns them off in the meantime", async () => {
    await at.connect(shop, { shared_payment_tokens: true });
    stripe.fault = ({ method, path }) =>
      method === "POST" && path === "/v1/payment_intents" ? "drop_after" : undefined;
    const body = await at.signed(shop, buyer, { token: "spt_1234567890" });
    expect((await at.send(shop, body)).status).toBe(503);
    stripe.fault = () => undefined;
    await at.connect(shop, { shared_payment_tokens: false });
    clock.advance(HOUR_MS);
    await reconcile();
    expect((await at.send(shop, body)).body.outcome).toBe("approved");
  });

  test("a setting that is left out keeps the Google Pay merchant id, and another provider drops it", async () => {
    const connect = async (settings: Readonly<Record<string, unknown>>) =>
      (await at.connect(shop, settings)).body.wallet_merchant_id;
    expect(await connect({ wallet_merchant_id: "BCR2DN4T" })).toBe("BCR2DN4T");
    expect(await connect({ settles: false })).toBe("BCR2DN4T");
    expect(await connect({ kind: "sandbox" })).toBeNull();
  });

  test("a review is paid as it was signed, or not at all", async () => {
    const fields = { items: [{ id: "palm", quantity: 1 }], total: "600.00" };
    const { body } = await at.order(shop, buyer, fields);
    expect(body.outcome).toBe("escalated");
    await shop.admin("PUT", "/processor", { kind: "sandbox", rail_on: true, settles: true });
    const path = `/escalations/${body.escalation_id}`;
    const blocked = await shop.admin("POST", `${path}/approve`, {});
    expect([blocked.status, blocked.body.reason_code]).toEqual([409, "provider_changed"]);
    expect((await shop.admin("GET", path)).body.status).toBe("pending");
    expect(await at.orders(shop)).toEqual([]);
  });

  test("a review stays pending while no connection to Stripe can be opened", async () => {
    const fields = { items: [{ id: "palm", quantity: 1 }], total: "600.00" };
    const { body } = await at.order(shop, buyer, fields);
    const path = `/escalations/${body.escalation_id}`;
    await stripe.stop();
    const blocked = await shop.admin("POST", `${path}/approve`, {}).finally(() => stripe.resume());
    expect([blocked.status, blocked.body.reason_code]).toEqual([409, "provider_unreachable"]);
    expect((await shop.admin("GET", path)).body.status).toBe("pending");
    expect(await at.records(shop, "payment.outcome")).toEqual([]);
    expect((await shop.admin("POST", `${path}/approve`, {})).body).toEqual({ status: "approved" });
    expect(at.held(account)).toHaveLength(1);
  });

  test("a review whose payment timed out is paying, and never pending again", async () => {
    const fields = { items: [{ id: "palm", quantity: 1 }], total: "600.00" };
    const { body } = await at.order(shop, buyer, fields);
    const path = `/escalations/${body.escalation_id}`;
    stripe.fault = ({ method }) => (method === "POST" ? "drop_after" : undefined);
    expect((await shop.admin("POST", `${path}/approve`, {})).body).toEqual({ status: "paying" });
    await stripe.stop();
    const again = await shop.admin("POST", `${path}/approve`, {}).finally(() => stripe.resume());
    expect([again.status, again.body.error]).toEqual([409, "conflict"]);
    expect((await shop.admin("GET", path)).body.status).toBe("paying");
    stripe.fault = () => undefined;
    clock.advance(HOUR_MS);
    await reconcile();
    expect((await shop.admin("GET", path)).body.status).toBe("approved");
    expect(at.held(account)).toHaveLength(1);
  });

  test("a payment that its owner captured before its outcome was known becomes a captured order", async () => {
    stripe.fault = ({ method, path }) =>
      method === "POST" && path === "/v1/payment_intents" ? "drop_after" : undefined;
    const body = await at.signed(shop, buyer);
    expect((await at.send(shop, body)).status).toBe(503);
    stripe.fault = () => undefined;
    stripe.capture(stripe.intents(account.id)[0]?.id ?? "");
    clock.advance(HOUR_MS);
    await reconcile();
    expect((await at.send(shop, body)).body.outcome).toBe("approved");
    const [order] = await at.orders(shop);
    expect([order.payment, order.captured_minor]).toEqual(["captured", 10_000]);
  });

  test("a site is not deleted while a payment is unknown, and its key is erased afterwards", async () => {
    stripe.fault = ({ method, path }) =>
      method === "POST" && path === "/v1/payment_intents" ? "drop_after" : undefined;
    expect((await at.order(shop, buyer)).status).toBe(503);
    const [intent] = stripe.intents(account.id);
    stripe.fault = () => undefined;
    const remove = () => server.admin("DELETE", `/v1/admin/sites/${shop.site_key_hash}`);
    const refused = await remove();
    expect([refused.status, refused.body.error]).toEqual([409, "conflict"]);
    expect(refused.body.message).toMatch(
      /^The outcome of a payment of this site is not known yet\./,
    );
    const { db } = server.context;
    const keys = async () => {
      await db.transaction((tx) => deleteEndedSecrets(tx, clock.now()));
      const sql = "SELECT sealed_key FROM processor_accounts WHERE site_key_hash = ?";
      return (await db.all<{ sealed_key: string | null }>(sql, shop.site_key_hash)).map(
        ({ sealed_key }) => sealed_key !== null,
      );
    };
    clock.advance(HOUR_MS);
    await reconcile();
    expect((await remove()).status).toBe(204);
    // While the authorization stands the key is needed to follow it.
    expect(await keys()).toEqual([true]);
    stripe.cancel(intent?.id ?? "");
    clock.advance(8 * 24 * HOUR_MS);
    await checkExpiringOrders(server.context, () => false);
    expect(await keys()).toEqual([false]);
  });

  test("an attempt stays with its account, whatever is connected since", async () => {
    stripe.fault = ({ method, path }) =>
      method === "POST" && path === "/v1/payment_intents" ? "error_500_after" : undefined;
    const body = await at.signed(shop, buyer);
    expect((await at.send(shop, body)).status).toBe(503);
    stripe.fault = () => undefined;
    const other = stripe.openAccount({ restricted: true });
    expect((await at.connect(shop, { secret_key: other.key })).status).toBe(200);
    clock.advance(HOUR_MS);
    await reconcile();
    expect((await at.send(shop, body)).body.outcome).toBe("approved");
    expect([at.held(account).length, at.held(other).length]).toEqual([1, 0]);
    expect((await at.order(shop, buyer)).status).toBe(200);
    expect([at.held(account).length, at.held(other).length]).toEqual([1, 1]);
  });

  test("a revoked key declines new payments, and leaves earlier attempts open", async () => {
    stripe.revokeKey(account.key);
    const refused = await at.order(shop, buyer);
    expect(refused.body.reason).toBe("payment_declined");
    const [{ record }] = await at.records(shop, "payment.outcome");
    expect(record.processor_reason).toBe("processor_refused_key");
  });

  describe("an authorization whose last item was sold", () => {
    let body: Awaited<ReturnType<typeof at.signed>>;
    let intent: string;
    beforeEach(async () => {
      await shop.admin("PUT", "/notifications", { webhook_url: "https://hooks.example/x" });
      const fields = { items: [{ id: "last", quantity: 1 }], total: "20.00" };
      body = await at.signed(shop, buyer, { ...fields, token: "pm_card_processing" });
      expect((await at.send(shop, body)).status).toBe(503);
      await at.importLines(shop, [
        { id: "last", title: "The last one", price: "20.00", currency: "EUR", quantity: 0 },
      ]);
      intent = stripe.intents(account.id)[0]?.id ?? "";
      stripe.finishProcessing(intent, "requires_capture");
      clock.advance(HOUR_MS);
    });
    const messages = async () => (await shop.admin("GET", "/messages")).body.items;
    const releases = async () =>
      (await at.records(shop, "payment.outcome")).map(
        ({ record }: { record: { release?: string } }) => record.release,
      );

    test("is voided at Stripe", async () => {
      await reconcile();
      expect((await at.send(shop, body)).body.reason).toBe("out_of_stock");
      expect(stripe.intents(account.id)[0]).toMatchObject({ status: "canceled" });
      expect(await messages()).toEqual([]);
    });

    test("stays captured if its owner had captured it, the owner is notified, and it is not read again", async () => {
      stripe.capture(intent, 1500);
      await reconcile();
      expect((await at.send(shop, body)).body.reason).toBe("out_of_stock");
      expect(await releases()).toEqual(["captured", "requested", undefined]);
      const [{ record }] = await at.records(shop, "payment.outcome");
      expect(record.captured).toEqual({ currency: "EUR", minor: 1500 });
      expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
      const topics = (await messages()).map(({ topic }: { topic: string }) => topic);
      expect(topics).toEqual(["payment.captured_without_order"]);
      const asked = () => stripe.calls.filter(({ path }) => path.includes(intent)).length;
      const before = asked();
      clock.advance(48 * HOUR_MS);
      await reconcile();
      expect(asked()).toBe(before);
    });

    test("is found captured at the second attempt to void it, if it was captured in between", async () => {
      stripe.fault = ({ path }) => (path.endsWith("/cancel") ? "drop_before" : undefined);
      await reconcile();
      expect(await releases()).toEqual(["requested", undefined]);
      stripe.fault = () => undefined;
      stripe.capture(intent);
      clock.advance(HOUR_MS);
      await reconcile();
      expect((await releases())[0]).toBe("captured");
    });
  });

  test("a payment that was cancelled without an answer, and that its owner had captured, ends as captured", async () => {
    stripe.fault = ({ method, path }) =>
      method === "POST" && path === "/v1/payment_intents" ? "error_500_after" : undefined;
    expect((await at.order(shop, buyer)).status).toBe(503);
    stripe.fault = () => "drop_before";
    clock.advance(24 * HOUR_MS);
    const [payment] = await server.context.db.all<{ attempt_id: string }>(
      "SELECT attempt_id FROM payments WHERE site_key_hash = ?",
      shop.site_key_hash,
    );
    const unknown = await paymentById(server.context.db, payment?.attempt_id ?? "");
    await writeOutcome(server.context, unknown as Payment, { outcome: "timed_out" });
    stripe.capture(stripe.intents(account.id)[0]?.id ?? "");
    stripe.fault = () => undefined;
    clock.advance(HOUR_MS);
    await reconcile();
    const [{ record }] = await at.records(shop, "payment.outcome");
    expect([record.payment, record.release]).toEqual(["authorized", "captured"]);
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  });
});

const NOON_PLUS_WEEK = (now: number) => (Math.floor(now / 1000) + 7 * 86_400) * 1000;
