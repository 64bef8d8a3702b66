import { formatAmount, type Money, parseAmount } from "@gatehouse/protocol";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "./time-units.js";

/** An amount in the reader's own notation, such as `€4.50`. Empty if there is no amount. */
export function moneyText(amount: Money | null): string {
  if (amount === null) return "";
  const { currency } = amount;
  const text = formatAmount(amount);
  const digits = text.split(".")[1]?.length ?? 0;
  const options = {
    style: "currency",
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  } as const;
  // A decimal text keeps every digit, which a number would not.
  return new Intl.NumberFormat(undefined, options).format(text as Intl.StringNumericLiteral);
}

/**
 * An amount as people type it, with a point: `1.234,50 €` becomes `1234.50`. A single comma or point is the decimal separator. The
 * sign of another currency stays, so that the service refuses it.
 */
export function typedAmount(text: string, currency: string): string {
  const zero = parseAmount("0", currency);
  const sign = zero.ok ? moneyText(zero.value).replace(/[\d.,\s]/g, "") : "";
  return text
    .replace(sign, "")
    .replace(currency, "")
    .replace(/\s/g, "")
    .replace(/([.,])(?=\d{3}(?!\1)[.,]|\d{3}\1.*[.,])/g, "")
    .replace(",", ".");
}

/** A duration in the largest unit that still tells enough, rounded: 3 hours 59 minutes are 4 hours. */
export function spanText(ms: number): string {
  const size = Math.abs(ms);
  if (size >= 2 * DAY_MS - HOUR_MS / 2) return countText(Math.round(size / DAY_MS), "day");
  if (size >= 2 * HOUR_MS - MINUTE_MS / 2) return countText(Math.round(size / HOUR_MS), "hour");
  return countText(Math.round(size / MINUTE_MS), "minute");
}

/** How long ago something happened. */
export function agoText(ms: number): string {
  return ms < MINUTE_MS ? "just now" : `${spanText(ms)} ago`;
}

const UNITS = { M: "minute", H: "hour", D: "day" } as const;

/** A time window of the rules, such as `PT10M`, in words. */
export function windowText(window: string): string {
  const [, count = "", unit = ""] = /^PT?(\d+)([MHD])$/.exec(window) ?? [];
  const word = UNITS[unit as keyof typeof UNITS];
  return word === undefined ? window : countText(Number(count), word);
}

/** A count with its noun. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`;
}

/** What people read instead of a word of the API. The same word stands everywhere for the same state. */
const TITLES: Readonly<Record<string, string>> = {
  a2a: "A2A",
  acp: "ACP",
  mcp: "MCP",
  ucp: "UCP",
  agent_pending: "The agent is not approved yet",
  budget_exceeded: "A spending or request limit is used up",
  declared_agent: "Agent, not verified",
  default: "No rule matched",
  denied: "Declined",
  escalated: "Needs review",
  invalidated: "No longer valid",
  lapsed: "Expired",
  mandates_disabled: "Signed requests are turned off",
  partly_refunded: "Partly refunded",
  partly_shipped: "Partly sent",
  paying: "Payment in progress",
  payment_declined: "The payment was declined",
  policy_denied: "Declined by your rules",
  rejected: "Declined",
  released: "Voided",
  review_denied: "Declined by a reviewer",
  review_expired: "Nobody decided in time",
  review_required: "Your rules ask for a review",
  seen: "Not decided",
  shipped: "Sent",
  skill_not_live: "The action is not live",
  suspected_automation: "Suspected bot",
  webhook: "Webhook",
};

/** A word of the API as a label: `partly_shipped` is “Partly sent”. */
export function titleOf(word: string): string {
  const plain = word.replaceAll("_", " ");
  return TITLES[word] ?? plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** A word of the API inside a sentence. */
export function plainWord(word: string): string {
  const title = titleOf(word);
  const isName = /^[A-Z0-9]{2}/.test(title);
  return isName ? title : title.charAt(0).toLowerCase() + title.slice(1);
}

/** Words of the API to choose from, each with its label. */
export function choicesOf<Word extends string>(...words: readonly Word[]): Record<Word, string> {
  return Object.fromEntries(words.map((word) => [word, titleOf(word)])) as Record<Word, string>;
}

/** Text that somebody else wrote, with invisible and direction-changing characters made visible. */
export function strangersText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\ufffd");
}

/** The words of a list that a person typed, separated by spaces or commas. */
export function wordsIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== "");
}

/** A short ID that people recognize, made from a name: `Großer Kübel` becomes `grosser-kubel`. */
export function idFrom(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("ß", "ss");
  return plain.replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
}
