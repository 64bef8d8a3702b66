import { currencyCodes } from "@gatehouse/protocol";

const SIGNS: Readonly<Record<string, string>> = { "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR" };

const CURRENCIES: ReadonlySet<string> = new Set(currencyCodes());
/** What a price is written with, beside its currency. */
const NUMBER = /^-?[\d.,'’\s]*\d[\d.,'’\s]*$/;

/** The currency that a price names, by its code or its sign. */
function currencyIn(text: string): string | undefined {
  const code = text.toUpperCase().match(/[A-Z]+/)?.[0];
  if (code !== undefined) return CURRENCIES.has(code) ? code : undefined;
  const sign = Object.keys(SIGNS).find((one) => text.includes(one));
  return sign === undefined ? undefined : SIGNS[sign];
}

/**
 * A price as people write it, with a point: `1.234,50 €` becomes 1234.50 EUR. A single comma or point with
 * three digits behind it separates thousands. What is no price stays as it is, so that the service says so.
 */
export function readPrice(text: string): { readonly price: string; readonly currency?: string } {
  const currency = currencyIn(text);
  const number = text
    .replace(/\p{Sc}/gu, "")
    .replace(new RegExp(currency ?? "$^", "i"), "")
    .trim();
  if (!NUMBER.test(number)) return { price: text };
  const digits = number.replace(/[^\d.,-]/g, "");
  const last = Math.max(digits.lastIndexOf(","), digits.lastIndexOf("."));
  const behind = last === -1 ? "" : digits.slice(last + 1);
  const mark = digits[last];
  const isThousands =
    behind.length === 3 && digits.split(mark ?? "").length === 2 && !/^0[.,]/.test(digits);
  const whole = (last === -1 || isThousands ? digits : digits.slice(0, last)).replace(/[.,]/g, "");
  const price = last === -1 || isThousands || behind === "" ? whole : `${whole}.${behind}`;
  return { price, ...(currency === undefined ? {} : { currency }) };
}

/** Numbers with thousands, by the mark that the prices beside them have for decimals. */
const GROUPED = { ",": /^\d{1,3}(\.\d{3})+(?!\d)/, ".": /^\d{1,3}(,\d{3})+(?!\d)/ };

/**
 * Reads whole numbers of a file: the other mark than in its prices separates thousands. If the prices do not tell,
 * marks separate decimals, because an order for stock that does not exist is worse than a product that is sold out.
 * A number that is not whole stays as it is, so that the service says so.
 */
export function quantityReader(prices: readonly string[]): (text: string) => string {
  const marks = prices.map((text) => /([.,])\d{1,2}\D*$/.exec(text)?.[1]);
  const grouped = GROUPED[marks.find(Boolean) as keyof typeof GROUPED];
  return (text) =>
    (grouped ? text.replace(grouped, (digits) => digits.replace(/\D/g, "")) : text).replace(
      /[.,]0+$/,
      "",
    );
}
