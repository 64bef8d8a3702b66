import { isJsonObject, type JsonObject, type JsonValue } from "@gatehouse/protocol";
import { invalid } from "./errors.js";

export const TEXT_CHARS_MAX = 200;
const BUYER = ["first_name", "last_name", "email", "phone_number"];
const CONTEXT = ["address_country", "address_region", "postal_code", "language", "currency"];

/** A whole number of at least `min`; null if it is absent. */
export function numberIn(value: JsonValue | undefined, name: string, min: number): number | null {
  if (value === undefined) return null;
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < min) {
    throw invalid(`\`${name}\` must be an integer of at least ${min}.`);
  }
  return value;
}

export function objectIn(value: JsonValue | undefined, name: string): JsonObject {
  if (value === undefined) return {};
  if (!isJsonObject(value)) throw invalid(`\`${name}\` must be an object.`);
  return value;
}

export function textIn(
  value: JsonValue | undefined,
  name: string,
  charsMax: number,
): string | null {
  if (value === undefined) return null;
  if (typeof value !== "string" || value.length > charsMax) {
    throw invalid(`\`${name}\` must be a string of at most ${charsMax} characters.`);
  }
  return value;
}

export function listIn(value: JsonValue | undefined, name: string, max: number) {
  const list = Array.isArray(value) ? (value as readonly JsonValue[]) : [];
  if (list.length === 0 || list.length > max) {
    throw invalid(`\`${name}\` must be a list of 1 to ${max} entries.`);
  }
  return list;
}

/** The known members of an object, which must be texts. Others are ignored, as UCP requires. */
export function textsIn(
  value: JsonValue | undefined,
  name: string,
  known: readonly string[],
  charsMax: number,
): JsonObject {
  const object = objectIn(value, name);
  const texts: Record<string, string> = {};
  for (const member of known) {
    const text = textIn(object[member], `${name}.${member}`, charsMax);
    if (text !== null) texts[member] = text;
  }
  return texts;
}

/** The buyer of a request, and where they are. */
export function buyerIn({ buyer, context }: JsonObject) {
  return {
    buyer: textsIn(buyer, "buyer", BUYER, TEXT_CHARS_MAX),
    context: textsIn(context, "context", CONTEXT, TEXT_CHARS_MAX),
  };
}
