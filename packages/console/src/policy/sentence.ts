import { formatAmount, type JsonObject, parseAmount } from "@gatehouse/protocol";
import { type Condition, readConditions, writeConditions } from "./conditions.js";
import { rulesOf } from "./policy.js";

/** The rules of the common case, as one sentence: amounts as they were typed, in one currency. */
export interface Sentence {
  readonly currency: string;
  /** Up to here orders are approved. */
  readonly limit: string;
  /** Above it they are declined. Empty: never. */
  readonly ceiling: string;
  /** One agent can spend so much in a day without a review. Null: there is no such rule. */
  readonly day: string | null;
  /** Whether people can pay on the payment page without a review. */
  readonly opensPage: boolean;
}

/** The rules that the sentence is made of. */
type Part = "free" | "small" | "large" | "day" | "page" | "ceiling";

/** The conditions of each part. Those with a question mark can be absent. */
const SHAPES: Readonly<Record<Part, readonly [effect: string, ...kinds: string[]]>> = {
  free: ["allow", "no_cart"],
  small: ["allow", "total_up_to"],
  large: ["escalate", "cart", "not_present?", "total_over"],
  day: ["escalate", "cart", "not_present?", "spend"],
  page: ["allow", "cart", "present"],
  ceiling: ["deny", "cart", "not_present?", "currencies", "total_over"],
};

type Parts = Partial<Record<Part, readonly Condition[]>>;

function partOf(rule: JsonObject, conditions: readonly Condition[]): Part | undefined {
  if (rule.mode !== undefined) return undefined;
  const kinds = conditions.map(({ kind }) => kind).sort();
  const parts = Object.keys(SHAPES) as Part[];
  return parts.find((part) => {
    const [effect, ...wanted] = SHAPES[part];
    if (rule.effect !== effect) return false;
    const most = wanted.map((kind) => kind.replace("?", "")).sort();
    const least = wanted.filter((kind) => !kind.endsWith("?")).sort();
    return [most, least].some((one) => one.join() === kinds.join());
  });
}

/** The parts of the rules. Undefined if there is anything else among them. */
function partsOf(policy: JsonObject): Parts | undefined {
  const parts: Parts = {};
  for (const rule of rulesOf(policy)) {
    const conditions = readConditions(rule.when);
    const part = conditions && partOf(rule, conditions);
    if (conditions === undefined || part === undefined || parts[part] !== undefined) {
      return undefined;
    }
    parts[part] = conditions;
  }
  return parts;
}

const filledOf = (conditions: readonly Condition[] | undefined, kind: string) =>
  conditions?.find((one) => one.kind === kind)?.filled;
const hasKind = (conditions: readonly Condition[] | undefined, kind: string) =>
  filledOf(conditions, kind) !== undefined;

/** The rules as a sentence. Undefined if they do not have its form. */
export function readSentence(policy: JsonObject): Sentence | undefined {
  const parts = partsOf(policy);
  const [limit, over] = [
    filledOf(parts?.small, "total_up_to"),
    filledOf(parts?.large, "total_over"),
  ];
  if (parts === undefined || limit === undefined || over === undefined) return undefined;
  const { currency = "", amount = "" } = limit;
  if (over.amount !== amount || over.currency !== currency) return undefined;
  const [day, ceiling] = [filledOf(parts.day, "spend"), filledOf(parts.ceiling, "total_over")];
  const others = [day?.currency, ceiling?.currency];
  others.push(filledOf(parts.ceiling, "currencies")?.currencies);
  if (others.some((other) => other !== undefined && other !== currency)) return undefined;
  if (day !== undefined && (day.scope !== "agent" || day.window !== "P1D")) return undefined;
  const strict = [parts.large, parts.day, parts.ceiling].filter((part) => part !== undefined);
  const opensPage = parts.page !== undefined;
  if (strict.some((part) => hasKind(part, "not_present") !== opensPage)) return undefined;
  return {
    currency,
    limit: amount,
    ceiling: ceiling?.amount ?? "",
    day: day === undefined ? null : (day.amount ?? ""),
    opensPage,
  };
}

const CEILING_ID = "decline-above";

function ceilingRule({ currency, ceiling: amount, opensPage }: Sentence): JsonObject {
  const conditions: readonly Condition[] = [
    { kind: "cart", filled: {} },
    ...(opensPage ? [{ kind: "not_present", filled: {} }] : []),
    // Without it, orders in other currencies would be declined too: their amount is not known.
    { kind: "currencies", filled: { currencies: currency } },
    { kind: "total_over", filled: { amount, currency } },
  ];
  const read = parseAmount(amount, currency);
  const title = `Over ${read.ok ? formatAmount(read.value) : amount} ${currency}`;
  return { id: CEILING_ID, title, effect: "deny", when: writeConditions(conditions) };
}

/** The rules with the amounts of a sentence. All other parts of them stay. */
export function writeSentence(policy: JsonObject, sentence: Sentence): JsonObject {
  const amounts: Partial<Record<Part, string>> = {
    small: sentence.limit,
    large: sentence.limit,
    ...(sentence.day !== null && { day: sentence.day }),
    ceiling: sentence.ceiling,
  };
  const rules = rulesOf(policy).flatMap((rule) => {
    const conditions = readConditions(rule.when);
    const part = conditions && partOf(rule, conditions);
    const amount = part && amounts[part];
    if (conditions === undefined || amount === undefined) return [rule];
    if (part === "ceiling" && amount === "") return [];
    const changed = conditions.map(({ kind, filled }) =>
      filled.amount === undefined ? { kind, filled } : { kind, filled: { ...filled, amount } },
    );
    return [{ ...rule, when: writeConditions(changed) }];
  });
  const isNew = sentence.ceiling !== "" && partsOf(policy)?.ceiling === undefined;
  return { ...policy, rules: isNew ? [...rules, ceilingRule(sentence)] : rules };
}

/** What is wrong with the amounts of a sentence, by field. */
export function sentenceProblems({
  currency,
  limit,
  ceiling,
  day,
}: Sentence): Partial<Record<"limit" | "ceiling" | "day", string>> {
  const minorOf = (text: string) => {
    const read = parseAmount(text, currency);
    return read.ok ? read.value.minor : undefined;
  };
  const enter = "Enter an amount such as 50 or 50.00.";
  const least = minorOf(limit);
  const most = minorOf(ceiling);
  const isLow = least !== undefined && most !== undefined && most <= least;
  return {
    ...(least === undefined && { limit: enter }),
    ...(ceiling !== "" && most === undefined && { ceiling: enter }),
    ...(isLow && { ceiling: `Enter more than ${limit} ${currency}.` }),
    ...(day !== null && minorOf(day) === undefined && { day: enter }),
  };
}
