import { formatAmount, parseAmount } from "@gatehouse/protocol";
import { expect, onTestFinished, test } from "vitest";
import { moneyOfStripe, STRIPE_CURRENCIES } from "../../src/payments/stripe/amounts.ts";
import { freshEnvironment, startServer } from "../harness.ts";
import { StripeSimulator } from "../stripe/simulator.ts";
import { stripeSelling } from "./stripe-shop.ts";

/** Nothing but the skill is asked: rules about sums would have to name every currency. */
const POLICY = {
  policy: "rules/1",
  timezone: "UTC",
  default: "deny",
  rules: [{ id: "sell", effect: "allow", when: { skill: { eq: "place_order" } } }],
};

test("Stripe gets the exact amount of the mandate, in every currency it supports", async () => {
  const stripe = await StripeSimulator.start();
  onTestFinished(() => stripe.stop());
  const server = await startServer({
    ...(await freshEnvironment("sqlite")),
    GATEHOUSE_STRIPE_API_BASE: stripe.url,
    GATEHOUSE_MANDATES_PER_AGENT_PER_MINUTE: "1000",
    GATEHOUSE_MANDATES_PER_SITE_PER_MINUTE: "1000",
  });
  const at = stripeSelling(server, stripe);
  const { shop, account, buyer } = await at.stripeShop();
  await shop.admin("PUT", "/policy", POLICY as never);
  // A whole sum, which every currency has, and one with all the digits it may have.
  const prices = STRIPE_CURRENCIES.map((currency) => {
    const whole = parseAmount("1234", currency);
    if (!whole.ok) throw new Error(whole.detail);
    const { minor } = whole.value;
    const exact = { ISK: minor, MGA: minor }[currency] ?? minor + 10;
    return { currency, price: formatAmount({ currency, minor: exact }) };
  });
  await shop.admin("PUT", "/products", {
    products: prices.map(({ currency, price }) => ({ id: currency, title: "X", price, currency })),
  });
  const failed: unknown[] = [];
  for (const { currency, price } of prices) {
    const items = [{ id: currency, quantity: 1 }];
    const { body } = await at.order(shop, buyer, { items, total: price, currency });
    const [intent] = stripe.intents(account.id);
    const arrived = intent && moneyOfStripe(intent.amount, intent.currency);
    const same = arrived?.currency === currency && formatAmount(arrived) === price;
    if (body.outcome !== "approved" || !same) failed.push({ currency, price, body, arrived });
  }
  expect(failed).toEqual([]);
  expect(stripe.intents(account.id)).toHaveLength(STRIPE_CURRENCIES.length);
});

test.each([
  ["UGX", "500"],
  ["KWD", "1.234"],
  ["MGA", "1.20"],
  ["IQD", "1.000"],
])("%s %s is refused before Stripe is asked", async (currency, price) => {
  const stripe = await StripeSimulator.start();
  onTestFinished(() => stripe.stop());
  const base = await freshEnvironment("sqlite");
  const server = await startServer({ ...base, GATEHOUSE_STRIPE_API_BASE: stripe.url });
  const at = stripeSelling(server, stripe);
  const { shop, buyer } = await at.stripeShop();
  await shop.admin("PUT", "/policy", POLICY as never);
  await shop.admin("PUT", "/products", { products: [{ id: "x", title: "X", price, currency }] });
  const asked = stripe.calls.length;
  const items = [{ id: "x", quantity: 1 }];
  const { status, body } = await at.order(shop, buyer, { items, total: price, currency });
  expect([status, body.reason]).toEqual([400, "cart_invalid"]);
  expect(stripe.calls).toHaveLength(asked);
});
