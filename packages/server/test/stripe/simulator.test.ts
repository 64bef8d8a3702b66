import type Stripe from "stripe";
import { describe, expect, test } from "vitest";
import { Bench, failureOf, MANUAL, NOON } from "./kit.ts";
import { stripeSchemas } from "./schemas.ts";

const bench = new Bench();
const NOON_S = NOON / 1000;
const WEEK_S = 7 * 86_400;

describe("an authorization in the simulator", () => {
  test("holds the amount for seven days", async () => {
    const { simulator, account, stripe, eventTypes } = await bench.setUp();
    const metadata = { order: "17" };
    const terms = { ...MANUAL, metadata, expand: ["latest_charge"] };
    const made = await stripe.paymentIntents.create(terms);
    expect(made).toMatchObject({
      status: "requires_capture",
      amount: 2500,
      amount_capturable: 2500,
      amount_received: 0,
      currency: "eur",
      created: NOON_S,
      livemode: false,
      metadata,
    });
    const charge = made.latest_charge as Stripe.Charge;
    expect(charge).toMatchObject({
      amount: 2500,
      captured: false,
      paid: true,
      status: "succeeded",
    });
    expect(charge.payment_method_details?.card?.capture_before).toBe(NOON_S + WEEK_S);
    expect(await stripe.paymentIntents.retrieve(made.id)).toMatchObject({
      id: made.id,
      latest_charge: charge.id,
    });
    expect(await stripe.charges.retrieve(charge.id)).toMatchObject({ payment_intent: made.id });
    expect(simulator.intents(account.id)).toMatchObject([
      { id: made.id, latest_charge: charge.id },
    ]);
    expect(eventTypes()).toEqual([
      "payment_intent.created",
      "charge.succeeded",
      "payment_intent.amount_capturable_updated",
    ]);
  });

  test.each([
    ["chargeDeclined", "card_declined", "generic_decline"],
    ["visa_chargeDeclined", "card_declined", "generic_decline"],
    ["chargeDeclinedInsufficientFunds", "card_declined", "insufficient_funds"],
    ["chargeDeclinedLostCard", "card_declined", "lost_card"],
    ["chargeDeclinedStolenCard", "card_declined", "stolen_card"],
    ["chargeDeclinedExpiredCard", "expired_card", "expired_card"],
    ["chargeDeclinedIncorrectCvc", "incorrect_cvc", "incorrect_cvc"],
    ["chargeDeclinedProcessingError", "processing_error", "processing_error"],
  ])("is declined for pm_card_%s", async (name, code, decline_code) => {
    const { simulator, account, stripe, eventTypes } = await bench.setUp();
    const method = { payment_method: `pm_card_${name}` };
    const error = await failureOf(stripe.paymentIntents.create({ ...MANUAL, ...method }));
    expect(error).toMatchObject({ type: "StripeCardError", statusCode: 402, code, decline_code });
    const [intent] = simulator.intents(account.id);
    expect(error.payment_intent).toEqual(intent);
    expect(intent).toMatchObject({
      status: "requires_payment_method",
      payment_method: null,
      amount_capturable: 0,
      last_payment_error: { code, decline_code },
    });
    expect(await stripe.charges.retrieve(error.charge ?? "")).toMatchObject({ status: "failed" });
    expect(eventTypes()).toEqual([
      "payment_intent.created",
      "charge.failed",
      "payment_intent.payment_failed",
    ]);
  });

  test("that needs authentication is declined without the cardholder, and otherwise waits", async () => {
    const { simulator, account, stripe } = await bench.setUp();
    const terms = { ...MANUAL, payment_method: "pm_card_authenticationRequired" };
    const error = await failureOf(stripe.paymentIntents.create(terms));
    expect(error).toMatchObject({ type: "StripeCardError", code: "authentication_required" });
    expect(error.payment_intent).toMatchObject({ status: "requires_payment_method" });
    const { error_on_requires_action: _, ...patient } = terms;
    expect(await stripe.paymentIntents.create(patient)).toMatchObject({
      status: "requires_action",
    });
    expect(simulator.intents(account.id)).toHaveLength(2);
  });

  test.each(["pm_card_processing", "pm_usBankAccount_processing"])(
    "with %s is processing for a while, and then succeeds or fails",
    async (payment_method) => {
      const { simulator, stripe, eventTypes } = await bench.setUp();
      const ask = () => stripe.paymentIntents.create({ ...MANUAL, payment_method });
      const [good, bad] = [await ask(), await ask()];
      expect([good.status, bad.status]).toEqual(["processing", "processing"]);
      expect(await failureOf(stripe.paymentIntents.cancel(good.id))).toMatchObject({
        code: "payment_intent_unexpected_state",
      });
      simulator.finishProcessing(good.id, "requires_capture");
      simulator.finishProcessing(bad.id, "requires_payment_method");
      expect(await stripe.paymentIntents.retrieve(good.id)).toMatchObject({
        status: "requires_capture",
        amount_capturable: 2500,
      });
      expect(await stripe.paymentIntents.retrieve(bad.id)).toMatchObject({
        status: "requires_payment_method",
        last_payment_error: { code: "card_declined" },
      });
      expect(eventTypes().slice(-2)).toEqual(["charge.failed", "payment_intent.payment_failed"]);
    },
  );

  test("accepts tokens that became payment methods, and shared tokens in the preview", async () => {
    const { stripe } = await bench.setUp();
    const direct = stripe.paymentIntents.create({ ...MANUAL, payment_method: "tok_visa" });
    expect(await failureOf(direct)).toMatchObject({
      type: "StripeInvalidRequestError",
      code: "resource_missing",
      param: "payment_method",
    });
    const unknown = stripe.paymentMethods.create({ type: "card", card: { token: "tok_nobody" } });
    expect(await failureOf(unknown)).toMatchObject({ statusCode: 400, code: "resource_missing" });
    const card = { token: "tok_mastercard" };
    const { id, card: face } = await stripe.paymentMethods.create({ type: "card", card });
    expect(face).toMatchObject({ brand: "mastercard", last4: "4444" });
    const paid = await stripe.paymentIntents.create({ ...MANUAL, payment_method: id });
    expect(paid).toMatchObject({ status: "requires_capture", payment_method: id });

    const { payment_method: _, ...rest } = MANUAL;
    const terms = { ...rest, payment_method_data: { shared_payment_granted_token: "spt_any" } };
    const pay = (options: object) =>
      stripe.rawRequest("POST", "/v1/payment_intents", terms, options);
    expect(await failureOf(pay({}))).toMatchObject({ code: "parameter_unknown" });
    expect(await pay({ apiVersion: "2026-08-26.preview" })).toMatchObject({
      status: "requires_capture",
    });
  });
});

describe("after an authorization in the simulator,", () => {
  const sumsOf = async (stripe: Stripe, id: string) => {
    const intent = await stripe.paymentIntents.retrieve(id, { expand: ["latest_charge"] });
    const { amount_captured, amount_refunded, refunded } = intent.latest_charge as Stripe.Charge;
    const { status, amount_capturable, amount_received } = intent;
    return {
      status,
      amount_capturable,
      amount_received,
      amount_captured,
      amount_refunded,
      refunded,
    };
  };

  test("a part can be captured, and the rest is returned", async () => {
    const { simulator, stripe, eventTypes } = await bench.setUp();
    const { id } = await stripe.paymentIntents.create(MANUAL);
    const more = stripe.paymentIntents.capture(id, { amount_to_capture: 2501 });
    expect(await failureOf(more)).toMatchObject({ code: "amount_too_large" });
    await stripe.paymentIntents.capture(id, { amount_to_capture: 2000 });
    const taken = { status: "succeeded", amount_capturable: 0, amount_received: 2000 };
    expect(await sumsOf(stripe, id)).toEqual({
      ...taken,
      amount_captured: 2000,
      amount_refunded: 500,
      refunded: false,
    });
    expect(eventTypes().slice(3)).toEqual(["charge.captured", "payment_intent.succeeded"]);
    const refundId = simulator.refund(id, 300);
    expect(await stripe.refunds.retrieve(refundId)).toMatchObject({
      amount: 300,
      payment_intent: id,
    });
    simulator.refund(id);
    expect(await sumsOf(stripe, id)).toMatchObject({ amount_refunded: 2500, refunded: true });
    const { data } = await stripe.refunds.list({ payment_intent: id });
    expect(data.map(({ amount }) => amount)).toEqual([1700, 300, 500]);
    expect(() => simulator.refund(id)).toThrow("not as much is left");
    expect(eventTypes().slice(5)).toEqual([
      "refund.created",
      "charge.refunded",
      "refund.created",
      "charge.refunded",
    ]);
    expect(await failureOf(stripe.paymentIntents.capture(id))).toMatchObject({
      code: "payment_intent_unexpected_state",
      payment_intent: { status: "succeeded" },
    });
  });

  test("its owner can capture all of it, and it can be disputed", async () => {
    const { simulator, stripe, eventTypes } = await bench.setUp();
    const { id } = await stripe.paymentIntents.create(MANUAL);
    simulator.capture(id);
    const disputeId = simulator.dispute(id);
    expect(await stripe.disputes.retrieve(disputeId, { expand: ["charge"] })).toMatchObject({
      amount: 2500,
      status: "needs_response",
      charge: { disputed: true },
    });
    expect(eventTypes().slice(3)).toEqual([
      "charge.captured",
      "payment_intent.succeeded",
      "charge.dispute.created",
      "charge.dispute.funds_withdrawn",
    ]);
  });

  test("it can be voided once", async () => {
    const { stripe, eventTypes } = await bench.setUp();
    const { id } = await stripe.paymentIntents.create(MANUAL);
    const reason = { cancellation_reason: "abandoned" } as const;
    const gone = await stripe.paymentIntents.cancel(id, reason);
    expect(gone).toMatchObject({ status: "canceled", ...reason, canceled_at: NOON_S });
    expect(await sumsOf(stripe, id)).toMatchObject({
      amount_capturable: 0,
      amount_captured: 0,
      amount_refunded: 2500,
    });
    expect(eventTypes().slice(3)).toEqual([
      "payment_intent.canceled",
      "refund.created",
      "charge.refunded",
    ]);
    expect(await failureOf(stripe.paymentIntents.cancel(id))).toMatchObject({
      code: "payment_intent_unexpected_state",
    });
  });

  test("it can expire", async () => {
    const { simulator, clock, stripe, eventTypes } = await bench.setUp();
    const { id } = await stripe.paymentIntents.create(MANUAL);
    clock.now += WEEK_S * 1000;
    simulator.lapse(id);
    expect(await stripe.paymentIntents.retrieve(id)).toMatchObject({
      status: "canceled",
      cancellation_reason: "automatic",
      canceled_at: NOON_S + WEEK_S,
    });
    expect(eventTypes().slice(3)).toEqual(["payment_intent.canceled", "charge.expired"]);
    const { data } = await stripe.refunds.list({ payment_intent: id });
    expect(data).toMatchObject([{ reason: "expired_uncaptured_charge", amount: 2500 }]);
    expect(() => simulator.lapse(id)).toThrow("status of canceled");
  });

  test("nothing is held if the intent captures automatically", async () => {
    const { stripe } = await bench.setUp({ mode: "live" });
    const { capture_method: _, ...terms } = MANUAL;
    const { id, livemode } = await stripe.paymentIntents.create(terms);
    expect(livemode).toBe(true);
    expect(await sumsOf(stripe, id)).toMatchObject({ status: "succeeded", amount_captured: 2500 });
  });
});

test.skipIf(stripeSchemas === undefined)(
  "all answers above match Stripe's schemas (skipped where they are absent)",
  ({ task }) => {
    const { looked, faults } = bench.review();
    expect(faults).toEqual([]);
    expect(looked).toBeGreaterThan(100);
    Object.assign(task.meta, { outside: looked });
  },
);
