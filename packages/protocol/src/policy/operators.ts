import { isJsonObject, type JsonValue } from "../json/value.js";
import { type Money, parseAmount } from "../money/amount.js";
import { minorUnitDigits } from "../money/iso4217.js";
import { POLICY_WINDOWS } from "./duration.js";
import {
  fail,
  readChoice,
  readList,
  readMembers,
  readSingle,
  readText,
  readTimeOfDay,
  readWhole,
  shown,
} from "./members.js";
import { type Condition, type ExistsFact, SCOPES, type TextFact } from "./model.js";

const COMPARISONS = ["gt", "gte", "lt", "lte"] as const;

/** Reads what stands under the name of a fact. */
type FactReader = (value: JsonValue, place: string) => Condition;

/** Reads `{operator: operand}` and says where the operand stands. */
function readOperator<T extends string>(value: JsonValue, place: string, known: readonly T[]) {
  const [name, operand] = readSingle(value, place);
  const operator = known.find((candidate) => candidate === name);
  if (operator === undefined) {
    fail(place, `${shown(name)} is not an operator here; use one of ${known.join(", ")}`);
  }
  return { operator, operand, at: `${place}.${operator}` };
}

function exists(fact: ExistsFact, operand: JsonValue, at: string): Condition {
  if (typeof operand !== "boolean") fail(at, "must be true or false");
  return Object.freeze({ kind: "exists", fact, expected: operand });
}

/** A misspelt code would make a deny rule that never matches. */
function currency(value: JsonValue | undefined, at: string): string {
  const code = readText(value, at);
  if (minorUnitDigits(code) === undefined) fail(at, "must be an active ISO 4217 code");
  return code;
}

function texts(value: JsonValue, at: string, item = readText): readonly string[] {
  return Object.freeze(readList(value, at).map((entry, i) => item(entry, `${at}[${i}]`)));
}

function textReader(fact: TextFact): FactReader {
  return (value, place) => {
    const known = ["eq", "in", "not_in", "prefix", "exists"] as const;
    const { operator, operand, at } = readOperator(value, place, known);
    if (operator === "exists") return exists(fact, operand, at);
    const item = fact === "cart.currency" && operator !== "prefix" ? currency : readText;
    const many = operator === "in" || operator === "not_in";
    const values = many ? texts(operand, at, item) : Object.freeze([item(operand, at)]);
    return Object.freeze({ kind: "text", fact, operator, values });
  };
}

function readTags(value: JsonValue, place: string): Condition {
  const { operator, operand, at } = readOperator(value, place, ["any_of", "exists"]);
  if (operator === "exists") return exists("agent.tags", operand, at);
  return Object.freeze({ kind: "tags", values: texts(operand, at) });
}

function readPresent(value: JsonValue, place: string): Condition {
  const { operand, at } = readOperator(value, place, ["eq"]);
  if (typeof operand !== "boolean") fail(at, "must be true or false");
  return Object.freeze({ kind: "present", expected: operand });
}

function readAge(value: JsonValue, place: string): Condition {
  const { operator, operand, at } = readOperator(value, place, ["eq", ...COMPARISONS]);
  return Object.freeze({ kind: "age", operator, days: readWhole(operand, at, 0) });
}

function readMoneyMap(value: JsonValue | undefined, place: string): readonly Money[] {
  if (!isJsonObject(value)) {
    fail(place, 'must be amounts by currency, such as {"EUR": "250.00"}');
  }
  const limits = Object.entries(value).map(([code, amount]) => {
    if (minorUnitDigits(code) === undefined) {
      fail(place, `${shown(code)} is not an active ISO 4217 code`);
    }
    const at = `${place}.${code}`;
    const money = parseAmount(readText(amount, at), code);
    return money.ok ? money.value : fail(at, money.detail);
  });
  if (limits.length === 0) fail(place, "must name at least one currency");
  return Object.freeze(limits);
}

function readTotal(value: JsonValue, place: string): Condition {
  const { operator, operand, at } = readOperator(value, place, [...COMPARISONS, "exists"]);
  if (operator === "exists") return exists("cart.total", operand, at);
  return Object.freeze({ kind: "total", operator, limits: readMoneyMap(operand, at) });
}

function readTime(value: JsonValue, place: string): Condition {
  const { operand, at } = readOperator(value, place, ["between"]);
  const ends = Array.isArray(operand) ? operand : [];
  if (ends.length !== 2) fail(at, 'must be a list of a start and an end, as in ["22:00", "06:00"]');
  const [start = "", end = ""] = ends.map((item, i) => readTimeOfDay(item, `${at}[${i}]`));
  // Some would read it as the whole day, some as no time at all.
  if (start === end) fail(at, "must not start and end at the same time");
  return Object.freeze({ kind: "time", start, end });
}

function readWindow(value: JsonValue, place: string, limit: string) {
  const members = readMembers(value, place, ["scope", "window", limit]);
  const scope = readChoice(members.scope, `${place}.scope`, SCOPES);
  const window = readChoice(members.window, `${place}.window`, POLICY_WINDOWS);
  return { scope, window, limit: members[limit], at: `${place}.${limit}` };
}

function readSpend(value: JsonValue, place: string): Condition {
  const { scope, window, limit, at } = readWindow(value, place, "would_exceed");
  return Object.freeze({ kind: "spend", scope, window, limits: readMoneyMap(limit, at) });
}

function readCount(value: JsonValue, place: string): Condition {
  const { scope, window, limit, at } = readWindow(value, place, "gt");
  return Object.freeze({ kind: "count", scope, window, gt: readWhole(limit, at, 0) });
}

/**
 * Every fact, with the reader of what stands under its name. A map, not an object: facts named like
 * members of every object must stay unknown.
 */
export const FACT_READERS: ReadonlyMap<string, FactReader> = new Map([
  ["skill", textReader("skill")],
  ["protocol", textReader("protocol")],
  ["cart.total", readTotal],
  ["cart.currency", textReader("cart.currency")],
  ["agent.id", textReader("agent.id")],
  ["agent.tags", readTags],
  ["agent.age_days", readAge],
  ["buyer.present", readPresent],
  ["time.local", readTime],
  ["spend", readSpend],
  ["count", readCount],
]);
