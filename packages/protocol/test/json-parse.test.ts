import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalize, JSON_DEPTH_MAX, parseJson } from "../src/index.ts";
import { fuzzRuns, mutatedJson } from "./fuzz.ts";

function reasonOf(text: string | Uint8Array): string {
  const result = parseJson(text);
  return result.ok ? "accepted" : result.reason;
}

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

describe("the strict parser accepts", () => {
  test.each([
    ["null", null],
    [" true\n", true],
    ["0", 0],
    ["-1.5e3", -1500],
    ["1e-7", 1e-7],
    ["9007199254740991", Number.MAX_SAFE_INTEGER],
    ["-9007199254740991", -Number.MAX_SAFE_INTEGER],
    ['"\\u00e9\\n\\/\\ud83d\\ude00"', "é\n/😀"],
    ['"😀"', "😀"],
    ["[]", []],
    ["[1,[2]]", [1, [2]]],
    ['{"a":{"b":[]}}', { a: { b: [] } }],
    ['{"constructor":1,"toString":2}', { constructor: 1, toString: 2 }],
  ])("%s", (text, value) => {
    const result = parseJson(text);
    expect(result.ok && JSON.stringify(result.value)).toBe(JSON.stringify(value));
  });

  test("bytes in UTF-8", () => {
    expect(parseJson(new TextEncoder().encode('"é"'))).toEqual({ ok: true, value: "é" });
  });

  test("nesting up to the limit", () => {
    expect(reasonOf(nested(JSON_DEPTH_MAX))).toBe("accepted");
  });
});

describe("the strict parser refuses", () => {
  test.each([
    ["an empty text", "", "syntax"],
    ["white space alone", " \n", "syntax"],
    ["a duplicate key", '{"a":1,"a":1}', "duplicate_key"],
    ["a duplicate key in an escaped spelling", '{"a":1,"\\u0061":2}', "duplicate_key"],
    ["a duplicate key deeper down", '[{"x":{"b":1,"c":2,"b":3}}]', "duplicate_key"],
    ["__proto__", '{"__proto__":{}}', "forbidden_key"],
    ["__proto__ in an escaped spelling", '{"__pr\\u006fto__":{}}', "forbidden_key"],
    ["a raw lone surrogate", '"\ud800"', "lone_surrogate"],
    ["an escaped lone surrogate", '"\\ud800"', "lone_surrogate"],
    ["surrogates in the wrong order", '"\\ude00\\ud83d"', "lone_surrogate"],
    ["a lone surrogate as a key", '{"\\udfff":1}', "lone_surrogate"],
    ["an integer past 2^53 - 1", "9007199254740992", "unsafe_number"],
    ["an integer past 2^53 - 1 written with an exponent", "1e30", "unsafe_number"],
    ["a number that overflows", "1e400", "unsafe_number"],
    ["-0", "-0", "unsafe_number"],
    ["-0.0e5", "-0.0e5", "unsafe_number"],
    ["a number that underflows to -0", "-1e-400", "unsafe_number"],
    ["a byte order mark", "\ufeff{}", "syntax"],
    ["nesting past the limit", nested(JSON_DEPTH_MAX + 1), "too_deep"],
    ["nesting that would overflow a stack", nested(100_000), "too_deep"],
    ["trailing data", "{} {}", "trailing_data"],
    ["a trailing comma in an object", '{"a":1,}', "syntax"],
    ["a trailing comma in an array", "[1,]", "syntax"],
    ["a leading zero", "01", "trailing_data"],
    ["a leading plus", "+1", "syntax"],
    ["a bare point", ".5", "syntax"],
    ["a point without digits", "1.", "trailing_data"],
    ["hexadecimal", "0x10", "trailing_data"],
    ["NaN", "NaN", "syntax"],
    ["Infinity", "-Infinity", "syntax"],
    ["single quotes", "'a'", "syntax"],
    ["an unquoted key", "{a:1}", "syntax"],
    ["a comment", "/* */1", "syntax"],
    ["a raw control character in a string", '"\u0000"', "syntax"],
    ["a raw newline in a string", '"a\nb"', "syntax"],
    ["an unknown escape", '"\\x41"', "syntax"],
    ["a short unicode escape", '"\\u12"', "syntax"],
    ["an unfinished string", '"abc', "syntax"],
    ["an unfinished escape", '"abc\\', "syntax"],
    ["a word cut short", "tru", "syntax"],
    ["a non-breaking space", "\u00a01", "syntax"],
  ])("%s", (_name, text, reason) => {
    expect(reasonOf(text)).toBe(reason);
  });

  test.each([
    ["a byte order mark", [0xef, 0xbb, 0xbf, 0x31], "syntax"],
    ["an overlong encoding", [0x22, 0xc0, 0x80, 0x22], "invalid_utf8"],
    ["a surrogate encoded in UTF-8", [0x22, 0xed, 0xa0, 0x80, 0x22], "invalid_utf8"],
    ["a cut sequence", [0x22, 0xc3, 0x22], "invalid_utf8"],
    ["UTF-16", [0xff, 0xfe, 0x31, 0x00], "invalid_utf8"],
  ])("bytes with %s", (_name, bytes, reason) => {
    expect(reasonOf(Uint8Array.from(bytes))).toBe(reason);
  });

  test("nesting beyond the caller's own limit", () => {
    expect(parseJson("[[1]]", { depthMax: 1 }).ok).toBe(false);
  });
});

test("the strict parser refuses more values than the caller allows, however small", () => {
  const text = JSON.stringify(Array.from({ length: 99 }, () => 1));
  expect(parseJson(text, { valuesMax: 100 }).ok).toBe(true);
  const refused = parseJson(text, { valuesMax: 99 });
  expect(refused.ok ? "" : refused.reason).toBe("too_many_values");
});

test("the strict parser returns values that are frozen and inherit nothing", () => {
  const result = parseJson('{"a":[1]}');
  const value = result.ok ? (result.value as { a: number[] }) : { a: [] };
  expect(() => value.a.push(2)).toThrow(TypeError);
  expect(() => Object.assign(value, { b: 1 })).toThrow(TypeError);
  const inherited = Object.getPrototypeOf(value);
  expect(Reflect.ownKeys(inherited).length).toBe(0);
  expect(Object.getPrototypeOf(inherited)).toBe(null);
  expect(() => Object.assign(inherited, { c: 1 })).toThrow(TypeError);
  expect("toString" in value).toBe(false);
});

test("a refusal of the strict parser says where, and never repeats the input", () => {
  const result = parseJson('{"secret":tok_123}');
  expect(result.ok ? "" : result.detail).toBe("syntax at character 10");
});

test("the strict parser agrees with JSON.parse whenever it accepts, and never throws", () => {
  let accepted = 0;
  fc.assert(
    fc.property(mutatedJson, (text) => {
      const result = parseJson(text, { depthMax: 64 });
      if (!result.ok) return;
      accepted++;
      expect(JSON.stringify(result.value)).toBe(JSON.stringify(JSON.parse(text)));
    }),
    fuzzRuns,
  );
  // A fuzzer that is refused every time would prove nothing.
  expect(accepted > fuzzRuns.numRuns / 20).toBe(true);
});

test("the strict parser never throws on arbitrary bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      expect(typeof parseJson(bytes).ok).toBe("boolean");
    }),
    fuzzRuns,
  );
});

test("parsing a canonical text and canonicalizing it again changes nothing", () => {
  fc.assert(
    fc.property(mutatedJson, (text) => {
      const first = parseJson(text, { depthMax: 64 });
      if (!first.ok) return;
      const canonical = canonicalize(first.value);
      const second = parseJson(canonical, { depthMax: 64 });
      expect(second.ok && canonicalize(second.value)).toBe(canonical);
    }),
    fuzzRuns,
  );
});
