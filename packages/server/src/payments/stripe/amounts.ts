import { type Money, minorUnitDigits, ok, type Result, refuse } from "@gatehouse/protocol";

/**
 * The currencies in which Stripe charges cards, by the decimal digits of Stripe's integers. These differ
 * from ISO 4217 in places: Icelandic krona have no decimals but Stripe counts two, Malagasy ariary have
 * two but Stripe counts none.
 */
const CODES_BY_DIGITS: ReadonlyArray<readonly [digits: number, codes: string]> = [
  [0, "BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF"],
  [
    2,
    "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BWP BYN BZD CAD CDF CHF " +
      "CNY COP CRC CVE CZK DKK DOP DZD EGP ETB EUR FJD FKP GBP GEL GIP GMD GTQ GYD HKD HNL HTG HUF " +
      "IDR ILS INR ISK JMD KES KGS KHR KYD KZT LAK LBP LKR LRD LSL MAD MDL MKD MMK MNT MOP MUR MVR " +
      "MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR " +
      "SEK SGD SHP SLE SOS SRD SZL THB TJS TOP TRY TTD TWD TZS UAH USD UYU UZS WST XCD XCG YER ZAR " +
      "ZMW",
  ],
  [3, "BHD JOD KWD OMR TND"],
];
/** Stripe's maximum in every currency. */
const AMOUNT_MAX = 99_999_999;
/** Amounts in currencies with three decimals must end in zero: card networks use two. */
const THREE_DIGITS = 3;

const DIGITS: ReadonlyMap<string, number> = new Map(
  CODES_BY_DIGITS.flatMap(([digits, codes]) => codes.split(" ").map((code) => [code, digits])),
);

/** Every currency that can be charged. */
export const STRIPE_CURRENCIES: readonly string[] = Object.freeze([...DIGITS.keys()].sort());

/**
 * Stripe's integer for an exact amount, or why there is none. The Ugandan shilling is left out: Stripe's
 * pages count it with two decimals in one place and with none in another.
 */
export function stripeAmount({ currency, minor }: Money): Result<number, "not_expressible"> {
  const digits = DIGITS.get(currency);
  const isoDigits = minorUnitDigits(currency);
  if (digits === undefined || isoDigits === undefined) {
    return refuse("not_expressible", `Stripe does not accept payments in ${currency}`);
  }
  const exact = BigInt(minor) * 10n ** BigInt(digits);
  const unit = 10n ** BigInt(isoDigits);
  if (exact % unit !== 0n) {
    return refuse("not_expressible", `Stripe accepts only whole amounts in ${currency}`);
  }
  const amount = Number(exact / unit);
  if (digits === THREE_DIGITS && amount % 10 !== 0) {
    return refuse(
      "not_expressible",
      `Stripe accepts amounts in ${currency} with at most two decimal digits`,
    );
  }
  if (amount < 1 || amount > AMOUNT_MAX) {
    return refuse("not_expressible", "Stripe does not authorize this amount");
  }
  return ok(amount);
}

/** The amount that one of Stripe's integers means; undefined if the currency is not known. */
export function moneyOfStripe(amount: number, currency: string): Money | undefined {
  const code = currency.toUpperCase();
  const digits = DIGITS.get(code);
  const isoDigits = minorUnitDigits(code);
  if (digits === undefined || isoDigits === undefined) return undefined;
  if (!Number.isSafeInteger(amount) || amount < 0) return undefined;
  const exact = BigInt(amount) * 10n ** BigInt(isoDigits);
  const unit = 10n ** BigInt(digits);
  return exact % unit === 0n ? { currency: code, minor: Number(exact / unit) } : undefined;
}
