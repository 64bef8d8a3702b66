import { expect, test } from "vitest";
import { parseUrl } from "../src/url.ts";

/** Enough calls for an engine to have compiled what it found slow. */
const CALLS = 100_000;

test("an address in another script is parsed the same way every time", () => {
  let misread = 0;
  for (let call = 0; call < CALLS; call++) {
    if (parseUrl("https://bücher.example.com/")?.hostname !== "xn--bcher-kva.example.com")
      misread++;
  }
  expect(misread).toBe(0);
});

test.each(["", "bücher", "//example.com/", "https://", "https://["])(
  "%j is not an absolute address",
  (text) => {
    expect(parseUrl(text)).toBe(undefined);
  },
);
