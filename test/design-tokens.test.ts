import { describe, expect, test } from "vitest";
import { DESIGN_TOKENS } from "../packages/protocol/src/design-tokens.ts";
import { type SourceFile, sourcesIn } from "./source.ts";

const TOKENS = "packages/protocol/src/design-tokens.ts";
const THEME = "packages/console/src/theme.css";
/** Everything that draws what people see. The pages of the plugin are in the style of WordPress. */
const sources = ["console", "protocol", "server", "edge", "embed", "cli"]
  .flatMap((name) => sourcesIn(`packages/${name}/src`, /\.(?:tsx?|css|svg|html)$/))
  .filter(({ path }) => path !== TOKENS && !path.includes("/migrations/"));
const sourceOf = (path: string) => sources.find((one) => one.path === path) as SourceFile;

/** Paper has no theme: what is printed is black on white. */
const PRINTED = /@media print\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}|\bprint:[\w-]+/g;
/** Four or five digits are the number of an order. */
const HEX = /(?<![\w&/])#(?!\d{4,5}\b)(?:[\da-f]{8}|[\da-f]{6}|[\da-f]{3,4})\b/gi;
const FUNCTION = /\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch)\(/g;
const NAME =
  "white|black|gr[ae]y|silver|red|maroon|orange|gold|yellow|olive|lime|green|aqua|teal|cyan|blue|navy|purple|fuchsia|magenta|violet|pink|brown|crimson|tomato|coral|salmon|indigo|beige|khaki|turquoise";
const NAMED = new RegExp(
  `\\b(?:color|background|fill|stroke|outline|border|box-shadow|backgroundColor|borderColor)(?:-\\w+)?\\s*[:=]\\s*["'{\`]*[^;}"'\`\\n]*\\b(?:${NAME})\\b`,
  "g",
);
const PALETTE =
  "slate|gray|zinc|neutral|stone|red|orange|amber|yellow|lime|green|emerald|teal|cyan|sky|blue|indigo|violet|purple|fuchsia|pink|rose";
/** Classes of Tailwind with colors or sizes of its own, or of no list at all. */
const CLASS = new RegExp(
  `(?<![\\w-])(?:bg|text|border|ring|outline|decoration|fill|stroke|accent|caret|divide|from|via|to|shadow|placeholder)-(?:\\[|(?:${PALETTE})-\\d+|(?:white|black)\\b)` +
    "|(?<![\\w-])text-(?:[2-9]xl|md)\\b|(?<![\\w-])(?:rounded(?:-[a-z]{1,2})?|shadow)-(?:\\[|md|xl|[2-4]xl|xs)(?![\\w-])",
  "g",
);
const TEXT_SIZE =
  /\bfont-size\s*:(?!\s*(?:var\(--text-(?:xs|sm|base|lg|xl)\)|inherit))|\bfontSize\b|(?<![\w-])font\s*:(?!\s*(?:var\(--text-\w+\)\/|inherit\b|\$\{font\}|600 \$\{large\}))/g;
const FONT = /\bfont-family\s*:(?!\s*(?:var\(--font-(?:sans|mono)\)|inherit))|\bfontFamily\b/g;
/** Rings around what has the focus, and a mark that is round at both ends, have their own radius. */
const SHAPE =
  /\bborder-radius\s*:(?!\s*(?:var\(--radius\)|\$\{radius\}|2px\}|1rem;))|\bbox-shadow\s*:(?!\s*var\(--shadow\))/g;
/** A token that is given another value than in the list of tokens. */
const REDEFINED = /--(?:color-[\w-]+|text-\w+|font-\w+|leading|space|radius|shadow)\s*:/g;

const RULES = { HEX, FUNCTION, NAMED, CLASS, TEXT_SIZE, FONT, SHAPE, REDEFINED } as const;

/** What no token can say, and why. */
const OTHERWISE: Readonly<Record<string, readonly string[]>> = {
  // A JPEG has no transparent parts.
  "packages/console/src/products/shrink-picture.ts": ["#fff"],
  // What is behind a dialog is darkened in both themes.
  "packages/console/src/ui/dialog.tsx": ["bg-black"],
  // A picture has no style sheet. Its color is checked below.
  "packages/console/src/icon.svg": ["#1f6b52"],
};

/** Colors and sizes in a text that do not come from the tokens. */
function faultsIn(text: string): readonly string[] {
  const onScreen = text.replace(PRINTED, "");
  return Object.values(RULES).flatMap((rule) => onScreen.match(rule) ?? []);
}

describe("colors, sizes of text and shapes", () => {
  test("come from the design tokens, on every page and in every mail", () => {
    expect(sources.length).toBeGreaterThan(500);
    const faults = sources
      .filter(({ path }) => path !== THEME)
      .map(({ path, text }) => [path, faultsIn(text)] as const)
      .filter(([path, found]) => String(found) !== String(OTHERWISE[path] ?? []));
    expect(faults).toEqual([]);
  });

  test.each([
    "a { color: #123456 }",
    "a{background:#fff}",
    "a{border:1px solid rgb(0 0 0 / 50%)}",
    "a{color:red}",
    '<path fill="white"/>',
    "style={{ color: 'tomato' }}",
    'className="bg-red-500"',
    'className="hover:text-[#123456]"',
    'className="sm:text-2xl"',
    'className="text-[13px]"',
    'className="rounded-md"',
    'className="shadow-[0_0_4px]"',
    "p{font-size:13px}",
    "p { font-size: .9rem }",
    "p{font:15px/1.4 sans-serif}",
    "style={{ fontSize: 11 }}",
    "p{font-family:Georgia}",
    "p{border-radius:6px;}",
    "p{box-shadow:0 1px 2px}",
    ":root{--color-act:var(--color-bad)}",
  ])("are found in %s", (text) => {
    expect(faultsIn(text)).not.toEqual([]);
  });

  test.each([
    "a{color:var(--color-act);font:var(--text-base)/var(--leading) var(--font-sans)}",
    'className="print:border-black text-xl bg-bad/10 rounded-lg border-transparent"',
    "@media print{:root{--color-ink:#000}body{font-size:11pt}}",
    "Order #1042",
    "guide/owner.md#add-your-site",
  ])("are not found in %s", (text) => {
    expect(faultsIn(text)).toEqual([]);
  });
});

describe("one list of design tokens", () => {
  const names = (css: string) =>
    [...css.matchAll(/--([\w-]+):/g)].map(([, name]) => name as string);

  test("is the style of the console", () => {
    expect(sourceOf("packages/console/src/main.tsx").text).toContain("virtual:design-tokens.css");
    const mapped = [...sourceOf(THEME).text.matchAll(/--([\w-]+): ?([^;]+);/g)];
    const values = mapped.map(([, name = "", value = ""]) => {
      return name.endsWith("--line-height") ? value.replace(/^1\.\d+$/, "var(--leading)") : value;
    });
    expect(values.filter((value) => !/^(?:var\(--[\w-]+\)|initial)$/.test(value))).toEqual([]);
    const colors = names(DESIGN_TOKENS).filter((name) => name.startsWith("color-"));
    const missing = colors.filter((color) => !values.includes(`var(--${color})`));
    expect(missing).toEqual([]);
    // Without this, Tailwind's own sizes of text would still work.
    expect(sourceOf(THEME).text).toContain("--text-*: initial;");
  });

  test.each([
    ["the agent page", "packages/protocol/src/discovery/agent-page/style.ts", "DESIGN_TOKENS"],
    ["pages for buyers", "packages/server/src/http/server/html-page.ts", "DESIGN_TOKENS"],
    ["the docs", "packages/server/src/http/docs/style.ts", "DESIGN_TOKENS"],
    ["exports", "packages/server/src/domain/audit/exports/style.ts", "DESIGN_TOKENS"],
    ["mails", "packages/server/src/infra/mail/html.ts", "LIGHT_COLORS"],
  ])("is the style of %s", (_page, path, token) => {
    expect(sourceOf(path).text).toMatch(new RegExp(`\\$\\{${token}\\}|\\} = ${token};`));
  });

  test("has no style sheet beside it", () => {
    const sheets = sources.filter(({ text }) => /<style\b|\bstyle="|@theme|@apply/.test(text));
    expect(sheets.map(({ path }) => path).sort()).toEqual([
      "packages/console/src/style.css",
      THEME,
      "packages/protocol/src/discovery/agent-page/html.ts",
      "packages/protocol/src/verify/agent-page.ts",
      "packages/server/src/domain/audit/exports/html.ts",
      "packages/server/src/http/server/html-page.ts",
      "packages/server/src/infra/mail/html.ts",
    ]);
  });

  test("has the color of the icon", () => {
    const [color = ""] = sourceOf("packages/console/src/icon.svg").text.match(/#\w{6}/) ?? [];
    expect(DESIGN_TOKENS).toContain(`--color-act:${color};`);
  });
});
