import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { currencyCodes, formatAmount, minorUnitDigits, parseAmount } from "../src/index.ts";

function minor(amount: string | number, currency: string): number | string {
  const result = parseAmount(amount, currency);
  return result.ok ? result.value.minor : result.reason;
}

describe("an amount is read exactly from", () => {
  test.each([
    ["0", "EUR", 0],
    ["0.01", "EUR", 1],
    ["0.1", "EUR", 10],
    ["1", "EUR", 100],
    ["19.99", "USD", 1999],
    [19.99, "USD", 1999],
    [0.1, "EUR", 10],
    [4.35, "EUR", 435],
    [1.005, "KWD", 1005],
    ["500", "JPY", 500],
    ["1.234", "BHD", 1234],
    ["1.2345", "CLF", 12345],
    ["999999999999.99", "EUR", 99999999999999],
    ["2.50", "HUF", 250],
    ["2.50", "COP", 250],
    ["2.500", "IQD", 2500],
  ])("%s %s", (amount, currency, expected) => {
    expect(minor(amount, currency)).toBe(expected);
  });
});

describe("an amount is not read from", () => {
  test.each([
    ["", "not_an_amount"],
    ["-1", "not_an_amount"],
    ["+1", "not_an_amount"],
    ["01", "not_an_amount"],
    ["1.", "not_an_amount"],
    [".5", "not_an_amount"],
    ["1,00", "not_an_amount"],
    ["1 000", "not_an_amount"],
    ["1e3", "not_an_amount"],
    ["0x10", "not_an_amount"],
    ["１", "not_an_amount"],
    ["1\n", "not_an_amount"],
    ["Infinity", "not_an_amount"],
    [Number.NaN, "not_an_amount"],
    [-0.01, "not_an_amount"],
    [1e21, "not_an_amount"],
    [1e-7, "not_an_amount"],
    ["1000000000000", "not_an_amount"],
    ["1.00001", "not_an_amount"],
    ["1.001", "too_precise"],
    ["1.000", "too_precise"],
    [0.1 + 0.2, "not_an_amount"],
  ])("%j EUR (%s)", (amount, reason) => {
    expect(minor(amount, "EUR")).toBe(reason);
  });

  test("a value that only looks like a string to JavaScript", () => {
    expect(minor(["5"] as unknown as string, "EUR")).toBe("not_an_amount");
  });

  test("decimals in a currency without any", () => {
    expect(minor("500.0", "JPY")).toBe("too_precise");
  });

  test("a sum beyond exact integers", () => {
    expect(minor("999999999999.9999", "UYW")).toBe("too_large");
  });

  test.each(["eur", "EURO", "", "XAU", "XXX", "BGN", "HRK", "constructor"])(
    "the currency %j",
    (currency) => {
      expect(minor("1", currency)).toBe("unknown_currency");
    },
  );
});

test("formatting an amount and reading it back gives the same amount in every currency", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...currencyCodes()),
      fc.nat({ max: 999_999_999_999 }),
      (currency, value) => {
        expect(minor(formatAmount({ currency, minor: value }), currency)).toBe(value);
      },
    ),
    { seed: 4217, numRuns: 2000 },
  );
});

test("an amount that is not in whole minor units throws", () => {
  expect(() => formatAmount({ currency: "EUR", minor: 1.5 })).toThrow(RangeError);
  expect(() => formatAmount({ currency: "EUR", minor: -1 })).toThrow(RangeError);
  expect(() => formatAmount({ currency: "???", minor: 1 })).toThrow(RangeError);
});

test("the ISO 4217 table is complete: 17 + 139 + 7 + 2 codes, without duplicates", () => {
  const codes = currencyCodes();
  const count = (digits: number) => codes.filter((code) => minorUnitDigits(code) === digits).length;
  expect([count(0), count(2), count(3), count(4)]).toEqual([17, 139, 7, 2]);
  expect(codes.every((code) => /^[A-Z]{3}$/.test(code))).toBe(true);
});
