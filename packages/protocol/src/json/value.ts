/** What objects of the strict parser inherit from: nothing at all. */
export const NOTHING: object = Object.freeze(Object.create(null));

/** A JSON value as the strict parser returns it: frozen, objects that inherit nothing. */
export type JsonValue = string | number | boolean | null | JsonArray | JsonObject;

/** An array of the strict parser. */
export type JsonArray = readonly JsonValue[];

/** An object of the strict parser. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/**
 * Whether a JSON value is an object (not an array, not null).
 *
 * @example
 * isJsonObject({}); //=> true
 * isJsonObject([]); //=> false
 */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
