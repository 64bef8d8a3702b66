import Stripe from "stripe";
import { describe, expect, test } from "vitest";
import { decodeForm } from "./form.ts";
import { Bench, clientOf, failureOf, MANUAL, NOON } from "./kit.ts";
import { stripeSchemas } from "./schemas.ts";

const bench = new Bench();
const NOON_S = NOON / 1000;

test("the simulator reads forms as the library writes them", () => {
  expect(decodeForm("a=1&b[c]=x%20y&b[d][0]=p&b[d][1]=q&e[]=r&e[]=s&f=")).toEqual({
    a: "1",
    b: { c: "x y", d: ["p", "q"] },
    e: ["r", "s"],
    f: "",
  });
});

test("the simulator checks parameters before it creates anything", async () => {
  const { simulator, account, stripe, eventTypes } = await bench.setUp();
  const refused = async (params: object) => {
    const error = await failureOf(stripe.rawRequest("POST", "/v1/payment_intents", params));
    expect(error.type).toBe("StripeInvalidRequestError");
    return [error.code ?? null, error.param ?? null];
  };
  expect(await refused({})).toEqual(["parameter_missing", "amount"]);
  expect(await refused({ amount: 5 })).toEqual(["parameter_missing", "currency"]);
  const sums: readonly (readonly [unknown, string, string | null])[] = [
    ["12.5", "eur", "parameter_invalid_integer"],
    [0, "eur", "parameter_invalid_integer"],
    [100_000_000, "eur", "amount_too_large"],
    [1005, "kwd", null],
    [150, "isk", null],
  ];
  for (const [amount, currency, code] of sums) {
    expect(await refused({ ...MANUAL, amount, currency })).toEqual([code, "amount"]);
  }
  expect(await refused({ ...MANUAL, currency: "xyz" })).toEqual([null, "currency"]);
  expect(await refused({ ...MANUAL, ammount: 1 })).toEqual(["parameter_unknown", "ammount"]);
  expect(await refused({ ...MANUAL, expand: ["review"] })).toEqual([null, null]);
  expect(await refused({ ...MANUAL, payment_method: "pm_nobody" })).toEqual([
    "resource_missing",
    "payment_method",
  ]);
  expect([simulator.intents(account.id), eventTypes()]).toEqual([[], []]);
  const good = [
    { amount: 1010, currency: "kwd" },
    { amount: 100, currency: "isk" },
    { amount: 99_999_999, currency: "usd" },
    { amount: 1, currency: "jpy" },
  ];
  for (const sum of good) await stripe.paymentIntents.create({ ...MANUAL, ...sum });
  expect(simulator.intents(account.id)).toHaveLength(4);
});

describe("a key of the simulator", () => {
  test("is accepted until it is revoked", async () => {
    const { simulator, account, stripe } = await bench.setUp({ restricted: true });
    expect(account.key).toMatch(/^rk_test_\w+$/);
    const { id } = await stripe.paymentIntents.create(MANUAL);
    const next = simulator.rotateKey(account);
    expect(next).toMatch(/^sk_test_\w+$/);
    simulator.revokeKey(account.key);
    const error = await failureOf(stripe.paymentIntents.retrieve(id));
    expect(error).toMatchObject({ type: "StripeAuthenticationError", statusCode: 401 });
    expect(await clientOf(simulator, next).paymentIntents.retrieve(id)).toMatchObject({ id });
    const stranger = clientOf(simulator, "sk_test_unknown0000").paymentIntents.retrieve(id);
    expect(await failureOf(stranger)).toMatchObject({ type: "StripeAuthenticationError" });
    const other = clientOf(simulator, simulator.openAccount().key).paymentIntents.retrieve(id);
    expect(await failureOf(other)).toMatchObject({ statusCode: 404, code: "resource_missing" });
  });

  test.each<[string, (stripe: Stripe) => Promise<unknown>]>([
    ["payment_intents_write", (stripe) => stripe.rawRequest("POST", "/v1/payment_intents", {})],
    ["payment_intents_read", (stripe) => stripe.paymentIntents.list({ limit: 1 })],
    ["charges_read", (stripe) => stripe.charges.list({ limit: 1 })],
    ["refunds_read", (stripe) => stripe.refunds.list({ limit: 1 })],
    ["disputes_read", (stripe) => stripe.disputes.list({ limit: 1 })],
    ["checkout_sessions_read", (stripe) => stripe.checkout.sessions.list({ limit: 1 })],
    ["checkout_sessions_write", (stripe) => stripe.rawRequest("POST", "/v1/checkout/sessions", {})],
    ["account_read", (stripe) => stripe.rawRequest("GET", "/v1/account")],
  ])("without %s is refused only where it is needed", async (permission, ask) => {
    const { simulator, account, stripe } = await bench.setUp({ lacks: [permission] });
    expect(await failureOf(ask(stripe))).toMatchObject({
      type: "StripePermissionError",
      statusCode: 403,
    });
    const whole = clientOf(simulator, simulator.rotateKey(account));
    const outcome = await ask(whole).catch((error) => error);
    const missing = { code: "parameter_missing" };
    const permitted = { payment_intents_write: missing, checkout_sessions_write: missing } as const;
    expect(outcome).toMatchObject(
      permission === "account_read"
        ? { id: account.id, object: "account" }
        : (permitted[permission as keyof typeof permitted] ?? { object: "list", data: [] }),
    );
  });

  test("without charges_read cannot expand charges, unless only the id is returned", async () => {
    const { simulator, account, stripe } = await bench.setUp({ lacks: ["charges_read"] });
    const ask = () => stripe.paymentIntents.create({ ...MANUAL, expand: ["latest_charge"] });
    expect(await failureOf(ask())).toMatchObject({ type: "StripePermissionError" });
    expect(simulator.intents(account.id)).toEqual([]);
    simulator.expandUnpermitted = "keep_id";
    expect((await ask()).latest_charge).toMatch(/^ch_/);
  });
});

test("the simulator's lists have pages, newest first", async () => {
  const { clock, stripe } = await bench.setUp();
  const made: string[] = [];
  for (let i = 0; i < 5; i++) {
    // Two of them in one second.
    clock.now = NOON + Math.min(i, 3) * 1000;
    made.unshift((await stripe.paymentIntents.create(MANUAL)).id);
  }
  const page = async (params: Stripe.PaymentIntentListParams) => {
    const { data, has_more } = await stripe.paymentIntents.list(params);
    return [data.map(({ id }) => id), has_more];
  };
  expect(await page({ limit: 2 })).toEqual([made.slice(0, 2), true]);
  expect(await page({ limit: 2, starting_after: made[1] ?? "" })).toEqual([made.slice(2, 4), true]);
  expect(await page({ limit: 2, starting_after: made[3] ?? "" })).toEqual([made.slice(4), false]);
  expect(await page({ limit: 5 })).toEqual([made, false]);
  const created = { gte: NOON_S + 1, lte: NOON_S + 2 };
  expect(await page({ created })).toEqual([made.slice(2, 4), false]);
  const all: string[] = [];
  for await (const { id } of stripe.paymentIntents.list({ limit: 2 })) all.push(id);
  expect(all).toEqual(made);
  const { data } = await stripe.paymentIntents.list({ limit: 1, expand: ["data.latest_charge"] });
  expect(data).toMatchObject([{ latest_charge: { object: "charge", payment_intent: made[0] } }]);
  expect(await failureOf(stripe.paymentIntents.list({ limit: 101 }))).toMatchObject({
    statusCode: 400,
    param: "limit",
  });
  expect(await failureOf(stripe.paymentIntents.list({ starting_after: "pi_no" }))).toMatchObject({
    code: "resource_missing",
  });
});

test("the simulator keeps events, and sends them with a valid signature", async () => {
  const { simulator, account, stripe } = await bench.setUp();
  const { id } = await stripe.paymentIntents.create(MANUAL, { idempotencyKey: "one" });
  simulator.capture(id);
  const events = simulator.events(account.id);
  const [first, last] = [events.at(0), events.at(-1)];
  // As it was when it was told of, not as it has become.
  expect(first).toMatchObject({
    type: "payment_intent.created",
    created: NOON_S,
    livemode: false,
    api_version: Stripe.API_VERSION,
    request: { idempotency_key: "one" },
    data: { object: { id, status: "requires_payment_method" } },
  });
  expect(last).toMatchObject({
    type: "payment_intent.succeeded",
    request: { id: null, idempotency_key: null },
    data: { object: { id, status: "succeeded" } },
  });
  expect(await stripe.events.retrieve(first?.id ?? "")).toMatchObject({ id: first?.id });
  expect(await failureOf(stripe.events.retrieve("evt_no"))).toMatchObject({ statusCode: 404 });

  const secret = "whsec_of_the_tests";
  const read = (call: { body: string; headers: Record<string, string> }, key = secret) => {
    const header = call.headers["stripe-signature"] ?? "";
    return Stripe.webhooks.constructEvent(call.body, header, key, 300, undefined, NOON);
  };
  const call = simulator.hookCall(last ?? {}, secret);
  expect(read(call)).toEqual(last);
  const old = simulator.hookCall(last ?? {}, secret, { timestamp: NOON_S - 301 });
  const changed = { ...call, body: call.body.replace("2500", "2501") };
  for (const bad of [() => read(old), () => read(changed), () => read(call, "whsec_other")]) {
    expect(bad).toThrow(Stripe.errors.StripeSignatureVerificationError);
  }
});

test("the simulator answers for missing objects in Stripe's own words", async () => {
  const { stripe } = await bench.setUp();
  expect(await failureOf(stripe.rawRequest("GET", "/v1/unknown"))).toMatchObject({
    type: "StripeInvalidRequestError",
    statusCode: 404,
  });
  expect(await failureOf(stripe.charges.retrieve("ch_no"))).toMatchObject({ statusCode: 404 });
});

test.skipIf(stripeSchemas === undefined)(
  "all answers above match Stripe's schemas (skipped where they are absent)",
  ({ task }) => {
    const { looked, faults } = bench.review();
    expect(faults).toEqual([]);
    expect(looked).toBeGreaterThan(60);
    Object.assign(task.meta, { outside: looked });
  },
);
