import type Stripe from "stripe";
import { describe, expect, test } from "vitest";
import { Bench, failureOf, lookAt, NOON, press, sendForm } from "./kit.ts";
import { stripeSchemas } from "./schemas.ts";

const bench = new Bench();
const NOON_S = NOON / 1000;
const HOUR_S = 3600;
const RETURN = "https://shop.example.com/return";

const item = (name: string, unit_amount: number, quantity = 1, currency = "eur") => ({
  quantity,
  price_data: { currency, unit_amount, product_data: { name } },
});

const TERMS = {
  mode: "payment",
  allowed_payment_method_types: ["card"],
  line_items: [item("Fern", 1000, 2), item("Delivery <express>", 500)],
  payment_intent_data: { capture_method: "manual", metadata: { order: "17" } },
  metadata: { order: "17" },
  client_reference_id: "17",
  success_url: `${RETURN}?paid=1`,
  cancel_url: `${RETURN}?paid=0`,
  expires_at: NOON_S + HOUR_S,
  submit_type: "pay",
} satisfies Stripe.Checkout.SessionCreateParams;

async function opened() {
  const set = await bench.setUp();
  const session = await set.stripe.checkout.sessions.create(TERMS);
  const current = () => set.stripe.checkout.sessions.retrieve(session.id);
  const intents = () => set.simulator.intents(set.account.id);
  return { ...set, session, url: session.url ?? "", current, intents };
}

describe("a payment page of the simulator", () => {
  test("is open, shows its lines, and has no payment before anybody tries to pay", async () => {
    const { session, url, intents, eventTypes } = await opened();
    expect(session).toMatchObject({
      status: "open",
      payment_status: "unpaid",
      payment_intent: null,
      amount_total: 2500,
      currency: "eur",
      created: NOON_S,
      expires_at: NOON_S + HOUR_S,
      metadata: { order: "17" },
      client_reference_id: "17",
      livemode: false,
    });
    expect(session.id).toMatch(/^cs_test_\w+$/);
    const { status, text, buttons } = await lookAt(url);
    expect(status).toBe(200);
    expect(text).toContain("Fern: 2 × €10.00");
    expect(text).toContain("Delivery &#60;express&#62;: 1 × €5.00");
    expect(text).toContain("€25.00");
    expect(text).toContain(`<a href="${RETURN}?paid=0">Back</a>`);
    expect(text).not.toMatch(/<script|role="alert"/);
    expect(buttons).toEqual(["Pay", "Pay with a declined card", "Pay with 3D Secure"]);
    expect([intents(), eventTypes()]).toEqual([[], []]);
  });

  test("is paid once, however often the button is pressed, and then has no form", async () => {
    const { url, current, intents, eventTypes } = await opened();
    expect(await press(url, "Pay")).toBe(`${RETURN}?paid=1`);
    expect(await sendForm(url, "pay")).toBe(`${RETURN}?paid=1`);
    const [intent, second] = intents();
    expect(second).toBeUndefined();
    expect(intent).toMatchObject({
      status: "requires_capture",
      amount: 2500,
      amount_capturable: 2500,
      metadata: { order: "17" },
    });
    expect(await current()).toMatchObject({
      status: "complete",
      payment_status: "unpaid",
      payment_intent: intent?.id,
      url: null,
    });
    const { text, buttons } = await lookAt(url);
    expect(text).toContain("This payment is complete.");
    expect([text.includes("<form"), buttons]).toEqual([false, []]);
    expect(eventTypes()).toEqual([
      "payment_intent.created",
      "charge.succeeded",
      "payment_intent.amount_capturable_updated",
      "checkout.session.completed",
    ]);
  });

  test("stays open after a declined card, says so, and can be paid with another card", async () => {
    const { url, current, intents } = await opened();
    expect(await press(url, "Pay with a declined card")).toBe(url);
    expect((await lookAt(url)).text).toContain('<p role="alert">Your card was declined.</p>');
    expect(intents()).toMatchObject([
      { status: "requires_payment_method", last_payment_error: { code: "card_declined" } },
    ]);
    expect(await current()).toMatchObject({ status: "open", payment_intent: intents()[0]?.id });
    await press(url, "Pay");
    expect(intents()).toMatchObject([{ status: "requires_capture", last_payment_error: null }]);
    expect(await current()).toMatchObject({ status: "complete" });
  });

  test("sends a buyer to the bank, which lets the payment through or not", async () => {
    const { url, current, intents } = await opened();
    const bank = await press(url, "Pay with 3D Secure");
    expect((await lookAt(bank)).buttons).toEqual(["Complete", "Fail"]);
    expect(intents()).toMatchObject([{ status: "requires_action" }]);
    expect(await press(bank, "Fail")).toBe(url);
    expect((await lookAt(url)).text).toContain("We are unable to authenticate your payment method");
    expect(intents()).toMatchObject([
      {
        status: "requires_payment_method",
        last_payment_error: { code: "payment_intent_authentication_failure" },
      },
    ]);
    // A page of the bank that is left open asks nothing any more.
    expect(await sendForm(bank, "complete")).toBe(url);
    await press(await press(url, "Pay with 3D Secure"), "Complete");
    expect(await current()).toMatchObject({ status: "complete" });
    expect(intents()).toMatchObject([{ status: "requires_capture" }]);
  });

  test("expires at its time, or before if it is told to, and then takes no payment", async () => {
    const { stripe, clock, session, url, current, intents, eventTypes } = await opened();
    clock.now += (HOUR_S - 1) * 1000;
    expect(await current()).toMatchObject({ status: "open" });
    clock.now += 1000;
    expect(await current()).toMatchObject({ status: "expired", url: null });
    const { text, buttons } = await lookAt(url);
    expect(text).toContain("This page has expired.");
    expect([text.includes("<form"), buttons]).toEqual([false, []]);
    await expect(sendForm(url, "pay")).rejects.toThrow("the page answered 200");
    expect([intents(), eventTypes()]).toEqual([[], ["checkout.session.expired"]]);
    expect(await failureOf(stripe.checkout.sessions.expire(session.id))).toMatchObject({
      type: "StripeInvalidRequestError",
      statusCode: 400,
    });
    const terms = { ...TERMS, expires_at: clock.now / 1000 + HOUR_S };
    const { id } = await stripe.checkout.sessions.create(terms);
    expect(await stripe.checkout.sessions.expire(id)).toMatchObject({ id, status: "expired" });
  });

  test("cannot be expired once it is paid, and only what is held can be cancelled", async () => {
    const { stripe, session, url, intents } = await opened();
    await press(url, "Pay with a declined card");
    const cancel = () => stripe.paymentIntents.cancel(intents()[0]?.id ?? "");
    expect((await failureOf(cancel())).message).toContain("created by Checkout");
    await press(url, "Pay");
    const error = await failureOf(stripe.checkout.sessions.expire(session.id));
    expect(error.message).toContain("has a status of `complete`");
    expect(await cancel()).toMatchObject({ status: "canceled" });
  });

  test("does not exist under another address", async () => {
    const { url } = await opened();
    expect((await lookAt(`${url}0`)).status).toBe(404);
    expect((await lookAt(`${url}/other`)).status).toBe(404);
  });
});

test("the simulator opens one page for one idempotency key", async () => {
  const { simulator, account, stripe } = await bench.setUp();
  const open = (terms: Stripe.Checkout.SessionCreateParams = TERMS) =>
    stripe.checkout.sessions.create(terms, { idempotencyKey: "one" });
  const { id } = await open();
  expect((await open()).id).toBe(id);
  expect(simulator.sessions(account.id)).toHaveLength(1);
  expect(await failureOf(open({ ...TERMS, client_reference_id: "18" }))).toMatchObject({
    type: "StripeIdempotencyError",
  });
});

test("the simulator lists pages newest first, by their time, payment and status", async () => {
  const { clock, stripe, simulator, account } = await bench.setUp();
  const made: Stripe.Checkout.Session[] = [];
  for (let i = 0; i < 3; i++) {
    clock.now = NOON + i * 1000;
    made.unshift(await stripe.checkout.sessions.create(TERMS));
  }
  const ids = made.map(({ id }) => id);
  const list = async (params: Stripe.Checkout.SessionListParams) =>
    (await stripe.checkout.sessions.list(params)).data.map(({ id }) => id);
  expect(await list({})).toEqual(ids);
  expect(await list({ limit: 1, starting_after: ids[0] ?? "" })).toEqual([ids[1]]);
  expect(await list({ created: { gte: NOON_S + 1, lte: NOON_S + 1 } })).toEqual([ids[1]]);
  await press(made[1]?.url ?? "", "Pay");
  const [intent] = simulator.intents(account.id);
  expect(await list({ payment_intent: intent?.id ?? "" })).toEqual([ids[1]]);
  expect(await list({ status: "open" })).toEqual([ids[0], ids[2]]);
  const whole = await stripe.checkout.sessions.retrieve(ids[1] ?? "", {
    expand: ["payment_intent"],
  });
  expect(whole.payment_intent).toMatchObject({ object: "payment_intent", id: intent?.id });
  expect(await failureOf(stripe.checkout.sessions.retrieve("cs_test_no"))).toMatchObject({
    statusCode: 404,
    code: "resource_missing",
    param: "session",
  });
});

test("the simulator checks the parameters of a page before it opens one", async () => {
  const { simulator, account, stripe } = await bench.setUp();
  const refused = async (params: object) => {
    const error = await failureOf(stripe.rawRequest("POST", "/v1/checkout/sessions", params));
    expect(error.type).toBe("StripeInvalidRequestError");
    return [error.code ?? null, error.param ?? null];
  };
  const line = (fields: object) => ({
    ...TERMS,
    line_items: [{ ...item("Fern", 1000), ...fields }],
  });
  const { success_url: _, ...nowhere } = TERMS;
  const cases: readonly (readonly [object, string | null, string])[] = [
    [{}, "parameter_missing", "mode"],
    [nowhere, "parameter_missing", "success_url"],
    [{ ...TERMS, line_items: undefined }, "parameter_missing", "line_items"],
    [{ ...TERMS, success_url: "shop" }, "url_invalid", "success_url"],
    [{ ...TERMS, mode: "subscription" }, null, "mode"],
    [{ ...TERMS, payment_method_types: ["card"] }, "parameter_unknown", "payment_method_types"],
    [{ ...TERMS, line_items: "fern" }, null, "line_items"],
    [{ ...TERMS, line_items: ["fern"] }, null, "line_items[0]"],
    [line({ quantity: 0 }), "parameter_invalid_integer", "line_items[0][quantity]"],
    [line({ colour: "green" }), "parameter_unknown", "line_items[0][colour]"],
    [
      line({ price_data: { currency: "eur", product_data: { name: "Fern" } } }),
      "parameter_missing",
      "line_items[0][price_data][unit_amount]",
    ],
    [
      { ...TERMS, line_items: [item("Fern", 1005, 2, "kwd")] },
      null,
      "line_items[0][price_data][unit_amount]",
    ],
    [
      { ...TERMS, line_items: [item("Fern", 1000), item("Palm", 1000, 1, "usd")] },
      null,
      "line_items[1][price_data][currency]",
    ],
    [{ ...TERMS, line_items: [item("Fern", 0)] }, "parameter_invalid_integer", "line_items"],
    [{ ...TERMS, expires_at: NOON_S + HOUR_S / 2 - 1 }, null, "expires_at"],
    [{ ...TERMS, expires_at: NOON_S + 24 * HOUR_S + 1 }, null, "expires_at"],
    [{ ...TERMS, client_reference_id: "x".repeat(201) }, null, "client_reference_id"],
    [{ ...TERMS, customer_email: "nobody" }, "email_invalid", "customer_email"],
    [{ ...TERMS, locale: "xx" }, null, "locale"],
  ];
  for (const [params, code, param] of cases) expect(await refused(params)).toEqual([code, param]);
  expect(simulator.sessions(account.id)).toEqual([]);
});

test.skipIf(stripeSchemas === undefined)(
  "Stripe's types refuse a page with a missing, an unknown, a mistyped or a foreign member",
  async () => {
    const { session } = await opened();
    // As it would be sent: what is undefined is missing.
    const faults = (fields: object) => {
      const sent = JSON.parse(JSON.stringify({ ...session, ...fields }));
      return stripeSchemas?.ofObject("checkout.session", sent).length;
    };
    expect(faults({})).toBe(0);
    for (const fields of [
      { expires_at: undefined },
      { colour: "green" },
      { amount_total: "2500" },
      { status: "paid" },
      { total_details: { amount_discount: 0 } },
      { customer: { object: "customer" } },
    ]) {
      expect(faults(fields)).toBeGreaterThan(0);
    }
  },
);

test.skipIf(stripeSchemas === undefined)(
  "all answers above match Stripe's schemas and types (skipped where the schemas are absent)",
  ({ task }) => {
    const { looked, faults } = bench.review();
    expect(faults).toEqual([]);
    expect(looked).toBeGreaterThan(60);
    Object.assign(task.meta, { outside: looked });
  },
);
