import type { JsonObject } from "../json/value.js";
import { formatAmount, parseAmount } from "../money/amount.js";
import { ok, type Result, refuse } from "../result.js";
import { readPolicy } from "./document.js";

/** Policies to start from. */
export const POLICY_PRESETS = Object.freeze([
  "read_only",
  "ask_always",
  "automatic_under",
] as const);

/** The name of a preset. */
export type PolicyPreset = (typeof POLICY_PRESETS)[number];

/** What a preset is made with; `automatic_under` needs a limit and its currency. */
export interface PolicyPresetOptions {
  /** A decimal text such as `50.00`. */
  readonly limit?: string;
  readonly currency?: string;
  readonly timezone?: string;
}

/** How many carts of the limit an agent may fill in a day before a person is asked. */
const DAY_CARTS = 10;

const HAS_CART = { "cart.total": { exists: true } };
const PRESENT = { "buyer.present": { eq: true } };
const NOT_PRESENT = { "buyer.present": { eq: false } };
const FREE = {
  id: "free",
  title: "Requests that move no money",
  effect: "allow",
  when: { "cart.total": { exists: false } },
};

type Refused = "options_invalid";

function automaticUnder(options: PolicyPresetOptions): Result<JsonObject[], Refused> {
  const { limit = "", currency = "" } = options;
  const each = parseAmount(limit, currency);
  if (!each.ok) return refuse("options_invalid", `limit and currency: ${each.detail}`);
  const minor = each.value.minor * DAY_CARTS;
  if (minor === 0) return refuse("options_invalid", "limit: must be more than zero");
  if (!Number.isSafeInteger(minor)) return refuse("options_invalid", "limit: is too large");
  const cart = { [currency]: formatAmount(each.value) };
  const day = { [currency]: formatAmount({ currency, minor }) };
  const spend = { scope: "agent", window: "P1D", would_exceed: day };
  return ok([
    FREE,
    {
      id: "small",
      title: `Up to ${cart[currency]} ${currency}`,
      effect: "allow",
      when: { "cart.total": { lte: cart } },
    },
    // Without the cart's existence, an unknown amount would leave to a person what costs nothing.
    {
      id: "large",
      title: `Over ${cart[currency]} ${currency}, or another currency`,
      effect: "escalate",
      when: { all: [HAS_CART, NOT_PRESENT, { "cart.total": { gt: cart } }] },
    },
    {
      id: "day",
      title: `Over ${day[currency]} ${currency} a day`,
      effect: "escalate",
      when: { all: [HAS_CART, NOT_PRESENT, { spend }] },
    },
    {
      id: "present",
      title: "Paid by a person on the payment page",
      effect: "allow",
      when: { all: [HAS_CART, PRESENT] },
    },
  ]);
}

/**
 * A policy to start from. `read_only` approves what moves no money and refuses the rest;
 * `ask_always` requires a review of everything. `automatic_under` approves what moves no money and
 * carts up to a limit. It requires a review of larger carts, of carts in other currencies, and of more
 * than ten times the limit in a day for one agent. It approves what a person pays on the payment page.
 *
 * @example
 * policyPreset("read_only").value.rules.map(({ id }) => id); //=> ["free"]
 * policyPreset("automatic_under", { limit: "50.00", currency: "EUR" }).value.rules[3].title; //=> "Over 500.00 EUR a day"
 * policyPreset("automatic_under", { limit: "50" }).reason; //=> "options_invalid"
 */
export function policyPreset(
  name: PolicyPreset,
  options: PolicyPresetOptions = {},
): Result<JsonObject, Refused> {
  const { limit, currency, timezone = "UTC" } = options;
  if (name !== "automatic_under" && (limit ?? currency) !== undefined) {
    return refuse("options_invalid", `${name} has no limit`);
  }
  const ask = {
    id: "ask",
    title: "Everything",
    effect: "escalate",
    when: { skill: { exists: true } },
  };
  const rules =
    name === "automatic_under" ? automaticUnder(options) : ok([name === "read_only" ? FREE : ask]);
  if (!rules.ok) return rules;
  const fallback = name === "ask_always" ? "escalate" : "deny";
  const document = { policy: "rules/1", timezone, default: fallback, rules: rules.value };
  const read = readPolicy(document);
  return read.ok ? ok(document) : refuse("options_invalid", read.detail);
}
