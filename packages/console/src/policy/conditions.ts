import { isJsonObject, type JsonObject, type JsonValue } from "@gatehouse/protocol";
import { CURRENCY_CHOICES } from "../ui/currency-field.js";
import { wordsIn } from "../ui/words.js";

/** The values of a condition in the form. */
type Filled = Readonly<Record<string, string>>;

interface Field {
  readonly name: string;
  readonly label: string;
  readonly choices?: Readonly<Record<string, string>>;
  readonly first: string;
  /** Whether the values are actions, which people choose by their titles. */
  readonly actions?: boolean;
}

/** A condition that the form can show, read from and written to the JSON of the rules. */
export interface Kind {
  readonly label: string;
  readonly fields: readonly Field[];
  write(filled: Filled): JsonObject;
  /** Undefined if the JSON is a different condition. */
  read(condition: JsonObject): Filled | undefined;
}

/** The member with this name, if the object has no other. */
function only(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (!isJsonObject(value)) return undefined;
  const names = Object.keys(value);
  return names.length === 1 && names[0] === name ? value[name] : undefined;
}

/** An amount in one currency. Conditions with several currencies are edited as JSON. */
function readMoney(value: JsonValue | undefined): Filled | undefined {
  if (!isJsonObject(value)) return undefined;
  const [[currency, amount] = [], ...more] = Object.entries(value);
  if (currency === undefined || typeof amount !== "string" || more.length > 0) return undefined;
  return { amount, currency };
}

const MONEY: readonly Field[] = [
  { name: "amount", label: "Amount", first: "50.00" },
  { name: "currency", label: "Currency", choices: CURRENCY_CHOICES, first: "EUR" },
];
const moneyOf = ({ amount = "", currency = "" }: Filled) => ({ [currency]: amount });

const joined = (value: JsonValue | undefined) =>
  Array.isArray(value) && value.every((word) => typeof word === "string")
    ? value.join(" ")
    : undefined;

const WINDOWS = {
  PT10M: "10 minutes",
  PT1H: "an hour",
  PT12H: "12 hours",
  P1D: "a day",
  P7D: "a week",
  P30D: "30 days",
};
const SCOPES = { agent: "each agent separately", site: "all agents together" };
const SPAN: readonly Field[] = [
  { name: "scope", label: "By", choices: SCOPES, first: "agent" },
  { name: "window", label: "Within", choices: WINDOWS, first: "P1D" },
];

function total(label: string, operator: string): Kind {
  return {
    label,
    fields: MONEY,
    write: (filled) => ({ "cart.total": { [operator]: moneyOf(filled) } }),
    read: (condition) => readMoney(only(only(condition, "cart.total"), operator)),
  };
}

function list(label: string, fact: string, operator: string, field: Field): Kind {
  return {
    label,
    fields: [field],
    write: (filled) => ({ [fact]: { [operator]: wordsIn(filled[field.name] ?? "") } }),
    read: (condition) => {
      const text = joined(only(only(condition, fact), operator));
      return text === undefined ? undefined : { [field.name]: text };
    },
  };
}

/** Whether a fact exists. */
function there(label: string, fact: string, expected: boolean): Kind {
  return {
    label,
    fields: [],
    write: () => ({ [fact]: { exists: expected } }),
    read: (condition) => (only(only(condition, fact), "exists") === expected ? {} : undefined),
  };
}

const spend: Kind = {
  label: "Total spending is more than",
  fields: [...MONEY, ...SPAN],
  write: ({ scope = "", window = "", ...money }) => ({
    spend: { scope, window, would_exceed: moneyOf(money) },
  }),
  read: (condition) => {
    const spending = only(condition, "spend");
    if (!isJsonObject(spending)) return undefined;
    const { scope, window, would_exceed } = spending;
    const money = readMoney(would_exceed);
    const known = typeof scope === "string" && typeof window === "string" && window in WINDOWS;
    return money !== undefined && known ? { ...money, scope, window } : undefined;
  },
};

const count: Kind = {
  label: "The number of requests is more than",
  fields: [{ name: "gt", label: "Requests", first: "20" }, ...SPAN],
  write: ({ gt = "", scope = "", window = "" }) => ({ count: { scope, window, gt: Number(gt) } }),
  read: (condition) => {
    const counter = only(condition, "count");
    if (!isJsonObject(counter)) return undefined;
    const { scope, window, gt } = counter;
    const known = typeof scope === "string" && typeof window === "string" && window in WINDOWS;
    return known && typeof gt === "number" ? { scope, window, gt: String(gt) } : undefined;
  },
};

const age: Kind = {
  label: "The agent registered less than this many days ago",
  fields: [{ name: "days", label: "Days", first: "7" }],
  write: ({ days = "" }) => ({ "agent.age_days": { lt: Number(days) } }),
  read: (condition) => {
    const days = only(only(condition, "agent.age_days"), "lt");
    return typeof days === "number" ? { days: String(days) } : undefined;
  },
};

const time: Kind = {
  label: "The time is between",
  fields: [
    { name: "start", label: "From (HH:MM)", first: "22:00" },
    { name: "end", label: "To (HH:MM)", first: "06:00" },
  ],
  write: ({ start = "", end = "" }) => ({ "time.local": { between: [start, end] } }),
  read: (condition) => {
    const ends = only(only(condition, "time.local"), "between");
    const [start, end] = Array.isArray(ends) && ends.length === 2 ? ends : [];
    return typeof start === "string" && typeof end === "string" ? { start, end } : undefined;
  },
};

const presence = (label: string, present: boolean): Kind => ({
  label,
  fields: [],
  write: () => ({ "buyer.present": { eq: present } }),
  read: (condition) => (only(only(condition, "buyer.present"), "eq") === present ? {} : undefined),
});

const TAGS: Field = { name: "tags", label: "Tags", first: "trusted" };
const SKILLS: Field = { name: "skills", label: "Actions", first: "place_order", actions: true };
const CURRENCIES: Field = { name: "currencies", label: "Currencies", first: "EUR" };

/** Every condition that the form can show. */
export const KINDS: Readonly<Record<string, Kind>> = {
  everything: there("Always", "skill", true),
  total_up_to: total("The total is at most", "lte"),
  total_over: total("The total is more than", "gt"),
  cart: there("The request is a purchase", "cart.total", true),
  no_cart: there("The request is not a purchase", "cart.total", false),
  spend,
  count,
  tags: list("The agent has one of the tags", "agent.tags", "any_of", TAGS),
  age,
  skills: list("The action is one of", "skill", "in", SKILLS),
  currencies: list("The currency is one of", "cart.currency", "in", CURRENCIES),
  other_currencies: list("The currency is not one of", "cart.currency", "not_in", CURRENCIES),
  time,
  present: presence("The buyer pays on the payment page", true),
  not_present: presence("An agent or platform pays", false),
};

/** One condition of the form. */
export interface Condition {
  readonly kind: string;
  readonly filled: Filled;
}

export function firstOf(kind: string): Condition {
  const fields = KINDS[kind]?.fields ?? [];
  return { kind, filled: Object.fromEntries(fields.map(({ name, first }) => [name, first])) };
}

/** The conditions of a rule, all of which must be true. Undefined if the form cannot show them. */
export function readConditions(when: JsonValue | undefined): readonly Condition[] | undefined {
  const all = only(when, "all");
  const parts = Array.isArray(all) ? all : [when];
  const read = parts.map((part) => {
    if (!isJsonObject(part)) return undefined;
    for (const [kind, { read: readKind }] of Object.entries(KINDS)) {
      const filled = readKind(part);
      if (filled !== undefined) return { kind, filled };
    }
    return undefined;
  });
  return read.every((one) => one !== undefined) ? read : undefined;
}

export function writeConditions(conditions: readonly Condition[]): JsonObject {
  const written = conditions.map(({ kind, filled }) => KINDS[kind]?.write(filled) ?? {});
  const [first = { skill: { exists: true } }, ...more] = written;
  return more.length === 0 ? first : { all: written };
}
