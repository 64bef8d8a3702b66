import { type Refusal, type Result, refuse } from "../result.js";
import { type JsonValue, NOTHING } from "./value.js";

/** Deepest nesting accepted unless a caller says less. */
export const JSON_DEPTH_MAX = 16;

/** Why a text is not strict JSON. */
export type JsonFault =
  | "syntax"
  | "invalid_utf8"
  | "duplicate_key"
  | "forbidden_key"
  | "lone_surrogate"
  | "unsafe_number"
  | "too_deep"
  | "too_many_values"
  | "trailing_data";

/** Thrown and caught inside this file only. */
class JsonFaultError extends Error {
  readonly fault: JsonFault;
  readonly offset: number;
  constructor(fault: JsonFault, offset: number) {
    super(fault);
    this.fault = fault;
    this.offset = offset;
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const LONE_SURROGATE = /[\uD800-\uDFFF]/u;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
/** What may follow a backslash, besides `u`. */
const ESCAPED = new Set(Array.from('"\\/bfnrt', (letter) => letter.charCodeAt(0)));

const isHexDigit = (code: number) =>
  (code >= 0x30 && code <= 0x39) ||
  (code >= 0x41 && code <= 0x46) ||
  (code >= 0x61 && code <= 0x66);

/** As empty as `Object.create(null)`, which engines keep as a hash table from the start: slowly. */
const Members = function Members() {} as unknown as new () => Record<string, JsonValue>;
Members.prototype = NOTHING;

class Parser {
  private readonly text: string;
  private readonly depthMax: number;
  private readonly valuesMax: number;
  private values = 0;
  private at = 0;

  constructor(text: string, depthMax: number, valuesMax: number) {
    this.text = text;
    this.depthMax = depthMax;
    this.valuesMax = valuesMax;
  }

  document(): JsonValue {
    this.space();
    const value = this.value(0);
    this.space();
    if (this.at < this.text.length) this.fail("trailing_data");
    return value;
  }

  private value(depth: number): JsonValue {
    if (++this.values > this.valuesMax) this.fail("too_many_values");
    switch (this.text.charCodeAt(this.at)) {
      case 0x7b:
        return this.object(depth + 1);
      case 0x5b:
        return this.array(depth + 1);
      case 0x22:
        return this.string();
      case 0x74:
        return this.word("true", true);
      case 0x66:
        return this.word("false", false);
      case 0x6e:
        return this.word("null", null);
      default:
        return this.number();
    }
  }

  private object(depth: number): JsonValue {
    if (depth > this.depthMax) this.fail("too_deep");
    const members = new Members();
    this.at++;
    this.space();
    if (this.accept(0x7d)) return Object.freeze(members);
    for (;;) {
      if (this.text.charCodeAt(this.at) !== 0x22) this.fail("syntax");
      const start = this.at;
      const key = this.string();
      // An own `__proto__` survives JSON.parse and acts on the next spread or merge.
      if (key === "__proto__") this.fail("forbidden_key", start);
      if (key in members) this.fail("duplicate_key", start);
      this.space();
      this.expect(0x3a);
      this.space();
      members[key] = this.value(depth);
      this.space();
      if (this.accept(0x7d)) return Object.freeze(members);
      this.expect(0x2c);
      this.space();
    }
  }

  private array(depth: number): JsonValue {
    if (depth > this.depthMax) this.fail("too_deep");
    const items: JsonValue[] = [];
    this.at++;
    this.space();
    if (this.accept(0x5d)) return Object.freeze(items);
    for (;;) {
      items.push(this.value(depth));
      this.space();
      if (this.accept(0x5d)) return Object.freeze(items);
      this.expect(0x2c);
      this.space();
    }
  }

  private string(): string {
    const start = this.at + 1;
    for (let i = start; ; i++) {
      const code = this.text.charCodeAt(i);
      if (code === 0x22) {
        this.at = i + 1;
        return this.text.slice(start, i);
      }
      if (code === 0x5c) return this.escapedString(start, i);
      // NaN (end of text) fails this comparison as well.
      if (!(code >= 0x20)) this.fail("syntax", i);
    }
  }

  /** Only looks for the end and for faults: the platform reads a string much faster than a loop does. */
  private escapedString(start: number, firstEscape: number): string {
    let i = firstEscape;
    for (;;) {
      const code = this.text.charCodeAt(i);
      if (code === 0x22) break;
      if (!(code >= 0x20)) this.fail("syntax", i);
      i += code === 0x5c ? this.escapeLength(i) : 1;
    }
    const value = JSON.parse(this.text.slice(start - 1, i + 1)) as string;
    if (LONE_SURROGATE.test(value)) this.fail("lone_surrogate", start);
    this.at = i + 1;
    return value;
  }

  private escapeLength(at: number): 2 | 6 {
    const letter = this.text.charCodeAt(at + 1);
    if (ESCAPED.has(letter)) return 2;
    if (letter !== 0x75) this.fail("syntax", at);
    for (let i = at + 2; i < at + 6; i++) {
      if (!isHexDigit(this.text.charCodeAt(i))) this.fail("syntax", at);
    }
    return 6;
  }

  private number(): number {
    NUMBER.lastIndex = this.at;
    const match = NUMBER.exec(this.text);
    if (match === null) this.fail("syntax");
    const value = Number(match[0]);
    // -0 and integers past 2^53 - 1 read back as other numbers in other languages.
    if (Object.is(value, -0) || !Number.isFinite(value)) this.fail("unsafe_number");
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) this.fail("unsafe_number");
    this.at += match[0].length;
    return value;
  }

  private word<T extends JsonValue>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) this.fail("syntax");
    this.at += word.length;
    return value;
  }

  private space(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at++;
    }
  }

  private accept(code: number): boolean {
    if (this.text.charCodeAt(this.at) !== code) return false;
    this.at++;
    return true;
  }

  private expect(code: number): void {
    if (!this.accept(code)) this.fail("syntax");
  }

  private fail(fault: JsonFault, offset = this.at): never {
    throw new JsonFaultError(fault, offset);
  }
}

function decode(input: string | Uint8Array): string | undefined {
  if (typeof input === "string") return input;
  try {
    return decoder.decode(input);
  } catch {
    return undefined;
  }
}

/**
 * Parses JSON so that every reader sees the same value. Refused, where `JSON.parse` guesses:
 * duplicate keys (escaped spellings too), `__proto__`, lone surrogates, integers past 2^53 − 1,
 * −0, a byte order mark, invalid UTF-8, nesting past `depthMax`, more than `valuesMax` values (there
 * is no such limit unless said), anything after the value.
 * What it accepts, `JSON.parse` reads as the same value.
 *
 * @example
 * parseJson('{"total":"12.50"}'); //=> { ok: true, value: { total: "12.50" } }
 * parseJson('{"a":1,"\\u0061":2}').reason; //=> "duplicate_key"
 */
export function parseJson(
  input: string | Uint8Array,
  options: { readonly depthMax?: number; readonly valuesMax?: number } = {},
): Result<JsonValue, JsonFault> {
  const text = decode(input);
  if (text === undefined) return refuse("invalid_utf8", "the text is not valid UTF-8");
  if (LONE_SURROGATE.test(text)) return refuse("lone_surrogate", "a lone surrogate in the text");
  try {
    const { depthMax = JSON_DEPTH_MAX, valuesMax = Number.POSITIVE_INFINITY } = options;
    return { ok: true, value: new Parser(text, depthMax, valuesMax).document() };
  } catch (error) {
    if (error instanceof JsonFaultError) return describe(error);
    throw error;
  }
}

function describe(error: JsonFaultError): Refusal<JsonFault> {
  return refuse(error.fault, `${error.fault.replaceAll("_", " ")} at character ${error.offset}`);
}
