import { formatAmount, type Money } from "@gatehouse/protocol";

/** A sum as people write it. */
export function moneyText(amount: Money | null): string {
  return amount === null ? "" : `${formatAmount(amount)} ${amount.currency}`;
}

/** A moment with its zone, in the reader's own time. */
export function timeText(iso: string): string {
  return new Date(iso).toLocaleString(undefined, {
    ...{ year: "numeric", month: "short", day: "numeric" },
    ...{ hour: "2-digit", minute: "2-digit", timeZoneName: "short" },
  });
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How long it is, in the largest unit that does not hide it. */
export function spanText(ms: number): string {
  const size = Math.abs(ms);
  if (size >= 2 * DAY_MS) return `${Math.floor(size / DAY_MS)} days`;
  if (size >= 2 * HOUR_MS) return `${Math.floor(size / HOUR_MS)} hours`;
  const minutes = Math.floor(size / MINUTE_MS);
  return minutes === 1 ? "1 minute" : `${minutes} minutes`;
}
