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

describe("connections that are lost", () => {
  // The library asks a second time by itself, with the same key: two faults make one failure.
  test.each<[Fault, number, number]>([
    ["drop_before", 2, 0],
    ["drop_after", 2, 1],
    ["drop_during", 1, 1],
  ])("%s: the outcome is unknown, and asking again tells it", async (fault, times, done) => {
    const { simulator, pay, made } = await failing(fault, times);
    expect(await failureOf(pay())).toMatchObject({ type: "StripeConnectionError" });
    expect([simulator.calls.length, made()]).toEqual([times, done]);
    expect(simulator.calls.map(({ status }) => status)).toEqual(Array(times).fill(undefined));
    const again = await pay();
    expect([again.status, made()]).toEqual(["requires_capture", 1]);
    expect(replayedOf(again)).toBe(done === 1 ? "true" : undefined);
  });

  test("a single one is made good by the library, with nothing done twice", async () => {
    for (const fault of ["drop_before", "drop_after"] as const) {
      const { simulator, pay, made } = await failing(fault, 1);
      expect(await pay()).toMatchObject({ status: "requires_capture" });
      expect([simulator.calls.length, made()]).toEqual([2, 1]);
    }
  });
});

describe("answers that are failures", () => {
  test.each<[Fault, number]>([
    ["error_500", 0],
    ["error_500_after", 1],
  ])("%s is what the key stands for from then on", async (fault, done) => {
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
  ])("%s is forgotten", async (fault, said) => {
    const { pay, made } = await failing(fault, 1);
    expect(await failureOf(pay())).toMatchObject(said);
    expect(made()).toBe(0);
    expect(replayedOf(await pay())).toBeUndefined();
    expect(made()).toBe(1);
  });

  test("reading fails as well, and is well the next time", async () => {
    const { simulator, stripe, pay } = await failing("error_500", 0);
    const { id } = await pay();
    simulator.fault = ({ method }) => (method === "GET" ? "error_500" : undefined);
    expect(await failureOf(stripe.paymentIntents.retrieve(id))).toMatchObject({ statusCode: 500 });
    simulator.fault = () => undefined;
    expect(await stripe.paymentIntents.retrieve(id)).toMatchObject({ id });
  });
});

describe("an answer that is long in coming", () => {
  test("keeps its key in use, and comes when it is let go", async () => {
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

  test("is what the key stands for once nobody waits any more", async () => {
    const { simulator, stripe, pay, made } = await failing("slow", 1);
    const asked = stripe.paymentIntents.create(MANUAL, { ...key, timeout: 1000 });
    await simulator.whenSlow();
    expect(await failureOf(asked)).toMatchObject({ type: "StripeConnectionError" });
    await expect.poll(() => pay().then(replayedOf, () => "in use")).toBe("true");
    expect(made()).toBe(1);
  });
});

describe("idempotency keys", () => {
  test("stand for one request of one account for a day", async () => {
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

  test("are those of an account, whichever of its keys is used", async () => {
    const { simulator, account, pay } = await failing("slow", 0);
    const next = clientOf(simulator, simulator.rotateKey(account));
    const again = await next.paymentIntents.create(MANUAL, { ...key });
    expect((await pay()).id).toBe(again.id);
  });

  test("cannot be used for anything else", async () => {
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

  test("stand for a decline as for anything else", async () => {
    const { pay, made } = await failing("slow", 0);
    const method = { payment_method: "pm_card_chargeDeclined" };
    const [first, again] = [await failureOf(pay(method)), await failureOf(pay(method))];
    expect(again).toMatchObject({ type: "StripeCardError", decline_code: "generic_decline" });
    expect(again.payment_intent?.id).toBe(first.payment_intent?.id);
    expect(again.headers?.["idempotent-replayed"]).toBe("true");
    expect(made()).toBe(1);
  });

  test("say what was said, whatever has become of it since", async () => {
    const { simulator, stripe, pay } = await failing("slow", 0);
    const { id } = await pay();
    simulator.cancel(id);
    expect(await pay()).toMatchObject({ id, status: "requires_capture" });
    expect(await stripe.paymentIntents.retrieve(id)).toMatchObject({
      status: "canceled",
      cancellation_reason: "requested_by_customer",
    });
  });

  test("are not spent on what was refused at the door", async () => {
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

test("every call is written down, with what it was asked with", async () => {
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
  "all that was said above is as Stripe's schemas say (skipped where they are absent)",
  ({ task }) => {
    const { looked, faults } = bench.review();
    expect(faults).toEqual([]);
    expect(looked).toBeGreaterThan(100);
    Object.assign(task.meta, { outside: looked });
  },
);
