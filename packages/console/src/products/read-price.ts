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

/** Whether prices have a decimal comma or point. Undefined if none of them has decimals. */
function decimalMark(prices: readonly string[]): "," | "." | undefined {
  const marks = prices.map((text) => /([.,])\d{1,2}\D*$/.exec(text)?.[1]);
  return marks.find((mark) => mark === "," || mark === ".");
}

/**
 * Reads whole numbers of a file: the other mark than in its prices separates thousands. If the prices do not tell,
 * marks separate decimals, because an order for stock that does not exist is worse than a product that is sold out.
 * A number that is not whole stays as it is, so that the service says so.
 */
export function quantityReader(prices: readonly string[]): (text: string) => string {
  const mark = decimalMark(prices);
  const thousands = mark === "," ? "." : ",";
  const grouped = new RegExp(`^\\d{1,3}(?:\\${thousands}\\d{3})+(?!\\d)`);
  return (text) => {
    const number =
      mark === undefined
        ? text
        : text.replace(grouped, (digits) => digits.replaceAll(thousands, ""));
    return number.replace(/[.,]0+$/, "");
  };
}
