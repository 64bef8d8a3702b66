/** What commands may touch of the world. Tests pass their own. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  out(text: string): void;
  /** Progress and complaints; never mixed into what programs read. */
  err(text: string): void;
  /** Asks a person, where one is there. */
  readonly ask?: (question: string) => Promise<string>;
}

/** Words of strangers, without what would steer the terminal or turn the text around. */
export function plainText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, "\ufffd");
}

/** JSON that steers no terminal either: JSON itself leaves most such characters as they are. */
export function plainJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, null, indent).replace(/(?!\n)[\p{Cc}\p{Cf}]/gu, (character) =>
    // A character beyond the first plane is two units, and two escapes.
    Array.from(
      { length: character.length },
      (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}

/** A list of records as aligned columns; names of the first record are the heading. */
export function table(rows: readonly Readonly<Record<string, string>>[]): string {
  const [first] = rows;
  if (first === undefined) return "";
  const cellOf = (row: Readonly<Record<string, string>>, name: string) =>
    plainText(row[name] ?? "");
  const names = Object.keys(first);
  const widths = names.map((name) =>
    Math.max(name.length, ...rows.map((row) => cellOf(row, name).length)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] as number))
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
