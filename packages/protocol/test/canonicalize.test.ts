import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalBytes, canonicalize, fromHex, toHex } from "../src/index.ts";
import { fuzzRuns } from "./fuzz.ts";
import { vectors } from "./vectors.ts";

/** RFC 8785 section 3.2.4: the sample object and its canonical form. */
test("canonicalization gives the expected text for the sample of RFC 8785", () => {
  const sample = {
    numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
    string: "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"/",
    literals: [null, true, false],
  };
  expect(canonicalize(sample)).toBe(
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
      '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
});

/** RFC 8785 section 3.2.3: keys sort by UTF-16 code units, not by code points. */
test("canonicalization sorts keys by UTF-16 code units", () => {
  const keys = ["\u20ac", "\r", "\ufb33", "1", "\u{1f600}", "\u0080", "\u00f6"];
  const object = Object.fromEntries(keys.map((key) => [key, 0]));
  expect(canonicalize(object)).toBe(
    '{"\\r":0,"1":0,"\u0080":0,"ö":0,"€":0,"\u{1f600}":0,"\ufb33":0}',
  );
});

test("canonicalization writes -0 as 0", () => {
  expect(canonicalize(-0)).toBe("0");
});

test("canonicalization writes arrays in order and nested values completely", () => {
  expect(canonicalize([3, { b: [], a: {} }, "x"])).toBe('[3,{"a":{},"b":[]},"x"]');
});

describe("canonicalization throws for", () => {
  test.each([
    ["undefined", undefined],
    ["a function", () => 0],
    ["a symbol", Symbol("s")],
    ["a bigint", 1n],
    ["NaN", Number.NaN],
    ["Infinity", [Number.POSITIVE_INFINITY]],
    ["a member that is undefined", { a: undefined }],
    ["a hole in an array", new Array(1)],
    ["a Date", new Date(0)],
    ["a Map", new Map()],
    ["a lone surrogate", "\ud800"],
    ["a lone surrogate in a key", { "\udc00": 1 }],
  ])("%s", (_name, value) => {
    expect(() => canonicalize(value)).toThrow(TypeError);
  });
});

test("canonicalization ignores toJSON, which would sign something other than the value", () => {
  expect(() => canonicalize({ toJSON: () => "other" })).toThrow(TypeError);
});

test("canonical text is parsed by JSON.parse as the same value", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      expect(canonicalize(JSON.parse(canonicalize(value)))).toBe(canonicalize(value));
    }),
    { ...fuzzRuns, numRuns: Math.ceil(fuzzRuns.numRuns / 10) },
  );
});

describe("external test vectors of RFC 8785:", () => {
  test.skipIf(vectors === undefined)("6 files are canonicalized byte for byte", ({ task }) => {
    for (const { input, outputHex } of vectors?.jcs ?? []) {
      expect(toHex(canonicalBytes(JSON.parse(input)))).toBe(outputHex);
    }
    Object.assign(task.meta, { outside: vectors?.jcs.length });
    expect(vectors?.jcs.length).toBe(6);
  });

  test.skipIf(vectors === undefined)("26 numbers are written as expected", ({ task }) => {
    for (const { ieee754_hex, expected } of vectors?.jcsNumbers ?? []) {
      const bytes = fromHex(ieee754_hex) as Uint8Array<ArrayBuffer>;
      const number = new DataView(bytes.buffer).getFloat64(0);
      if (expected === null) expect(() => canonicalize(number)).toThrow(TypeError);
      else expect(canonicalize(number)).toBe(expected);
    }
    Object.assign(task.meta, { outside: vectors?.jcsNumbers.length });
    expect(vectors?.jcsNumbers.length).toBe(26);
  });
});
