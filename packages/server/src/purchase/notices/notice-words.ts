import { formatAmount, type Money } from "@gatehouse/protocol";

/** The language of mails to owners. */
const LOCALE = "en";

/** A sum as people write it, with all digits of its currency: `€60.50`. */
export function moneyWords(money: Money): string {
  const amount = formatAmount(money);
  const digits = amount.split(".")[1]?.length ?? 0;
  const format = new Intl.NumberFormat(LOCALE, {
    style: "currency",
    currency: money.currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return format.format(amount as Intl.StringNumericLiteral);
}

/** A time in the zone of the shop, with the zone named. */
export function localTime(at: number, timeZone: string): string {
  const style = { dateStyle: "medium", timeStyle: "short", timeZone } as const;
  return `${new Intl.DateTimeFormat("en-GB", style).format(at)} (${timeZone})`;
}

/** The page of the console where an owner handles an order. */
export function orderPage(baseUrl: string, domain: string, orderId: string): string {
  return `${baseUrl}/console/${domain}/orders/${orderId}`;
}

/** A name, and the lines that belong to it. */
export type Fact = readonly [name: string, ...lines: readonly string[]];

/** Facts as lines of text, with their values below each other. Facts without a line are left out. */
export function factLines(facts: readonly Fact[]): string[] {
  const known = facts.filter(([, ...lines]) => lines.length > 0);
  const width = Math.max(...known.map(([name]) => name.length)) + 3;
  return known.flatMap(([name, ...lines]) =>
    lines.map((line, place) => (place === 0 ? `${name}:` : "").padEnd(width) + line),
  );
}
