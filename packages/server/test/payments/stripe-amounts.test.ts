import { type Money, minorUnitDigits, parseAmount } from "@gatehouse/protocol";
import { describe, expect, test } from "vitest";
import {
  moneyOfStripe,
  STRIPE_CURRENCIES,
  stripeAmount,
} from "../../src/payments/stripe/amounts.ts";

function money(text: string, currency: string): Money {
  const read = parseAmount(text, currency);
  if (!read.ok) throw new Error(read.detail);
  return read.value;
}

describe("an amount for Stripe:", () => {
  // Figures of Stripe's own page on currencies, and what follows from it.
  test.each([
    ["10.99", "USD", 1099],
    ["0.01", "EUR", 1],
    ["500", "JPY", 500],
    ["5", "ISK", 500],
    ["500.00", "MGA", 500],
    ["10.45", "HUF", 1045],
    ["800.45", "TWD", 80_045],
    ["5.120", "KWD", 5120],
    ["5.13", "BHD", 5130],
    ["999999.99", "USD", 99_999_999],
  ])("%s %s becomes %i", (text, currency, wanted) => {
    expect(stripeAmount(money(text, currency))).toEqual({ ok: true, value: wanted });
  });

  test.each([
    ["5.124", "KWD"],
    ["0.20", "MGA"],
    ["1000000.00", "USD"],
    ["0", "USD"],
    ["500", "UGX"],
    ["1.000", "IQD"],
    ["1.00", "KPW"],
    ["1.0000", "CLF"],
  ])("%s %s cannot be charged, and neither can a rounded amount", (text, currency) => {
    expect(stripeAmount(money(text, currency))).toMatchObject({ reason: "not_expressible" });
  });

  test.each(STRIPE_CURRENCIES)("one in %s converts back to the same amount", (currency) => {
    for (const text of ["1", "12", "98765"]) {
      const sum = money(text, currency);
      const asked = stripeAmount(sum);
      if (!asked.ok) throw new Error(asked.detail);
      expect(moneyOfStripe(asked.value, currency.toLowerCase())).toEqual(sum);
    }
  });

  test("it differs from ISO 4217 in two currencies only", () => {
    const different = STRIPE_CURRENCIES.filter((currency) => {
      const asked = stripeAmount(money("100", currency));
      return asked.ok && asked.value !== 100 * 10 ** (minorUnitDigits(currency) as number);
    });
    expect(different).toEqual(["ISK", "MGA"]);
  });

  test("an integer that is not an amount of the currency is refused", () => {
    expect(moneyOfStripe(550, "isk")).toBeUndefined();
    expect(moneyOfStripe(1, "xyz")).toBeUndefined();
    expect(moneyOfStripe(-1, "usd")).toBeUndefined();
    expect(moneyOfStripe(1.5, "usd")).toBeUndefined();
  });
});
