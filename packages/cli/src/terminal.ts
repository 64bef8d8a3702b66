import { runnable } from "./command-name.js";

/** What commands may touch of the world. Tests pass their own. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  out(text: string): void;
  /** Prints a document to the last character, where no person watches. */
  readonly copy?: (text: string) => void;
  /** Progress and complaints; never mixed into what programs read. */
  err(text: string): void;
  /** Writes one line over and over, where a person watches standard error. */
  readonly redraw?: (line: string) => void;
  /** Asks a person, where one is there. */
  readonly ask?: (question: string) => Promise<string>;
}

/** Words of strangers, without what would steer the terminal or turn the text around. */
export function plainText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, "\ufffd");
}

/** The same, line by line: what every command prints goes through it. */
export function plainLines(text: string): string {
  return text.replace(/(?!\n)[\p{Cc}\p{Cf}]/gu, "\ufffd");
}

/** Such characters as JSON may write them, so that each is seen; lines stay lines. */
export function visible(text: string): string {
  return text.replace(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    // A character beyond the first plane is two units, and two escapes.
    Array.from(
      { length: character.length },
      (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}

/** JSON that steers no terminal either: JSON itself leaves most such characters as they are. */
export function plainJson(value: unknown, indent = 2): string {
  return visible(JSON.stringify(value, null, indent));
}

/** Letters and pictures that fill two columns of a terminal. */
const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;
const letters = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Columns a text fills. */
function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of letters.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/**
 * A list of records as aligned columns; names of the first record are the heading. Where there are
 * none, `none` says so, and what to do.
 */
export function table(rows: readonly Readonly<Record<string, string>>[], none: string): string {
  const [first] = rows;
  if (first === undefined) return runnable(none);
  const cellOf = (row: Readonly<Record<string, string>>, name: string) =>
    plainText(row[name] ?? "");
  const names = Object.keys(first);
  const widths = names.map((name) =>
    rows.reduce((width, row) => Math.max(width, widthOf(cellOf(row, name))), name.length),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => cell + " ".repeat((widths[i] as number) - widthOf(cell)))
      .join("  ")
      .trimEnd();
  return [
    line(names.map((name) => name.toUpperCase())),
    ...rows.map((row) => line(names.map((name) => cellOf(row, name)))),
  ].join("\n");
}

/** One record as `name  value` lines; further lines of a value stand under its first. */
export function card(record: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.keys(record).map((name) => name.length));
  const indent = `\n${" ".repeat(width + 2)}`;
  return Object.entries(record)
    .map(([name, value]) =>
      `${name.padEnd(width)}  ${value.split("\n").map(plainText).join(indent)}`.trimEnd(),
    )
    .join("\n");
}
