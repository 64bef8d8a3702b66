import { currencyCodes } from "../money/iso4217.js";
import type { PolicyFacts } from "./facts.js";
import { type RuleResult, resultOf } from "./match.js";
import type { Condition, Policy } from "./model.js";
import { leaves } from "./needs.js";

/** The currency of a cart, or null where there is no cart: all other facts Gatehouse always knows. */
export type Cart = string | null;

type Value = string | number;

/** No policy names it, so it stands for everything that no policy names. */
const OTHER = "\u0000other";

/** The fact a condition compares, if it can take more than one value in a world. */
export function variableOf(leaf: Condition): string | undefined {
  if (leaf.kind === "text") return leaf.fact === "cart.currency" ? undefined : leaf.fact;
  if (leaf.kind === "spend" || leaf.kind === "count") {
    return `${leaf.kind} ${leaf.scope} ${leaf.window}`;
  }
  return leaf.kind === "exists" ? undefined : leaf.kind;
}

/**
 * The values at which a condition can change its mind, and one beside each. Every other value of the
 * fact is treated like one of them.
 */
function turningPoints(leaf: Condition, cart: Cart): readonly Value[] {
  const limitOf = (limits: readonly { readonly currency: string; readonly minor: number }[]) =>
    limits.filter(({ currency }) => currency === cart).map(({ minor }) => minor);
  switch (leaf.kind) {
    case "text":
      return leaf.operator === "prefix"
        ? leaf.values.flatMap((value) => [value, value + OTHER])
        : leaf.values;
    case "tags":
      return leaf.values;
    case "present":
      return ["true"];
    case "age":
      return [leaf.days - 1, leaf.days, leaf.days + 1];
    case "time":
      return [leaf.start, leaf.end];
    case "total":
      return limitOf(leaf.limits).flatMap((minor) => [minor - 1, minor, minor + 1]);
    case "spend":
      return limitOf(leaf.limits).flatMap((minor) => [minor, minor + 1]);
    case "count":
      return [leaf.gt - 1, leaf.gt];
    default:
      return [];
  }
}

/** Values a fact has whatever a policy says about it. */
function everydayValues(variable: string): readonly Value[] {
  if (variable === "time") return ["00:00"];
  if (variable === "tags") return [];
  if (variable === "present") return ["false"];
  if (variable === "age" || variable === "total") return [0];
  if (variable.startsWith("count ")) return [0];
  return variable.startsWith("spend ") ? [0, Number.MAX_SAFE_INTEGER] : [OTHER];
}

/** Facts in which one fact has a value; what was spent includes the cart of the moment. */
function factsWith(leaf: Condition, value: Value, currency: Cart): PolicyFacts {
  const cart = currency === null ? {} : { cart: { total: 0, currency } };
  const [text, number] = [String(value), Number(value)];
  switch (leaf.kind) {
    case "text":
      if (leaf.fact === "agent.id") return { agent: { id: text } };
      return leaf.fact === "cart.currency" ? cart : { [leaf.fact]: text };
    case "present":
      return { buyer: { present: text === "true" } };
    case "age":
      return { agent: { id: OTHER, age_days: number } };
    case "time":
      return { time: { local: text } };
    case "total":
      return currency === null ? {} : { cart: { total: number, currency } };
    case "spend": {
      const { scope, window } = leaf;
      const spent = { scope, window, currency: currency ?? "", minor: number };
      return { ...cart, spend: [spent] };
    }
    case "count":
      return { count: [{ scope: leaf.scope, window: leaf.window, value: number }] };
    default:
      return { skill: OTHER, protocol: OTHER, agent: { id: OTHER, tags: [] }, ...cart };
  }
}

type Results = Map<Condition, RuleResult | bigint>;
type Values = ReadonlyMap<string, readonly Value[]>;

/** Whether the values of a condition depend on the currency of the cart. */
const isAboutCart = ({ kind }: Condition): boolean => kind === "total" || kind === "spend";

/** The values of every fact that the conditions compare, in order. */
function valuesIn(conditions: readonly Condition[], cart: Cart): Values {
  const values = new Map<string, Set<Value>>();
  for (const leaf of conditions) {
    const variable = variableOf(leaf);
    if (variable === undefined) continue;
    const known = values.get(variable) ?? new Set(everydayValues(variable));
    for (const value of turningPoints(leaf, cart)) {
      if (typeof value === "string" || value >= 0) known.add(value);
    }
    values.set(variable, known);
  }
  const inOrder = (set: ReadonlySet<Value>) => [...set].sort((a, b) => (a < b ? -1 : 1));
  return new Map([...values].map(([variable, set]) => [variable, inOrder(set)]));
}

/** What a policy can tell apart in one world: with a cart of one currency, or without a cart. */
export class World {
  readonly cart: Cart;
  private readonly values: Values;
  private readonly own: Results = new Map();
  private readonly shared: Results;

  /** `shared` keeps what is the same in all worlds of a policy: it is found once. */
  constructor(cart: Cart, values: Values, shared: Results) {
    this.cart = cart;
    this.values = values;
    this.shared = shared;
  }

  /** The values of a fact, in order. */
  valuesOf(variable: string): readonly Value[] {
    return this.values.get(variable) ?? [];
  }

  /** Every value of a fact, one bit for each. */
  allOf(variable: string): bigint {
    return (1n << BigInt(this.valuesOf(variable).length)) - 1n;
  }

  /** What becomes of a condition here; where its fact decides, the values that match it. */
  resultOf(leaf: Condition): RuleResult | bigint {
    const results = isAboutCart(leaf) || variableOf(leaf) === undefined ? this.own : this.shared;
    const known = results.get(leaf);
    if (known !== undefined) return known;
    const result = this.find(leaf);
    results.set(leaf, result);
    return result;
  }

  private find(leaf: Condition): RuleResult | bigint {
    const variable = variableOf(leaf);
    if (variable === undefined) return resultOf(leaf, factsWith(leaf, OTHER, this.cart));
    let matching = 0n;
    for (const [i, value] of this.valuesOf(variable).entries()) {
      if (leaf.kind === "tags") {
        if (leaf.values.includes(String(value))) matching |= 1n << BigInt(i);
        continue;
      }
      const result = resultOf(leaf, factsWith(leaf, value, this.cart));
      // The cart or its currency is missing: that is so for every value.
      if (result === "unknown") return result;
      if (result === "matched") matching |= 1n << BigInt(i);
    }
    return matching;
  }
}

/** Every currency a policy tells apart from the others, one for all that it does not, and those asked for. */
function cartsOf(conditions: readonly Condition[], currencies: readonly string[]): Cart[] {
  const named = new Set(currencies);
  const relevant = conditions.filter((leaf) => {
    if (leaf.kind === "total" || leaf.kind === "spend") {
      for (const { currency } of leaf.limits) named.add(currency);
    }
    return leaf.kind === "text" && leaf.fact === "cart.currency";
  });
  const alike = new Map<string, string>();
  for (const code of currencyCodes()) {
    const view = relevant.map((leaf) => resultOf(leaf, factsWith(leaf, OTHER, code))).join();
    const key = named.has(code) ? code : view;
    if (!alike.has(key)) alike.set(key, code);
  }
  return [null, ...alike.values()];
}

/** All worlds of a policy; `more` conditions and `currencies` will be asked about besides its own. */
export function worldsOf(
  policy: Policy,
  more: readonly Condition[] = [],
  currencies: readonly string[] = [],
): readonly World[] {
  const conditions = [...policy.rules.flatMap(({ when }) => [...leaves(when)]), ...more];
  const shared: Results = new Map();
  // A policy may name thousands of agents and all currencies: what no currency changes is gathered once.
  const everywhere = valuesIn(
    conditions.filter((leaf) => !isAboutCart(leaf)),
    null,
  );
  const aboutCart = conditions.filter(isAboutCart);
  return cartsOf(conditions, currencies).map(
    (cart) => new World(cart, new Map([...everywhere, ...valuesIn(aboutCart, cart)]), shared),
  );
}
