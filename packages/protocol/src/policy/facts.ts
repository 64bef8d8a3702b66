import type { JsonValue } from "../json/value.js";
import type { Result } from "../result.js";
import { POLICY_WINDOWS, type PolicyWindow } from "./duration.js";
import {
  attempt,
  fail,
  readChoice,
  readMembers,
  readPattern,
  readText,
  readTimeOfDay,
  readWhole,
} from "./members.js";
import { type PolicyScope, SCOPES } from "./model.js";

/** What was already spent in a window, in whole minor units, without this cart. */
export type SpentFact = {
  readonly scope: PolicyScope;
  readonly window: PolicyWindow;
  readonly currency: string;
  readonly minor: number;
};

/** How many came in a window so far, without this one. */
export type CountFact = {
  readonly scope: PolicyScope;
  readonly window: PolicyWindow;
  readonly value: number;
};

/**
 * What a decision knew. It is written into signed records, so names are lower-case, numbers whole,
 * and what is not known is left out.
 */
export type PolicyFacts = {
  readonly skill?: string;
  readonly protocol?: string;
  /** `total` in whole minor units. */
  readonly cart?: { readonly total: number; readonly currency: string };
  readonly agent?: {
    readonly id: string;
    /** An empty list says that the agent has none; left out, nobody knows. */
    readonly tags?: readonly string[];
    readonly age_days?: number;
  };
  /** Whether somebody pays on the provider's own page. Left out where nobody does. */
  readonly buyer?: { readonly present: boolean };
  /** `HH:MM` in the policy's time zone. */
  readonly time?: { readonly local: string };
  readonly spend?: readonly SpentFact[];
  readonly count?: readonly CountFact[];
};

/** Its form only: a code may be withdrawn after the record that names it was signed. */
const CURRENCY = /^[A-Z]{3}$/;
const CURRENCY_WORDS = "a currency code of three capital letters";

function readEach<T>(
  value: JsonValue,
  place: string,
  read: (item: JsonValue, at: string) => T,
): readonly T[] {
  if (!Array.isArray(value)) fail(place, "must be a list");
  return Object.freeze(value.map((item, i) => read(item, `${place}[${i}]`)));
}

/** Of two entries for one counter the evaluator would see only the first. */
function readCounters<T extends { scope: string; window: string; currency?: string }>(
  value: JsonValue,
  place: string,
  read: (item: JsonValue, at: string) => T,
): readonly T[] {
  const counters = readEach(value, place, (item, at) => Object.freeze(read(item, at)));
  const names = counters.map(({ scope, window, currency }) => `${scope} ${window} ${currency}`);
  if (new Set(names).size < names.length) fail(place, "has two entries for the same counter");
  return counters;
}

function readCounter(value: JsonValue, at: string, rest: readonly string[]) {
  const members = readMembers(value, at, ["scope", "window", ...rest]);
  const scope = readChoice(members.scope, `${at}.scope`, SCOPES);
  const window = readChoice(members.window, `${at}.window`, POLICY_WINDOWS);
  return { members, scope, window };
}

function readSpent(value: JsonValue, at: string): SpentFact {
  const { members, scope, window } = readCounter(value, at, ["currency", "minor"]);
  const currency = readPattern(members.currency, `${at}.currency`, CURRENCY, CURRENCY_WORDS);
  return { scope, window, currency, minor: readWhole(members.minor, `${at}.minor`, 0) };
}

function readCounted(value: JsonValue, at: string): CountFact {
  const { members, scope, window } = readCounter(value, at, ["value"]);
  return { scope, window, value: readWhole(members.value, `${at}.value`, 0) };
}

function readCart(value: JsonValue): NonNullable<PolicyFacts["cart"]> {
  const { total, currency } = readMembers(value, "cart", ["total", "currency"]);
  return Object.freeze({
    total: readWhole(total, "cart.total", 0),
    currency: readPattern(currency, "cart.currency", CURRENCY, CURRENCY_WORDS),
  });
}

function readAgent(value: JsonValue): NonNullable<PolicyFacts["agent"]> {
  const { id, tags, age_days } = readMembers(value, "agent", ["id"], ["tags", "age_days"]);
  return Object.freeze({
    id: readText(id, "agent.id"),
    ...(tags !== undefined && { tags: readEach(tags, "agent.tags", readText) }),
    ...(age_days !== undefined && { age_days: readWhole(age_days, "agent.age_days", 0) }),
  });
}

function readBuyer(value: JsonValue): NonNullable<PolicyFacts["buyer"]> {
  const { present } = readMembers(value, "buyer", ["present"]);
  if (typeof present !== "boolean") fail("buyer.present", "must be true or false");
  return Object.freeze({ present });
}

function readLocalTime(value: JsonValue): NonNullable<PolicyFacts["time"]> {
  const { local } = readMembers(value, "time", ["local"]);
  return Object.freeze({ local: readTimeOfDay(local, "time.local") });
}

/**
 * Reads the facts of a record, to evaluate its decision again.
 *
 * @example
 * readPolicyFacts({ cart: { total: 1250, currency: "EUR" } }).value.cart.total; //=> 1250
 * readPolicyFacts({ action: "buy" }).reason; //=> "facts_invalid"
 */
export function readPolicyFacts(value: JsonValue): Result<PolicyFacts, "facts_invalid"> {
  return attempt("facts_invalid", () => {
    const known = ["skill", "protocol", "cart", "agent", "buyer", "time", "spend", "count"];
    const members = readMembers(value, "the facts", [], known);
    const { skill, protocol, cart, agent, buyer, time, spend, count } = members;
    return Object.freeze({
      ...(skill !== undefined && { skill: readText(skill, "skill") }),
      ...(protocol !== undefined && { protocol: readText(protocol, "protocol") }),
      ...(cart !== undefined && { cart: readCart(cart) }),
      ...(agent !== undefined && { agent: readAgent(agent) }),
      ...(buyer !== undefined && { buyer: readBuyer(buyer) }),
      ...(time !== undefined && { time: readLocalTime(time) }),
      ...(spend !== undefined && { spend: readCounters(spend, "spend", readSpent) }),
      ...(count !== undefined && { count: readCounters(count, "count", readCounted) }),
    });
  });
}
