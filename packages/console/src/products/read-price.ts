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

/** `1.000` or `12,00`: a whole number that a database writes with decimals, or a number of thousands. */
const ZEROS_BEHIND = /^\d+[.,]0+$/;

/**
 * Reads the cells of a column as whole numbers. If every number ends in zeros behind a mark, the column is written
 * with decimals and `12.000` is 12. Otherwise marks mean what they mean in prices, and `1.000` is a thousand. A
 * cell that is no whole number stays as it is, so that the service says so.
 */
export function quantityReader(cells: readonly string[]): (text: string) => string {
  const filled = cells.filter((text) => text !== "");
  const hasDecimals = filled.length > 1 && filled.every((text) => ZEROS_BEHIND.test(text));
  return (text) => {
    if (text === "") return text;
    const number = hasDecimals ? text : readPrice(text).price;
    return number.replace(/[.,]0+$/, "");
  };
}
