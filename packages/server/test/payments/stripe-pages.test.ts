import { beforeEach, describe, expect, test } from "vitest";
import type { Attempt, PageRequest } from "../../src/payments/provider.ts";
import { NOON } from "../harness.ts";
import { press } from "../stripe/kit.ts";
import { stripeSchemas } from "../stripe/schemas.ts";
import { HOUR_MS, OPEN, PAGES, pageBench } from "./stripe-page-kit.ts";

const WEEK_MS = 7 * 24 * HOUR_MS;

let bench: Awaited<ReturnType<typeof pageBench>>;
beforeEach(async () => {
  bench = await pageBench();
});

test("a page is opened with exact lines, one idempotency key, and a return to the site", async () => {
  const { open, sessions, callsOf } = bench;
  const { answer, url } = await open();
  const [session] = sessions();
  expect(answer).toEqual({ ...OPEN, reference: session?.id, challengeUrl: session?.url });
  expect(url).toMatch(/\/c\/pay\/cs_test_\w+$/);
  const [asked] = callsOf(PAGES);
  expect(asked?.idempotencyKey).toBe("gatehouse-attempt-1");
  const metadata = { gatehouse_attempt: "attempt-1", gatehouse_site: "site" };
  const line = (name: string, unit_amount: string, quantity: string) => ({
    quantity,
    price_data: { currency: "eur", unit_amount, product_data: { name } },
  });
  expect(asked?.params).toEqual({
    mode: "payment",
    allowed_payment_method_types: ["card"],
    line_items: [line("Fern", "1000", "2"), line("Delivery", "500", "1")],
    payment_intent_data: { capture_method: "manual", metadata },
    metadata,
    client_reference_id: "attempt-1",
    customer_email: "buyer@example.com",
    locale: "de",
    adaptive_pricing: { enabled: "false" },
    success_url: "https://shop.example.com/orders/1?from=mail&paid=1",
    cancel_url: "https://shop.example.com/orders/1?from=mail&paid=0",
    expires_at: String((NOON + HOUR_MS) / 1000),
    submit_type: "pay",
  });
});

test.each([
  ["de", "de"],
  ["pt-br", "pt-BR"],
  ["pt-PT", "pt"],
  ["zh-Hant-TW", "zh-TW"],
  ["hi", "hi-IN"],
  ["no", "nb"],
  ["eo", "auto"],
  ["", "auto"],
])("a page for the language “%s” has Stripe's locale %s", async (language, locale) => {
  const { open, sessions } = bench;
  await open({ language, email: null });
  expect(sessions()).toMatchObject([{ locale, customer_email: null }]);
});

test("a paid page is an authorization, known by its payment from then on", async () => {
  const { stripe, provider, open, intents } = bench;
  const { attempt, url } = await open();
  expect(await press(url, "Pay")).toBe("https://shop.example.com/orders/1?from=mail&paid=1");
  const [intent] = intents();
  const expiresAt = NOON + WEEK_MS;
  const paid = { outcome: "authorized", reference: intent?.id, expiresAt };
  expect(await provider.read(attempt)).toEqual(paid);
  const later = { ...attempt, reference: intent?.id ?? "" };
  expect(await provider.read(later)).toEqual(paid);
  for (const known of [attempt, later, { ...attempt, reference: null }]) {
    expect(await provider.readAuthorization(known)).toEqual({
      status: "authorized",
      expiresAt,
      captured: null,
    });
    expect(await provider.returns(known)).toEqual([]);
  }
  stripe.capture(intent?.id ?? "");
  const refund = stripe.refund(intent?.id ?? "", 700);
  expect(await provider.readAuthorization(attempt)).toMatchObject({
    status: "captured",
    captured: { currency: "EUR", minor: 2500 },
  });
  expect(await provider.returns(attempt)).toMatchObject([
    { reference: refund, kind: "refund", amount: { currency: "EUR", minor: 700 } },
  ]);
});

test("a declined card leaves the page open, and another card pays", async () => {
  const { provider, open, intents } = bench;
  const { attempt, url } = await open();
  await press(url, "Pay with a declined card");
  expect(await provider.read(attempt)).toEqual({
    ...OPEN,
    reference: attempt.reference,
    challengeUrl: url,
  });
  expect(await provider.readAuthorization(attempt)).toBeUndefined();
  await press(url, "Pay");
  expect(await provider.read(attempt)).toMatchObject({ outcome: "authorized" });
  expect(intents()).toHaveLength(1);
});

test("a payment at the bank waits on the page, and counts once the bank lets it through", async () => {
  const { provider, open } = bench;
  const { attempt, url } = await open();
  const bank = await press(url, "Pay with 3D Secure");
  expect(await provider.read(attempt)).toMatchObject({ ...OPEN, challengeUrl: url });
  await press(bank, "Fail");
  expect(await provider.read(attempt)).toMatchObject({ ...OPEN, challengeUrl: url });
  await press(await press(url, "Pay with 3D Secure"), "Complete");
  expect(await provider.read(attempt)).toMatchObject({ outcome: "authorized" });
});

test("a page that nobody paid in time is declined, with or without a declined card", async () => {
  const { clock, provider, open } = bench;
  const { attempt } = await open();
  const other = await open({ idempotencyKey: "attempt-2" });
  await press(other.url, "Pay with a declined card");
  clock.advance(HOUR_MS);
  for (const one of [attempt, other.attempt]) {
    const { reference } = one;
    const closed = { outcome: "declined", reason: "page_closed", reference };
    expect(await provider.read(one)).toEqual(closed);
    expect(await provider.voidAuthorization(one)).toEqual({ outcome: "released" });
  }
});

test.each<[string, Partial<Attempt>]>([
  ["another amount", { amount: { currency: "EUR", minor: 2600 } }],
  ["another currency", { amount: { currency: "USD", minor: 2500 } }],
  ["another attempt", { idempotencyKey: "attempt-2" }],
  ["another site", { siteKeyHash: "other" }],
])("a page for %s is never taken as this payment, open, paid or closed", async (_what, fields) => {
  const { clock, provider, open } = bench;
  const { attempt, url } = await open();
  const mistaken = { ...attempt, ...fields };
  const unknown = { outcome: "unknown", reason: "not_this_payment" };
  expect(await provider.read(mistaken)).toEqual(unknown);
  await press(url, "Pay");
  expect(await provider.read(mistaken)).toEqual(unknown);
  const other = await open({ idempotencyKey: "attempt-3" });
  clock.advance(HOUR_MS);
  const closed = { ...other.attempt, idempotencyKey: "attempt-3", ...fields };
  expect(await provider.read(closed)).toEqual(unknown);
});

describe("an amount", () => {
  const lineOf = (title: string, quantity: number, unitMinor: number) => ({
    title,
    quantity,
    unitMinor,
  });
  const shown = () => bench.callsOf(PAGES)[0]?.params.line_items;

  test("in yen has no decimals", async () => {
    const { provider, open, intents } = bench;
    const amount = { currency: "JPY", minor: 4500 };
    const { attempt, url } = await open({ amount, lines: [lineOf("Fern", 3, 1500)] });
    expect(shown()).toMatchObject([{ quantity: "3", price_data: { unit_amount: "1500" } }]);
    await press(url, "Pay");
    expect(intents()).toMatchObject([{ amount: 4500, currency: "jpy" }]);
    expect(await provider.read(attempt)).toMatchObject({ outcome: "authorized" });
  });

  test("in Kuwaiti dinars has three decimals, the last of them zero, if need be for a whole line", async () => {
    const { provider, open, intents } = bench;
    const amount = { currency: "KWD", minor: 12_750 };
    const lines = [lineOf("Fern", 1, 12_500), lineOf("Pot", 2, 125)];
    const { attempt, url } = await open({ amount, lines });
    expect(shown()).toMatchObject([
      { quantity: "1", price_data: { currency: "kwd", unit_amount: "12500" } },
      { quantity: "1", price_data: { unit_amount: "250", product_data: { name: "2 × Pot" } } },
    ]);
    await press(url, "Pay");
    expect(intents()).toMatchObject([{ amount: 12_750, currency: "kwd" }]);
    expect(await provider.read(attempt)).toMatchObject({ outcome: "authorized" });
  });

  test("may include lines that cost nothing, and titles of any length", async () => {
    const { open } = bench;
    const title = "🌿".repeat(300);
    await open({ lines: [lineOf(title, 1, 2500), lineOf("Card", 1, 0)] });
    expect(shown()).toMatchObject([
      { price_data: { product_data: { name: "🌿".repeat(250) } } },
      { price_data: { unit_amount: "0" } },
    ]);
  });

  test("whose lines Stripe cannot express is one line, if their sum can be expressed", async () => {
    const { provider, request, callsOf } = bench;
    const amount = { currency: "KWD", minor: 1010 };
    const lines = [lineOf("Fern", 1, 1005), lineOf("Pot", 1, 5)];
    const opened = await provider.openPage({ ...request, amount, lines });
    expect(opened).toMatchObject({ outcome: "unknown", reason: "requires_action" });
    expect(callsOf(PAGES)).toHaveLength(1);
  });

  test.each<[string, Partial<PageRequest>]>([
    [
      "that Stripe cannot express",
      { amount: { currency: "KWD", minor: 1005 }, lines: [lineOf("Fern", 1, 1005)] },
    ],
    ["that is not the sum of its lines", { lines: [lineOf("Fern", 1, 2400)] }],
  ])("%s opens no page", async (_what, fields) => {
    const { provider, request, callsOf } = bench;
    expect(await provider.openPage({ ...request, ...fields })).toEqual({
      outcome: "declined",
      reason: "amount_not_expressible",
    });
    expect(callsOf(PAGES)).toEqual([]);
  });
});

test("a request that Stripe refuses is declined the first time, and unknown when it is repeated", async () => {
  const { stripe, account, provider, request } = bench;
  const bad = { ...request, closesAt: NOON + 60_000 };
  expect(await provider.openPage(bad)).toEqual({ outcome: "declined", reason: "card_declined" });
  expect(await provider.openPage({ ...bad, first: false })).toMatchObject({
    outcome: "unknown",
    refused: true,
  });
  stripe.revokeKey(account.key);
  const refusedKey = { outcome: "declined", reason: "processor_refused_key" };
  expect(await provider.openPage(request)).toEqual(refusedKey);
});

test.skipIf(stripeSchemas === undefined)(
  "all requests and answers have the shape of Stripe's own types (skipped where they are absent)",
  async () => {
    const { stripe, provider, open } = bench;
    const { attempt, url } = await open();
    await press(url, "Pay");
    await provider.read(attempt);
    await provider.voidAuthorization(attempt);
    await provider.voidAuthorization((await open({ idempotencyKey: "attempt-2" })).attempt);
    const faults = stripe.calls.flatMap((call) => stripeSchemas?.ofCall(call) ?? []);
    expect(faults).toEqual([]);
    expect(stripe.calls.length).toBeGreaterThan(6);
  },
);
