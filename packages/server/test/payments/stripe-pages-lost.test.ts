import type Stripe from "stripe";
import { beforeEach, describe, expect, test } from "vitest";
import { clientOf, press } from "../stripe/kit.ts";
import { HOUR_MS, PAGES, pageBench } from "./stripe-page-kit.ts";

const ABREAST = 50;

let bench: Awaited<ReturnType<typeof pageBench>>;
beforeEach(async () => {
  bench = await pageBench();
});

describe("voiding", () => {
  test("closes an open page, and does so once", async () => {
    const { provider, open, sessions, callsOf } = bench;
    const { attempt, url } = await open();
    await press(url, "Pay with a declined card");
    for (const _ of [1, 2]) {
      expect(await provider.voidAuthorization(attempt)).toEqual({ outcome: "released" });
    }
    expect(sessions()).toMatchObject([{ status: "expired" }]);
    expect(callsOf(`${PAGES}/${attempt.reference}/expire`)).toHaveLength(1);
    expect(await provider.read(attempt)).toMatchObject({ reason: "page_closed" });
  });

  test("closes a page whose answer never arrived, and needs no page at all", async () => {
    const { stripe, provider, request, sessions } = bench;
    stripe.fault = ({ method }) => (method === "POST" ? "drop_after" : undefined);
    expect(await provider.openPage(request)).toEqual({ outcome: "unknown", reason: "no_answer" });
    stripe.fault = () => undefined;
    expect(await provider.voidAuthorization(request)).toEqual({ outcome: "released" });
    expect(sessions()).toMatchObject([{ status: "expired" }]);
    const none = { ...request, idempotencyKey: "attempt-2" };
    expect(await provider.voidAuthorization(none)).toEqual({ outcome: "released" });
  });

  test("releases what a paid page holds, and leaves what its owner captured", async () => {
    const { stripe, provider, open, intents } = bench;
    const { attempt, url } = await open();
    await press(url, "Pay");
    expect(await provider.voidAuthorization(attempt)).toEqual({ outcome: "released" });
    expect(intents()).toMatchObject([{ status: "canceled" }]);
    expect(await provider.voidAuthorization(attempt)).toEqual({ outcome: "released" });
    const other = await open({ idempotencyKey: "attempt-2" });
    await press(other.url, "Pay");
    stripe.capture(intents()[0]?.id ?? "", 2000);
    expect(await provider.voidAuthorization(other.attempt)).toEqual({
      outcome: "captured",
      captured: { currency: "EUR", minor: 2000 },
    });
  });

  test("releases the payment of a buyer who was faster", async () => {
    const { stripe, provider, open, intents } = bench;
    const { attempt, url } = await open();
    const { reference } = attempt;
    // The page is paid after it was read as open, and before it is closed.
    let reads = 0;
    stripe.fault = ({ path }) => {
      if (path === `${PAGES}/${reference}` && reads++ === 0) return "slow";
      return undefined;
    };
    const voiding = provider.voidAuthorization(attempt);
    await stripe.whenSlow();
    await press(url, "Pay");
    stripe.releaseSlow();
    expect(await voiding).toEqual({ outcome: "released" });
    expect(intents()).toMatchObject([{ status: "canceled" }]);
  });

  test("fails while Stripe does not close the page, so that it is tried again", async () => {
    const { stripe, provider, open } = bench;
    const { attempt } = await open();
    stripe.fault = ({ path }) => (path.endsWith("/expire") ? "rate_limited" : undefined);
    await expect(provider.voidAuthorization(attempt)).rejects.toThrow();
    stripe.fault = () => undefined;
    expect(await provider.voidAuthorization(attempt)).toEqual({ outcome: "released" });
  });
});

describe("if the answer to a request for a page is lost,", () => {
  beforeEach(async () => {
    const { stripe, provider, request } = bench;
    stripe.fault = ({ method }) => (method === "POST" ? "drop_after" : undefined);
    expect(await provider.openPage(request)).toEqual({ outcome: "unknown", reason: "no_answer" });
    stripe.fault = () => undefined;
  });

  test("a repeated request and a reading find the same page", async () => {
    const { provider, request, open, sessions } = bench;
    const { answer, attempt } = await open({ first: false });
    expect(sessions()).toMatchObject([{ id: attempt.reference }]);
    expect(await provider.read(request)).toEqual(answer);
  });

  test("a repeated request says what became of the page meanwhile", async () => {
    const { provider, request, intents, sessions } = bench;
    await press(sessions()[0]?.url ?? "", "Pay");
    const again = await provider.openPage({ ...request, first: false });
    expect(again).toMatchObject({ outcome: "authorized", reference: intents()[0]?.id });
  });

  test("it is found among the pages of many others, until there are too many", async () => {
    const { clock, stripe, account, provider, request, sessions } = bench;
    const client = clientOf(stripe, account.key);
    const params = {
      mode: "payment",
      success_url: request.returnUrl,
      line_items: [
        {
          quantity: 1,
          price_data: { currency: "eur", unit_amount: 100, product_data: { name: "Pot" } },
        },
      ],
    } satisfies Stripe.Checkout.SessionCreateParams;
    const sell = async (count: number) => {
      for (let made = 0; made < count; made += ABREAST) {
        await Promise.all(
          Array.from({ length: ABREAST }, () => client.checkout.sessions.create(params)),
        );
      }
    };
    await press(sessions()[0]?.url ?? "", "Pay");
    await sell(150);
    expect(await provider.read(request)).toMatchObject({ outcome: "authorized" });
    await sell(850);
    await expect(provider.read(request)).rejects.toThrow("may not know of this payment yet");
    // Then the payment is searched for, whose page Stripe knows.
    clock.advance(2 * 60_000);
    expect(await provider.read(request)).toMatchObject({ outcome: "authorized" });
    const other = { ...request, idempotencyKey: "attempt-2" };
    await expect(provider.read(other)).rejects.toThrow("may not know of this payment yet");
    clock.advance(48 * HOUR_MS);
    expect(await provider.read(other)).toBeUndefined();
  });
});
