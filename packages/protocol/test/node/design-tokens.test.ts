import { describe, expect, test } from "vitest";
import { DESIGN_TOKENS } from "../../src/index.js";

/** WCAG 2.2, 1.4.3: text that is not large. */
const CONTRAST_MIN = 4.5;

const [light = "", dark = ""] = DESIGN_TOKENS.split("@media");
const colorsOf = (css: string) =>
  new Map(
    [...css.matchAll(/--color-([\w-]+):(#\w{6})/g)].map(([, name = "", hex = ""]) => [name, hex]),
  );

/** The relative luminance of WCAG. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].toSorted((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

const TEXTS = ["ink", "soft", "act", "warn", "bad", "info", "test"];

describe.each([
  ["light", colorsOf(light)],
  ["dark", colorsOf(dark)],
])("in the %s theme", (_theme, colors) => {
  const ratio = (text: string, on: string) =>
    contrast(colors.get(text) ?? "", colors.get(on) ?? "");
  const pairs = [
    ...TEXTS.flatMap((text) => ["back", "card"].map((on) => [text, on])),
    ...["act", "warn", "bad", "info", "test"].map((text) => [text, `${text}-soft`]),
    ["act-ink", "act"],
    ["card", "test"],
    ["card", "warn"],
  ];
  test.each(pairs)("%s on %s can be read", (text = "", on = "") => {
    expect(ratio(text, on)).toBeGreaterThanOrEqual(CONTRAST_MIN);
  });
});
