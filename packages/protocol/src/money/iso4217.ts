/**
 * ISO 4217 list one (active codes, funds codes included) by number of minor-unit digits, as of
 * amendment 180 (2026-01-01: Bulgaria to the euro). Codes without a minor unit (gold, SDR, test
 * codes) are left out: they cannot carry a price. `Intl.NumberFormat` is no substitute, it rounds
 * several currencies to their cash habit (HUF, COP, IQD…).
 */
const CODES_BY_DIGITS: ReadonlyArray<readonly [digits: number, codes: string]> = [
  [0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"],
  [
    2,
    "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD " +
      "CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP " +
      "GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK " +
      "LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO " +
      "NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS " +
      "SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST " +
      "XAD XCD XCG YER ZAR ZMW ZWG",
  ],
  [3, "BHD IQD JOD KWD LYD OMR TND"],
  [4, "CLF UYW"],
];

const DIGITS: ReadonlyMap<string, number> = new Map(
  CODES_BY_DIGITS.flatMap(([digits, codes]) => codes.split(" ").map((code) => [code, digits])),
);

/**
 * Digits after the decimal point of an ISO 4217 currency; `undefined` for an unknown code.
 *
 * @example
 * minorUnitDigits("EUR"); //=> 2
 * minorUnitDigits("JPY"); //=> 0
 * minorUnitDigits("eur"); //=> undefined
 */
export function minorUnitDigits(currency: string): number | undefined {
  return DIGITS.get(currency);
}

/**
 * Every currency code Gatehouse knows, sorted.
 *
 * @example
 * currencyCodes().includes("KWD"); //=> true
 */
export function currencyCodes(): readonly string[] {
  return [...DIGITS.keys()].sort();
}
