import { isJsonObject } from "./value.js";

/**
 * A text of its own. Engines cut texts out of longer ones without copying them: one that is kept
 * would keep the whole text it was parsed from.
 */
export function ownText(text: string): string {
  return ` ${text}`.slice(1);
}

/** The same, made of texts of their own all through. */
export function ownValue<T>(value: T): T;
export function ownValue(value: unknown): unknown {
  if (typeof value === "string") return ownText(value);
  if (Array.isArray(value)) return value.map((one) => ownValue(one));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [ownText(name), ownValue(member)]);
  return Object.fromEntries(members);
}
