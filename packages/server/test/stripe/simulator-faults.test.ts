import type Stripe from "stripe";
import { describe, expect, test } from "vitest";
import type { Fault } from "./faults.ts";
import { Bench, clientOf, failureOf, MANUAL } from "./kit.ts";
import { stripeSchemas } from "./schemas.ts";

const bench = new Bench();
const key = { idempotencyKey: "the-key" };
const DAY_MS = 86_400_000;

/** A simulator whose first calls fail, and which is well from then on. */
async function failing(fault: Fault, times: number) {
  const set = await bench.setUp();
  const pay = (more: Partial<Stripe.PaymentIntentCreateParams> = {}, options = key) =>
    set.stripe.paymentIntents.create({ ...MANUAL, ...more }, options);
  let left = times;
  set.simulator.fault = () => {
    left -= 1;
    return left >= 0 ? fault : undefined;
  };
  const made = () => set.simulator.intents(set.account.id).length;
  return { ...set, pay, made };
}

const replayedOf = ({ lastResponse }: Stripe.Response<unknown>) =>
  lastResponse.headers["idempotent-replayed"];

describe("a lost connection in the simulator", () => {
  // The library asks a second time by itself, with the same key: two faults make one failure.
  test.each<[Fault, number, number]>([
    ["drop_before", 2, 0],
    ["drop_after", 2, 1],
    ["drop_during", 1, 1],
  ])(
    "by %s has an unknown outcome, and repeating the request reveals it",
    async (fault, times, done) => {
      const { simulator, pay, made } = await failing(fault, times);
      expect(await failureOf(pay())).toMatchObject({ type: "StripeConnectionError" });
      expect([simulator.calls.length, made()]).toEqual([times, done]);
      expect(simulator.calls.map(({ status }) => status)).toEqual(Array(times).fill(undefined));
      const again = await pay();
      expect([again.status, made()]).toEqual(["requires_capture", 1]);
      expect(replayedOf(again)).toBe(done === 1 ? "true" : undefined);
    },
  );

  test("is handled by the library, and nothing is done twice", async () => {
    for (const fault of ["drop_before", "drop_after"] as const) {
      const { simulator, pay, made } = await failing(fault, 1);
      expect(await pay()).toMatchObject({ status: "requires_capture" });
      expect([simulator.calls.length, made()]).toEqual([2, 1]);
    }
  });
});

describe("a failed answer of the simulator", () => {
  test.each<[Fault, number]>([
    ["error_500", 0],
    ["error_500_after", 1],
  ])("of type %s is stored under the key", async (fault, done) => {
    const { pay, made } = await failing(fault, 1);
    for (let i = 0; i < 2; i++) {
      const error = await failureOf(pay());
      expect(error).toMatchObject({ type: "StripeAPIError", statusCode: 500 });
      expect(error.headers?.["idempotent-replayed"]).toBe(i === 0 ? undefined : "true");
    }
    expect(made()).toBe(done);
    await pay({}, { idempotencyKey: "another" });
    expect(made()).toBe(done + 1);
  });

  test.each<[Fault, object]>([
    ["rate_limited", { type: "StripeRateLimitError", statusCode: 429 }],
    ["in_use", { type: "StripeAPIError", statusCode: 409, code: "idempotency_key_in_use" }],
  ])("of type %s is not stored under the key", async (fault, said) => {
    const { pay, made } = await failing(fault, 1);
    expect(await failureOf(pay())).toMatchObject(said);
    expect(made()).toBe(0);
    expect(replayedOf(await pay())).toBeUndefined();
    expect(made()).toBe(1);
  });

  test("also affects a read, and the next read works", async () => {
    const { simulator, stripe, pay } = await failing("error_500", 0);
    const { id } = await pay();
    simulator.fault = ({ method }) => (method === "GET" ? "error_500" : undefined);
    expect(await failureOf(stripe.paymentIntents.retrieve(id))).toMatchObject({ statusCode: 500 });
    simulator.fault = () => undefined;
    expect(await stripe.paymentIntents.retrieve(id)).toMatchObject({ id });
  });
});

describe("a slow answer of the simulator", () => {
  test("keeps its key in use, and arrives when it is released", async () => {
    const { simulator, stripe, pay, made } = await failing("slow", 1);
    const slow = pay();
    await simulator.whenSlow();
    expect(made()).toBe(1);
    expect(await failureOf(pay())).toMatchObject({ code: "idempotency_key_in_use" });
    expect((await stripe.paymentIntents.list()).data).toHaveLength(1);
    simulator.releaseSlow();
    const { id } = await slow;
    const again = await pay();
    expect([again.id, replayedOf(again), made()]).toEqual([id, "true", 1]);
  });

  test("is stored under the key after the client gave up", async () => {
    const { simulator, stripe, pay, made } = await failing("slow", 1);
    const asked = stripe.paymentIntents.create(MANUAL, { ...key, timeout: 1000 });
    await simulator.whenSlow();
    expect(await failureOf(asked)).toMatchObject({ type: "StripeConnectionError" });
    await expect.poll(() => pay().then(replayedOf, () => "in use")).toBe("true");
    expect(made()).toBe(1);
  });
});

describe("an idempotency key in the simulator", () => {
  test("stands for one request of one account for a day", async () => {
    const { simulator, clock, pay, made } = await failing("slow", 0);
    const first = await pay();
    expect(replayedOf(first)).toBeUndefined();
    clock.now += DAY_MS - 1;
    const again = await pay();
    expect([again.id, replayedOf(again), made()]).toEqual([first.id, "true", 1]);
    const other = clientOf(simulator, simulator.openAccount().key);
    const elsewhere = await other.paymentIntents.create(MANUAL, key);
    expect(elsewhere.id).not.toBe(first.id);
    clock.now += 1;
    expect((await pay()).id).not.toBe(first.id);
    expect(made()).toBe(2);
  });

  test("belongs to the account, whichever of its API keys is used", async () => {
    const { simulator, account, pay } = await failing("slow", 0);
    const next = clientOf(simulator, simulator.rotateKey(account));
    const again = await next.paymentIntents.create(MANUAL, { ...key });
    expect((await pay()).id).toBe(again.id);
  });

  test("cannot be used for another request", async () => {
    const { stripe, pay, made } = await failing("slow", 0);
    const { id } = await pay();
    const conflict = { type: "StripeIdempotencyError", statusCode: 400 };
    expect(await failureOf(pay({ amount: 2600 }))).toMatchObject(conflict);
    expect(await failureOf(pay({ metadata: { a: "1" } }))).toMatchObject(conflict);
    expect(await failureOf(stripe.paymentIntents.cancel(id, {}, key))).toMatchObject(conflict);
    expect(made()).toBe(1);
    expect(await stripe.paymentIntents.retrieve(id)).toMatchObject({ status: "requires_capture" });
    // The same parameters for something else are something else.
    const release = { idempotencyKey: "release" };
    const { id: other } = await pay({}, { idempotencyKey: "another" });
    await stripe.paymentIntents.cancel(id, {}, release);
    expect(await failureOf(stripe.paymentIntents.cancel(other, {}, release))).toMatchObject(
      conflict,
    );
  });

  test("stands for a decline too", async () => {
    const { pay, made } = await failing("slow", 0);
    const method = { payment_method: "pm_card_chargeDeclined" };
    const [first, again] = [await failureOf(pay(method)), await failureOf(pay(method))];
    expect(again).toMatchObject({ type: "StripeCardError", decline_code: "generic_decline" });
    expect(again.payment_intent?.id).toBe(first.payment_intent?.id);
    expect(again.headers?.["idempotent-replayed"]).toBe("true");
    expect(made()).toBe(1);
  });

  test("returns the original answer, whatever has changed since", async () => {
    const { simulator, stripe, pay } = await failing("slow", 0);
    const { id } = await pay();
    simulator.cancel(id);
    expect(await pay()).toMatchObject({ id, status: "requires_capture" });
    expect(await stripe.paymentIntents.retrieve(id)).toMatchObject({
      status: "canceled",
      cancellation_reason: "requested_by_customer",
    });
  });

  test("is not used up by a request that was refused before it was run", async () => {
    const { simulator, account, pay, made } = await failing("slow", 0);
    expect(await failureOf(pay({ currency: "xyz" }))).toMatchObject({ statusCode: 400 });
    const lacking = simulator.rotateKey(account, { lacks: ["payment_intents_write"] });
    const revoked = simulator.rotateKey(account);
    simulator.revokeKey(revoked);
    for (const [bad, statusCode] of [[lacking, 403] as const, [revoked, 401] as const]) {
      const refused = clientOf(simulator, bad).paymentIntents.create(MANUAL, key);
      expect(await failureOf(refused)).toMatchObject({ statusCode });
    }
    expect(await pay()).toMatchObject({ status: "requires_capture" });
    expect(made()).toBe(1);
  });
});

test("the simulator logs every call with its parameters", async () => {
  const { simulator, account, pay } = await failing("slow", 0);
  await pay({ metadata: { order: "17" } });
  expect(simulator.calls).toMatchObject([
    {
      method: "POST",
      path: "/v1/payment_intents",
      key: account.key,
      status: 200,
      idempotencyKey: "the-key",
      apiVersion: expect.stringMatching(/^\d{4}-/),
      params: { amount: "2500", confirm: "true", metadata: { order: "17" } },
    },
  ]);
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
