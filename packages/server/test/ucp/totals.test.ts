import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { optionsTo, totalsOf } from "../../src/actions/checkout/totals.ts";
import { NO_SHOP, type ShopSettings } from "../../src/domain/shop-settings/shop-settings.ts";

const post = { id: "post", title: "By post", prices: { EUR: "4.90", JPY: "500" } };
const air = { id: "air", title: "By air", prices: { EUR: "15.00" } };
const SHOP: ShopSettings = {
  ...NO_SHOP,
  shipping: [
    { countries: ["DE", "AT"], options: [post, air] },
    { countries: ["*"], options: [air] },
  ],
  taxes: [
    { country: "US", region: "CA", percent: "7.25" },
    { country: "US", percent: "5" },
    { country: "CH", percent: "8.1" },
  ],
};

describe("an order", () => {
  test.each([
    [
      "DE",
      "EUR",
      [
        ["post", 490],
        ["air", 1500],
      ],
    ],
    ["FR", "EUR", [["air", 1500]]],
    ["AT", "JPY", [["post", 500]]],
    ["FR", "JPY", []],
    ["DE", "USD", []],
  ] as const)(
    "shipped to %s in %s can use the options with a price there",
    (country, currency, ways) => {
      const offered = optionsTo(SHOP, { country }, currency);
      expect(offered.map(({ option, amountMinor }) => [option.id, amountMinor])).toEqual(ways);
    },
  );

  test("has no shipping option if no zone contains the destination", () => {
    const home = { ...SHOP, shipping: SHOP.shipping.slice(0, 1) };
    expect(optionsTo(home, { country: "FR" }, "EUR")).toEqual([]);
    expect(optionsTo(NO_SHOP, { country: "DE" }, "EUR")).toEqual([]);
  });

  test.each([
    [{ country: "US", region: "CA" }, 10_000, 490, 761],
    [{ country: "US", region: "NY" }, 10_000, 490, 525],
    [{ country: "US" }, 10_000, null, 500],
    [{ country: "CH" }, 5, null, 0],
    [{ country: "CH" }, 6, null, 0],
    [{ country: "CH" }, 7, null, 1],
    [{ country: "DE" }, 10_000, 490, 0],
    [undefined, 10_000, null, 0],
  ] as const)("is taxed at %j: %i and %s make %i", (destination, subtotal, shipping, tax) => {
    const where = destination === undefined ? {} : { destination };
    const totals = totalsOf(SHOP, subtotal, { ...where, shippingMinor: shipping });
    expect(totals).toMatchObject({ ok: true, value: { taxMinor: tax } });
  });

  test("has a total that is the sum of its parts for any shop, and is refused rather than inexact", () => {
    const percent = fc
      .tuple(fc.nat({ max: 99 }), fc.nat({ max: 9999 }))
      .map(([whole, parts]) => `${whole}.${String(parts).padStart(4, "0")}`);
    const money = fc.oneof(fc.nat({ max: 1_000_000 }), fc.maxSafeNat());
    const checked = fc.property(money, money, percent, (subtotal, shipping, rate) => {
      const settings = { ...NO_SHOP, taxes: [{ country: "XK", percent: rate }] };
      const where = { destination: { country: "XK" }, shippingMinor: shipping };
      const totals = totalsOf(settings, subtotal, where);
      const exact = BigInt(subtotal) + BigInt(shipping);
      const tax = (exact * BigInt(rate.replace(".", "")) * 2n + 1_000_000n) / 2_000_000n;
      if (exact + tax > BigInt(Number.MAX_SAFE_INTEGER)) return !totals.ok;
      return totals.ok && BigInt(totals.value.totalMinor) === exact + tax;
    });
    fc.assert(checked, { seed: 9, numRuns: 500 });
  });
});
