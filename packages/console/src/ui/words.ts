import { formatAmount, type Money } from "@gatehouse/protocol";

/** A sum as people write it; nothing where there is none. */
export function moneyText(amount: Money | null): string {
  return amount === null ? "" : `${formatAmount(amount)} ${amount.currency}`;
}

/** A moment with its zone, in the reader's own time. */
export function timeText(iso: string): string {
  return new Date(iso).toLocaleString(undefined, {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
  });
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** How long it is, in the largest unit that does not hide it. */
export function spanText(ms: number): string {
  const size = Math.abs(ms);
  if (size >= 2 * DAY_MS) return `${Math.floor(size / DAY_MS)} days`;
  if (size >= 2 * HOUR_MS) return `${Math.floor(size / HOUR_MS)} hours`;
  const minutes = Math.floor(size / MINUTE_MS);
  return minutes === 1 ? "1 minute" : `${minutes} minutes`;
}

const UNITS = { M: "minute", H: "hour", D: "day" } as const;

/** A window of the rules, such as `PT10M`, in words. */
export function windowText(window: string): string {
  const [, count = "", unit = ""] = /^PT?(\d+)([MHD])$/.exec(window) ?? [];
  const word = UNITS[unit as keyof typeof UNITS];
  return word === undefined ? window : countText(Number(count), word);
}

/** A count with its word. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`;
}

/** A word of the interface, as a person reads it: `partly_shipped`, partly shipped. */
export function plainWord(word: string): string {
  return word.replaceAll("_", " ");
}

/** Words of the interface to choose from, each as a person reads it. */
export function choicesOf<Word extends string>(...words: readonly Word[]): Record<Word, string> {
  const shown = words.map((word) => {
    const plain = plainWord(word);
    return [word, plain.charAt(0).toUpperCase() + plain.slice(1)];
  });
  return Object.fromEntries(shown) as Record<Word, string>;
}

/** Words of strangers, with what would hide in them or turn them around made visible. */
export function strangersText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\ufffd");
}

/** The words of a list that a person wrote, with spaces or commas between them. */
export function wordsIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== "");
}
