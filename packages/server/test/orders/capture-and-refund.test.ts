import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { reconcileChanges } from "../../src/purchase/orders/change-payment.ts";
import { reconcilePayments } from "../../src/purchase/reconcile.ts";
import { findingsOfSite } from "../audit/exporting.ts";
import { NOON, TIER_DATABASES } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import type { SimulatedCall } from "../stripe/calls.ts";
import type { Fault } from "../stripe/faults.ts";
import { lines, openWorld, paying, ROSE, type World } from "../ucp/buying.ts";

const HOUR_MS = 3_600_000;
const TOKEN = JSON.stringify({ id: "tok_visa" });
/** A rose, sent by post. */
const PAID = 10_490;
const VASE = { ...ROSE, ...lines(["vase", 1]) };

describe.each(TIER_DATABASES)("an owner captures and refunds in Stripe, on %s:", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, stripe, at } = {} as World;
  let shop: Shop;
  let account: ReturnType<World["stripe"]["openAccount"]>;
  let orderId: string;
  beforeAll(async () => {
    const world = await openWorld(dialect, clock);
    ({ server, stripe, at } = world);
    await server.context.jobs.stop();
    return world.close;
  });
  beforeEach(async () => {
    clock.advance(61_000);
    stripe.fault = () => undefined;
    shop = await at.shop();
    await connect();
    ({ orderId } = await at.bought(shop, undefined, paying(TOKEN, "gpay")));
  });
  async function connect(lacks: readonly string[] = []) {
    account = stripe.openAccount({ restricted: true, lacks });
    await shop.admin("PUT", "/processor", {
      kind: "stripe",
      secret_key: account.key,
      rail_on: true,
      settles: true,
      publishable_key: "pk_test_0123456789",
    });
  }
  type Asked = { amount_minor?: number; reason?: string; revision?: number };
  /** Asks for a change of the order as it is now, unless the body names a revision. */
  const ask = async (verb: "capture" | "refund", body: Asked = {}) => {
    clock.advance(1000);
    const revision = body.revision ?? (await show()).revision;
    return shop.admin("POST", `/orders/${orderId}/${verb}`, { ...body, revision });
  };
  const cancel = () => shop.admin("POST", `/orders/${orderId}/cancel`, {});
  const show = async () => (await shop.admin("GET", `/orders/${orderId}`)).body;
  const changes = async () =>
    (await show()).payment_facts.changes.map(
      ({ kind, status, amount_minor }: Record<string, unknown>) => [kind, status, amount_minor],
    );
  const recorded = async (type: "capture" | "refund") =>
    (await at.records(shop, `order.${type}`))
      .reverse()
      .map(({ record }: { record: Record<string, { status: string }> }) => record[type]?.status);
  const refunds = () => stripe.calls.filter(isRefund).length;
  const isRefund = ({ method, path }: SimulatedCall) => method === "POST" && path === "/v1/refunds";
  const isCapture = ({ path }: SimulatedCall) => path.endsWith("/capture");
  const isVoid = ({ path }: SimulatedCall) => path.endsWith("/cancel");
  const captures = () => stripe.calls.filter(isCapture).length;
  /** Every such call fails in this way. */
  const fail = (wanted: (call: SimulatedCall) => boolean, fault: Fault) => {
    stripe.fault = (call) => (wanted(call) ? fault : undefined);
  };
  const reconcile = async (afterMs: number) => {
    clock.advance(afterMs);
    await reconcileChanges(server.context, () => false);
  };
  const received = () => stripe.intents(account.id)[0]?.amount_received;

  test("a payment is captured in part and refunded in parts, each once, and recorded", async () => {
    const before = await show();
    const intent = stripe.intents(account.id)[0]?.id;
    expect(before.payment_facts).toMatchObject({
      processor: "stripe",
      url: `https://dashboard.stripe.com/${account.id}/test/payments/${intent}`,
      capture: { max_minor: PAID, owed_minor: PAID },
      refund: null,
    });
    const captured = await ask("capture", { amount_minor: 9000, revision: before.revision });
    expect([captured.status, captured.body.payment, captured.body.captured_minor]).toEqual([
      200,
      "captured",
      9000,
    ]);
    expect(received()).toBe(9000);
    expect((await ask("capture")).status).toBe(409);
    const { revision } = captured.body;
    const first = await ask("refund", { amount_minor: 2500, reason: "One broke", revision });
    expect(first.body).toMatchObject({ refunded_minor: 2500, payment: "captured" });
    expect(first.body.adjustments).toMatchObject([
      { kind: "refund", status: "completed", amount_minor: 2500, description: "One broke" },
    ]);
    expect((await ask("refund", { amount_minor: 2500, revision })).status).toBe(409);
    const blind = await shop.admin("POST", `/orders/${orderId}/refund`, { amount_minor: 2500 });
    expect([blind.status, blind.body.message]).toEqual([400, expect.stringContaining("revision")]);
    const tooMuch = await ask("refund", { amount_minor: 6501 });
    expect([tooMuch.status, tooMuch.body.message]).toEqual([
      400,
      "amount_minor: must be at most 65.00 EUR.",
    ]);
    const rest = await ask("refund");
    expect(rest.body).toMatchObject({ refunded_minor: 9000, payment_facts: { refund: null } });
    expect((await ask("refund")).status).toBe(409);
    expect(await changes()).toEqual([
      ["capture", "completed", 9000],
      ["refund", "completed", 2500],
      ["refund", "completed", 6500],
    ]);
    expect(await recorded("capture")).toEqual(["requested", "completed"]);
    expect(await recorded("refund")).toEqual(["requested", "completed", "requested", "completed"]);
    expect(JSON.stringify(await at.records(shop, "order.refund"))).not.toContain("broke");
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  });

  test("a lost answer leaves the outcome unknown until it is found out, and nothing moves twice", async () => {
    fail(isCapture, "drop_after");
    const lost = await ask("capture");
    expect([lost.status, lost.body.payment]).toEqual([200, "authorized"]);
    expect(await changes()).toEqual([["capture", "unknown", PAID]]);
    expect((await ask("capture")).body.message).toContain("is under way");
    stripe.fault = () => undefined;
    await reconcile(60_000);
    expect(await show()).toMatchObject({ payment: "captured", captured_minor: PAID });
    expect(await recorded("capture")).toEqual(["requested", "unknown", "completed"]);
    const calls = refunds();
    fail(isRefund, "drop_after");
    await ask("refund", { amount_minor: 1000 });
    await reconcile(60_000);
    expect([refunds() - calls, (await changes()).at(-1)]).toEqual([2, ["refund", "unknown", 1000]]);
    expect((await shop.admin("DELETE", "")).status).toBe(409);
    stripe.fault = () => undefined;
    await reconcile(HOUR_MS);
    expect((await changes()).at(-1)).toEqual(["refund", "completed", 1000]);
    expect((await show()).refunded_minor).toBe(1000);
  });

  test("what never reached Stripe for a day has failed, and can be asked for again", async () => {
    await ask("capture");
    fail(isRefund, "drop_before");
    await ask("refund", { amount_minor: 1000 });
    await reconcile(2 * HOUR_MS);
    expect((await changes()).at(-1)).toEqual(["refund", "unknown", 1000]);
    await reconcile(24 * HOUR_MS);
    expect((await changes()).at(-1)).toEqual(["refund", "failed", 1000]);
    stripe.fault = () => undefined;
    expect((await ask("refund", { amount_minor: 1000 })).body.refunded_minor).toBe(1000);
  });

  test("a capture and a cancellation that are sent together never both happen", async () => {
    const moves = (call: SimulatedCall) => isCapture(call) || isVoid(call);
    // Stripe keeps the answer to the first one back, so the other one comes while it is under way.
    fail(moves, "slow");
    const capturing = ask("capture");
    await stripe.whenSlow();
    const late = await cancel();
    expect([late.status, late.body.message]).toEqual([
      409,
      "A capture or refund of this order is under way. Wait for its outcome.",
    ]);
    stripe.releaseSlow();
    expect((await capturing).status).toBe(200);
    expect(await show()).toMatchObject({ status: "open", payment: "captured" });

    ({ orderId } = await at.bought(shop, VASE, paying(TOKEN, "gpay")));
    const cancelling = cancel();
    await stripe.whenSlow();
    expect((await ask("capture")).status).toBe(409);
    expect((await show()).payment_facts.capture).toBeNull();
    stripe.releaseSlow();
    expect((await cancelling).status).toBe(200);
    expect(await show()).toMatchObject({ status: "cancelled", payment: "released" });

    ({ orderId } = await at.bought(shop, VASE, paying(TOKEN, "gpay")));
    const { revision } = await show();
    const both = [ask("capture", { revision }), cancel()];
    expect((await Promise.race(both)).status).toBe(409);
    await stripe.whenSlow();
    stripe.releaseSlow();
    expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([200, 409]);
    const { status, payment } = await show();
    expect(["open captured", "cancelled released"]).toContain(`${status} ${payment}`);
  });

  test("an order is not cancelled while an outage leaves its capture unknown", async () => {
    fail((call) => isCapture(call) || isVoid(call), "drop_before");
    await ask("capture");
    expect(await changes()).toEqual([["capture", "unknown", PAID]]);
    expect((await cancel()).status).toBe(409);
    expect(await show()).toMatchObject({ status: "open", payment: "authorized" });
    stripe.fault = () => undefined;
    await reconcile(60_000);
    expect(await changes()).toEqual([["capture", "completed", PAID]]);
    expect(await show()).toMatchObject({ status: "open", payment: "captured" });
  });

  test("a capture is never repeated once its payment is being voided", async () => {
    fail(isCapture, "drop_before");
    await ask("capture");
    stripe.fault = () => undefined;
    // Versions that let an order be cancelled during its capture left such payments behind.
    await server.context.db.transaction(async (tx) => {
      const attempt = "(SELECT attempt_id FROM orders WHERE order_id = ?)";
      const set = "UPDATE payments SET status = 'releasing', next_at = ?";
      await tx.run(`${set} WHERE attempt_id = ${attempt}`, clock.now(), orderId);
    });
    const before = captures();
    await reconcile(60_000);
    expect(await changes()).toEqual([["capture", "unknown", PAID]]);
    await reconcilePayments(server.context, () => false);
    await reconcile(HOUR_MS);
    expect(await changes()).toEqual([["capture", "failed", PAID]]);
    expect((await show()).payment).toBe("released");
    expect([captures() - before, received()]).toEqual([0, 0]);
  });

  test("a key without the permission refunds nothing, and the owner reads why", async () => {
    shop = await at.shop();
    await connect(["refunds_write"]);
    ({ orderId } = await at.bought(shop, undefined, paying(TOKEN, "gpay")));
    await ask("capture");
    const refused = await ask("refund");
    expect([refused.status, refused.body.message]).toEqual([
      409,
      "The payment provider refused the key of this site. Allow it to refund payments, or do it there.",
    ]);
    expect(await changes()).toEqual([
      ["capture", "completed", PAID],
      ["refund", "failed", PAID],
    ]);
    expect((await show()).refunded_minor).toBe(0);
  });

  test("a payment that was captured or voided at Stripe meanwhile is not captured again", async () => {
    stripe.cancel(stripe.intents(account.id)[0]?.id ?? "");
    const refused = await ask("capture");
    expect([refused.status, refused.body.message]).toEqual([
      409,
      "The payment provider refused to capture the payment: payment intent unexpected state.",
    ]);
    expect(await show()).toMatchObject({ payment: "released", payment_facts: { capture: null } });
  });

  test("orders are listed with their refunds and mode, and sorted by amount", async () => {
    await ask("capture");
    await ask("refund", { amount_minor: 1000 });
    clock.advance(1000);
    const { orderId: cheap } = await at.bought(shop, VASE, paying(TOKEN, "gpay"));
    const list = async (query: string) =>
      (await shop.admin("GET", `/orders?${query}`)).body as {
        items: { order_id: string; is_test: boolean; refunded_minor: number }[];
        next_cursor?: string;
      };
    expect((await list("")).items).toMatchObject([
      { order_id: cheap, is_test: true, refunded_minor: 0 },
      { order_id: orderId, is_test: true, refunded_minor: 1000 },
    ]);
    const page = await list("sort=-amount&limit=1");
    expect(page.items).toMatchObject([{ order_id: orderId }]);
    const next = await list(`sort=-amount&limit=1&cursor=${page.next_cursor}`);
    expect(next.items).toMatchObject([{ order_id: cheap }]);
    expect((await list("sort=created_at")).items[0]).toMatchObject({ order_id: orderId });
  });
});
