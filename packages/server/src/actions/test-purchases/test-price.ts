import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Money,
  parseAmount,
} from "@gatehouse/protocol";

/** The price where the rules name no limit. */
const USUAL: Money = { minor: 1000, currency: "EUR" };

/** The first limit for a total in the rules: its currency and its amount. */
function limitIn(value: JsonValue | undefined): readonly [string, string] | undefined {
  if (Array.isArray(value)) {
    for (const one of value) {
      const limit = limitIn(one);
      if (limit !== undefined) return limit;
    }
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const total = value["cart.total"];
  const limits = isJsonObject(total) ? (total.gt ?? total.lte) : undefined;
  const [first] = isJsonObject(limits) ? Object.entries(limits) : [];
  if (first !== undefined && typeof first[1] === "string") return [first[0], first[1]];
  return limitIn(Object.values(value));
}

/** The price of a test item: twice the limit of the rules, so that rules which review large purchases apply. */
export function testPrice(policy: JsonObject): Money {
  const [currency, limit] = limitIn(policy) ?? [];
  if (currency === undefined || limit === undefined) return USUAL;
  const read = parseAmount(limit, currency);
  if (!read.ok || read.value.minor === 0) return USUAL;
  return { currency, minor: read.value.minor * 2 };
}
