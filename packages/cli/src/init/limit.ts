import { formatAmount, type JsonObject, parseAmount, policyPreset } from "@gatehouse/protocol";
import { CommandError, EXIT } from "../exit.js";

/** How people write the currencies that have a sign. */
const SIGNS: Readonly<Record<string, string>> = { "€": "EUR", $: "USD", "£": "GBP", "¥": "JPY" };
const CURRENCY = "[A-Za-z]{3}|[€$£¥]";
/** A comma is a decimal point before one or two digits; before three it may separate thousands. */
const AMOUNT = new RegExp(`^(${CURRENCY})? ?(\\d+(?:\\.\\d+|,\\d{1,2})?) ?(${CURRENCY})?$`);

/** Rules to start with: a preset, and the sum it approves by itself. */
export interface Limit {
  readonly preset: "read_only" | "ask_always" | "automatic_under";
  readonly limit?: string;
  readonly currency?: string;
}

function readAmount(text: string): Limit | undefined {
  const [, before, amount, after] = AMOUNT.exec(text) ?? [];
  const written = before ?? after;
  if (amount === undefined || written === undefined || (before && after)) return undefined;
  const currency = SIGNS[written] ?? written.toUpperCase();
  const sum = parseAmount(amount.replace(",", "."), currency);
  if (!sum.ok) return undefined;
  return { preset: "automatic_under", limit: formatAmount(sum.value), currency };
}

/** `50.00 EUR`, `$50`, `ask` or `never`. */
export function readLimit(text: string): Limit {
  const read: Limit | undefined =
    text === "ask"
      ? { preset: "ask_always" }
      : text === "never"
        ? { preset: "read_only" }
        : readAmount(text);
  if (read !== undefined && policyPreset(read.preset, read).ok) return read;
  const hint =
    "Enter an amount with its currency, such as `50.00 EUR` or `$50`, or `ask`, or `never`.";
  throw new CommandError(`${text} is not a limit.`, EXIT.usage, hint);
}

/** A zone by its name in the tz database; of the policy, because rules count hours and days in it. */
export function readZone(text: string): string {
  if (policyPreset("ask_always", { timezone: text }).ok) return text;
  const hint = "Enter a name such as Europe/Berlin, America/New_York or UTC.";
  throw new CommandError(`${text} is not a time zone.`, EXIT.usage, hint);
}

/** The policy of a limit in a zone. Both were read above. */
export function policyOf({ preset, ...sum }: Limit, timezone: string): JsonObject {
  const policy = policyPreset(preset, { ...sum, timezone });
  if (!policy.ok) throw new Error(`init: ${policy.detail}`);
  return policy.value;
}

/** What the owner chose, in a sentence. */
export function limitSentence({ preset, limit, currency }: Limit): string {
  if (preset === "read_only") return "Agents cannot buy. They can use everything that is free.";
  if (preset === "ask_always") return "Every request of an agent needs your approval.";
  return (
    `Agents buy for up to ${limit} ${currency} without your approval. ` +
    "This does not limit people who pay themselves on the payment page."
  );
}
