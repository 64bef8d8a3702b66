import { formatAmount } from "@gatehouse/protocol";
import type { Api } from "../api/client.js";
import { moneyText } from "../ui/words.js";
import { stepAt } from "./ranges.js";

/** What more, less, the same amount and nothing of something are called. */
export type Words = readonly [more: string, less: string, same: string, none: string];

export const countWords = (many: string): Words => [
  `more ${many}`,
  `fewer ${many}`,
  `As many ${many}`,
  `No ${many}`,
];

/** A change with its sign and in words: a sign is easily overlooked. */
export function changeText(now: number, before: number, than: string, words: Words): string {
  const [more, less, same, none] = words;
  if (before === 0) return now === 0 ? "" : `${none} in ${than}`;
  const percent = Math.round(((now - before) / before) * 100);
  if (percent === 0) return `${same} as in ${than}`;
  const [sign, word] = percent > 0 ? ["+", more] : ["−", less];
  return `${sign}${Math.abs(percent)} %, ${word} than in ${than}`;
}

type Measure = (sales: Api["Sales"]) => number;

/** One value for each step. */
export function valuesIn(
  steps: readonly number[],
  items: readonly Api["SalesStep"][],
  measure: Measure,
) {
  const values = steps.map(() => 0);
  for (const item of items) {
    const place = stepAt(steps, Date.parse(item.start));
    if (place >= 0) values[place] = (values[place] ?? 0) + measure(item);
  }
  return values;
}

/** What the chart shows: money, or orders if there are several currencies, which cannot be added up. */
export function measureOf(now: Api["Sales"], earlier: Api["Sales"]) {
  const all = [...now.amounts, ...earlier.amounts].map(({ currency }) => currency);
  const [currency] = all;
  if (currency === undefined || new Set(all).size > 1) {
    const words = countWords("orders");
    return { label: "Orders", words, measure: ({ orders }: Api["Sales"]) => orders };
  }
  const options = { style: "currency", currency, notation: "compact" } as const;
  const short = new Intl.NumberFormat(undefined, { ...options, maximumFractionDigits: 2 });
  return {
    label: "Sales",
    words: ["more", "less", "As much", "Nothing was sold"] as Words,
    measure: ({ amounts }: Api["Sales"]) => amounts[0]?.minor ?? 0,
    unit: {
      text: (minor: number) => moneyText({ minor, currency }),
      mark: (minor: number) =>
        short.format(formatAmount({ minor, currency }) as Intl.StringNumericLiteral),
    },
  };
}
