import {
  formatAmount,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Money,
  parseAmount,
} from "@gatehouse/protocol";
import { rulesOf } from "./policy.js";

/** The operators that compare money. */
const MONEY_OPERATORS = ["gt", "gte", "lt", "lte", "would_exceed"];

/** The amounts of a condition, in order. Undefined while one of them is not complete. */
function amountsIn(condition: JsonValue | undefined): readonly Money[] | undefined {
  if (Array.isArray(condition)) return inAll(condition.map((one) => amountsIn(one)));
  if (!isJsonObject(condition)) return [];
  const parts = Object.entries(condition).map(([name, value]) => {
    if (!MONEY_OPERATORS.includes(name) || !isJsonObject(value)) return amountsIn(value);
    const read = Object.entries(value).map(([currency, amount]) =>
      parseAmount(typeof amount === "string" ? amount : "", currency),
    );
    return inAll(read.map((amount) => (amount.ok ? [amount.value] : undefined)));
  });
  return inAll(parts);
}

function inAll(parts: readonly (readonly Money[] | undefined)[]): readonly Money[] | undefined {
  const complete = parts.filter((part) => part !== undefined);
  return complete.length === parts.length ? complete.flat() : undefined;
}

const NUMBERS = /\d+(?:[.,]\d+)?/g;
const AMOUNTS = /(\p{Sc}\s?)?(\d+(?:[.,]\d+)?)(\s?[A-Z]{3}\b)?/gu;

/** A title in which each amount of a rule is replaced by the new one. */
function retitled(title: string, before: readonly Money[], after: readonly Money[]): string {
  if (before.length !== after.length) return title;
  const isOnly = title.match(NUMBERS)?.length === 1;
  return title.replace(AMOUNTS, (match, sign = "", number: string, code = "") => {
    const place = before.findIndex(({ minor, currency }) => {
      const read = parseAmount(number.replace(",", "."), currency);
      return read.ok && read.value.minor === minor && (code === "" || code.trim() === currency);
    });
    const [from, to] = [before[place], after[place]];
    // A bare number may be a number of days.
    const isMoney = sign !== "" || code !== "" || /[.,]/.test(number) || isOnly;
    if (from === undefined || to === undefined || !isMoney) return match;
    const exact = formatAmount(to);
    const text = /[.,]/.test(number) ? exact : exact.replace(/\.0+$/, "");
    return `${sign}${text}${code.replace(from.currency, to.currency)}`;
  });
}

/**
 * Changes the titles that name amounts together with the amounts. It remembers the last complete amounts of
 * each rule, because an amount is not complete while somebody types it.
 */
export class Titles {
  private readonly named = new Map<JsonValue | undefined, readonly Money[]>();

  follow(before: JsonObject, after: JsonObject): JsonObject {
    const old = new Map(rulesOf(before).map((rule) => [rule.id, rule]));
    for (const [id, { when }] of old) {
      const amounts = amountsIn(when);
      if (amounts !== undefined) this.named.set(id, amounts);
    }
    const rules = rulesOf(after).map((rule) => {
      const [amounts, named] = [amountsIn(rule.when), this.named.get(rule.id)];
      const { title } = rule;
      const isKept = typeof title === "string" && title === old.get(rule.id)?.title;
      if (!isKept || amounts === undefined || named === undefined) return rule;
      return { ...rule, title: retitled(title, named, amounts) };
    });
    return { ...after, rules };
  }
}
