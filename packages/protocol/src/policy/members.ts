import { isJsonObject, type JsonArray, type JsonObject, type JsonValue } from "../json/value.js";
import { ok, type Result, refuse } from "../result.js";

type Read = JsonValue | undefined;

/** Thrown by the readers of this folder and caught by `attempt`; no caller outside sees it. */
class Unreadable extends Error {}

/** Ends the reading. `place` says where the fault stands, such as `rules[3].when.cart.total`. */
export function fail(place: string, words: string): never {
  throw new Unreadable(`${place}: ${words}`);
}

/** Runs a reader; the first fault it meets becomes the refusal. */
export function attempt<T, R extends string>(reason: R, read: () => T): Result<T, R> {
  try {
    return ok(read());
  } catch (error) {
    if (error instanceof Unreadable) return refuse(reason, error.message);
    throw error;
  }
}

/** Refusals end in logs and terminals, so only short, plain names are repeated in them. */
export function shown(name: string): string {
  return /^[\w.-]{1,40}$/.test(name) ? `"${name}"` : "a long or unusual name";
}

/** An object with every required member and none that is not named here. */
export function readMembers(
  value: Read,
  place: string,
  required: readonly string[],
  optional: readonly string[] = [],
): JsonObject {
  if (!isJsonObject(value)) fail(place, "must be an object");
  const known = [...required, ...optional];
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    fail(place, `${shown(unknown)} is not known here; use one of ${known.join(", ")}`);
  }
  const missing = required.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) fail(place, `"${missing}" is missing`);
  return value;
}

/** The one member of an object that must have exactly one. */
export function readSingle(value: Read, place: string): readonly [name: string, member: JsonValue] {
  const [first, second] = isJsonObject(value) ? Object.entries(value) : [];
  if (first === undefined || second !== undefined) {
    fail(place, "must be an object with exactly one member");
  }
  return first;
}

/** A list with something in it. */
export function readList(value: Read, place: string): JsonArray {
  if (!Array.isArray(value) || value.length === 0)
    fail(place, "must be a list with at least one entry");
  return value;
}

/** A text with something in it. */
export function readText(value: Read, place: string): string {
  if (typeof value !== "string" || value === "") fail(place, "must be a string that is not empty");
  return value;
}

/** A text of a given form; `words` say which. */
export function readPattern(value: Read, place: string, form: RegExp, words: string): string {
  if (typeof value !== "string" || !form.test(value)) fail(place, `must be ${words}`);
  return value;
}

/** One of a few texts. */
export function readChoice<T extends string>(value: Read, place: string, choices: readonly T[]): T {
  const chosen = choices.find((choice) => choice === value);
  return chosen ?? fail(place, `must be one of ${choices.join(", ")}`);
}

/** A whole number that every JSON library reads alike. */
export function readWhole(
  value: Read,
  place: string,
  min: number,
  max: number = Number.MAX_SAFE_INTEGER,
): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < min || value > max) {
    fail(place, `must be a whole number from ${min} to ${max}`);
  }
  return value;
}

/** A time such as `23:05`. */
export function readTimeOfDay(value: Read, place: string): string {
  const form = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
  return readPattern(value, place, form, "a time of day from 00:00 to 23:59");
}
