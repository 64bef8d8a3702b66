/**
 * Colours, sizes and shapes of everything people see: console, agent page, pages for buyers, docs,
 * exports and mails. Text and background have a contrast of at least 4.5 to 1 in both themes.
 */
const LIGHT = {
  ink: "#1d2523",
  soft: "#55625e",
  line: "#d9e1de",
  back: "#f6f8f7",
  card: "#ffffff",
  act: "#1f6b52",
  "act-ink": "#ffffff",
  "act-soft": "#e6f2ec",
  warn: "#8a4b00",
  "warn-soft": "#fdf1de",
  bad: "#9b1c1c",
  "bad-soft": "#fcebe9",
  info: "#2b5f9e",
  "info-soft": "#e8f0fa",
  test: "#6b3fa0",
  "test-soft": "#f2eafb",
  quiet: "#b9c6c1",
} as const;

const DARK: Readonly<Record<keyof typeof LIGHT, string>> = {
  ink: "#e8eeeb",
  soft: "#a3b1ac",
  line: "#33403c",
  back: "#141a18",
  card: "#1b2321",
  act: "#7fcfae",
  "act-ink": "#10201a",
  "act-soft": "#1f332b",
  warn: "#f0b866",
  "warn-soft": "#3a2c14",
  bad: "#f19a9a",
  "bad-soft": "#451f1d",
  info: "#8ab8ee",
  "info-soft": "#1c2d42",
  test: "#c9a7f5",
  "test-soft": "#2f2340",
  quiet: "#4b5a55",
};

/** The sizes of text, in pixels where somebody has not chosen larger ones. */
const TEXT_PX = { xs: 12, sm: 14, base: 16, lg: 20, xl: 28 } as const;
const ROOT_PX = 16;
const textSizes = Object.fromEntries(
  Object.entries(TEXT_PX).map(([name, px]) => [`text-${name}`, `${px / ROOT_PX}rem`]),
);

const SHAPES = {
  "font-sans": "system-ui,sans-serif",
  "font-mono": "ui-monospace,SFMono-Regular,Menlo,Consolas,monospace",
  ...textSizes,
  leading: "1.5",
  /** Distances are multiples of this. */
  space: "0.25rem",
  radius: "8px",
  shadow: "0 10px 24px #0003",
} as const;

const declared = (prefix: string, values: Readonly<Record<string, string>>) =>
  Object.entries(values)
    .map(([name, value]) => `--${prefix}${name}:${value};`)
    .join("");

/** For programs that read no style sheets, such as mail readers. */
export const LIGHT_COLORS: Readonly<Record<keyof typeof LIGHT, string>> = LIGHT;
/** The shapes for the same programs. They do not know the size of the reader's text. */
export const PLAIN_SHAPES = {
  radius: SHAPES.radius,
  font: `${TEXT_PX.base}px/${SHAPES.leading} ${SHAPES["font-sans"]}`,
  /** The font of what a person decides on. */
  large: `${TEXT_PX.xl}px/1.2 ${SHAPES["font-sans"]}`,
} as const;

/** The tokens as custom properties of a style sheet, light and dark. */
export const DESIGN_TOKENS = `:root{color-scheme:light dark;${declared("color-", LIGHT)}${declared("", SHAPES)}}
@media (prefers-color-scheme:dark){:root{${declared("color-", DARK)}}}`;
