import { utf8 } from "../bytes.js";
import { NOTHING } from "./value.js";

const LONE_SURROGATE = /[\uD800-\uDFFF]/u;
/** Printable ASCII without quote and backslash needs no escape; most strings are of this kind. */
const PLAIN = /^[ !#-[\]-~]*$/;

function writeString(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  if (LONE_SURROGATE.test(text)) throw new TypeError("JCS: a string holds a lone surrogate");
  return JSON.stringify(text);
}

/** Names written before, with their quotes and colon: objects of a kind share them. */
const writtenNames = new Map<string, string>();
const WRITTEN_NAMES_MAX = 2000;
/** Longer names are written each time, so that what strangers send does not stay. */
const WRITTEN_NAME_CHARS_MAX = 40;

function writeName(name: string): string {
  const known = writtenNames.get(name);
  if (known !== undefined) return known;
  const written = `${writeString(name)}:`;
  if (name.length <= WRITTEN_NAME_CHARS_MAX && writtenNames.size < WRITTEN_NAMES_MAX) {
    writtenNames.set(name, written);
  }
  return written;
}

/** Most objects are written down in order, and sorting them again would cost more than looking. */
function isSorted(keys: readonly string[]): boolean {
  for (let i = 1; i < keys.length; i++) {
    if ((keys[i - 1] as string) > (keys[i] as string)) return false;
  }
  return true;
}

function writeObject(value: Record<string, unknown>): string {
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== NOTHING && prototype !== null) {
    throw new TypeError("JCS: only plain objects can be canonicalized");
  }
  // RFC 8785 section 3.2.3 sorts by UTF-16 code units, which is what sort() does.
  const keys = Object.keys(value);
  if (!isSorted(keys)) keys.sort();
  let text = "{";
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string;
    text += (i === 0 ? "" : ",") + writeName(key) + write(value[key]);
  }
  return `${text}}`;
}

function writeArray(value: readonly unknown[]): string {
  let text = "[";
  for (let i = 0; i < value.length; i++) text += (i === 0 ? "" : ",") + write(value[i]);
  return `${text}]`;
}

function write(value: unknown): string {
  switch (typeof value) {
    case "string":
      return writeString(value);
    case "number":
      if (!Number.isFinite(value)) throw new TypeError("JCS: a number is not finite");
      return String(value);
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      if (Array.isArray(value)) return writeArray(value);
      return writeObject(value as Record<string, unknown>);
    default:
      throw new TypeError(`JCS: a value of type ${typeof value} has no JSON form`);
  }
}

/**
 * RFC 8785 (JCS) text of a JSON value. What has no JSON form (undefined, functions, NaN, class
 * instances, lone surrogates) throws a TypeError instead of being dropped or guessed at.
 *
 * @example
 * canonicalize({ b: [1, 1e21], a: "é" }); //=> '{"a":"é","b":[1,1e+21]}'
 */
export function canonicalize(value: unknown): string {
  return write(value);
}

/**
 * UTF-8 bytes of the JCS text: what is hashed and signed.
 *
 * @example
 * canonicalBytes({ a: 1 }).length; //=> 7
 */
export function canonicalBytes(value: unknown): Uint8Array<ArrayBuffer> {
  return utf8(write(value));
}
