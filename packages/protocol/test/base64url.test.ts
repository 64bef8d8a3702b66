import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromBase64url, fromHex, toBase64url, toHex, utf8 } from "../src/index.ts";

/** RFC 4648 section 10, without padding and in the URL alphabet. */
test.each([
  ["", ""],
  ["f", "Zg"],
  ["fo", "Zm8"],
  ["foo", "Zm9v"],
  ["foob", "Zm9vYg"],
  ["fooba", "Zm9vYmE"],
  ["foobar", "Zm9vYmFy"],
])("base64url encodes and decodes %j", (text, encoded) => {
  expect(toBase64url(utf8(text))).toBe(encoded);
  expect(toHex(fromBase64url(encoded) ?? new Uint8Array(99))).toBe(toHex(utf8(text)));
});

describe("base64url decoding refuses a second spelling of the same bytes:", () => {
  test.each([
    ["padding", "Zg=="],
    ["the standard alphabet", "+/8"],
    ["white space", "Zm 9v"],
    ["a line break", "Zm9v\n"],
    ["non-zero trailing bits (1 byte)", "Zh"],
    ["non-zero trailing bits (2 bytes)", "Zm9"],
    ["an impossible length", "Zm9vY"],
    ["a letter outside ASCII", "Zmé"],
    ["a NUL", "Zm8\u0000"],
  ])("it has %s", (_name, text) => {
    expect(fromBase64url(text)).toBe(undefined);
  });
});

test("base64url round-trips every byte string, and only the canonical spelling decodes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
      const text = toBase64url(bytes);
      expect(toHex(fromBase64url(text) ?? new Uint8Array(99))).toBe(toHex(bytes));
    }),
  );
  fc.assert(
    fc.property(fc.string({ maxLength: 12 }), (text) => {
      const bytes = fromBase64url(text);
      if (bytes !== undefined) expect(toBase64url(bytes)).toBe(text);
    }),
  );
});

test("hexadecimal decoding refuses odd lengths and other letters", () => {
  expect(fromHex("abc")).toBe(undefined);
  expect(fromHex("zz")).toBe(undefined);
  expect(toHex(fromHex("00FFa0") ?? new Uint8Array())).toBe("00ffa0");
});
