import { LINE_CHARS_MAX, type TextLine } from "./text-lines.js";

/** Most lines of one row. A quote that has no end costs as much for each line that it takes. */
const ROW_LINES_MAX = 1000;

/** Why a row cannot be read, after what its last line came to. */
const PROBLEMS = {
  long: `has more than ${LINE_CHARS_MAX} characters`,
  complete: "has a different number of fields than the header line",
  bad: "has a quote in the wrong place",
  endless: "has a quote that is never closed",
};

/** One row of a table. */
export interface TableRow {
  /** Its first line. */
  readonly line: number;
  /** If the row has a problem, the whole fields of its first line. */
  readonly fields: readonly string[];
  /** Why it cannot be read; null if it can. */
  readonly problem: string | null;
}

/** How the rows of a table are written. */
export interface RowForm {
  readonly delimiter: string;
  /** Whether a quote inside a field is a letter like others. */
  readonly relaxQuotes: boolean;
}

/** Where the quote is that ends a quoted text; -1 if it is not in this line. A quote in the text is doubled. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

/** The fields of a row. They are read line by line, because a quoted field can have line breaks. */
class Row {
  readonly fields: string[] = [];
  chars = 0;
  private readonly form: RowForm;
  /** What a quoted field has in the lines before. */
  private quoted: string | undefined;

  constructor(form: RowForm) {
    this.form = form;
  }

  /** Reads a line. The row is open if a quoted field goes on in the next one. */
  add(line: string): "complete" | "open" | "bad" {
    this.chars += line.length + 1;
    const text = line.endsWith("\r") ? line.slice(0, -1) : line;
    for (let at = 0; ; ) {
      const isQuoted = this.quoted !== undefined || text[at] === '"';
      const from = isQuoted && this.quoted === undefined ? at + 1 : at;
      const close = isQuoted ? closingQuote(text, from) : at;
      if (close === -1) {
        this.quoted = `${this.quoted ?? ""}${line.slice(from)}\n`;
        return "open";
      }
      const next = text.indexOf(this.form.delimiter, close);
      const end = next === -1 ? text.length : next;
      const field = isQuoted
        ? this.quotedField(text.slice(from, close), text.slice(close, end))
        : this.plainField(text.slice(at, end));
      if (field === undefined) return "bad";
      this.quoted = undefined;
      this.fields.push(field);
      if (next === -1) return "complete";
      at = next + 1;
    }
  }

  private plainField(text: string): string | undefined {
    return !this.form.relaxQuotes && text.includes('"') ? undefined : text;
  }

  private quotedField(text: string, behind: string): string | undefined {
    const content = ((this.quoted ?? "") + text).replaceAll('""', '"');
    if (behind === '"') return content;
    // A field such as `"Best" rose`. Over several lines, a quote of another row was taken for the end.
    return this.form.relaxQuotes && this.quoted === undefined ? `"${content}${behind}` : undefined;
  }
}

/** Reads rows from lines. A line that cannot be read spoils no other: the lines that its quote took are read again. */
class RowReader {
  private readonly form: RowForm;
  /** How many fields the header line has; 0 until it is read. */
  private columns = 0;
  private row: Row;
  /** The lines of the row. It has several if a quoted field goes on over line breaks. */
  private taken: TextLine[] = [];
  /** The whole fields of its first line. */
  private known: readonly string[] = [];

  constructor(form: RowForm) {
    this.form = form;
    this.row = new Row(form);
  }

  /** The rows that end in these lines, blank ones left out. */
  *read(lines: Iterable<TextLine>): Generator<TableRow> {
    for (const next of lines) {
      // Millions of empty lines cost almost nothing.
      if (next.text === "" && this.taken.length === 0) continue;
      let waiting = [next];
      for (let line = waiting.pop(); line !== undefined; line = waiting.pop()) {
        const again = yield* this.take(line);
        if (again.length > 0) waiting = waiting.concat(again.reverse());
      }
    }
  }

  /** The rows of the lines that remain. */
  *end(): Generator<TableRow> {
    while (this.taken.length > 0) yield* this.read(yield* this.refuse("endless"));
  }

  /** Reads a line. Returns the lines to read again. */
  private *take(line: TextLine): Generator<TableRow, TextLine[]> {
    const { row, taken } = this;
    taken.push(line);
    if (taken.length > 1 && !this.canContinue(line)) return yield* this.refuse("endless");
    const state = row.add(line.text);
    if (taken.length === 1) {
      // The last field of a line that is too long is cut.
      this.known = row.fields.slice(0, line.isTooLong && state === "complete" ? -1 : undefined);
      if (line.isTooLong) return yield* this.refuse("long");
    }
    if (state === "open") return [];
    const { fields } = row;
    const isBlank = taken.length === 1 && fields.every((field) => field.trim() === "");
    if (state === "bad" || (!isBlank && !this.hasCount(fields))) return yield* this.refuse(state);
    if (!isBlank) yield { line: (taken[0] as TextLine).line, fields, problem: null };
    this.begin();
    return [];
  }

  /** The first row says how many fields the others have. */
  private hasCount({ length }: readonly string[]): boolean {
    if (this.columns === 0) this.columns = length;
    return length === this.columns;
  }

  private begin(): void {
    this.row = new Row(this.form);
    this.taken = [];
  }

  private *refuse(why: keyof typeof PROBLEMS): Generator<TableRow, TextLine[]> {
    const [first, ...others] = this.taken;
    const { line } = first as TextLine;
    this.begin();
    yield { line, fields: this.known, problem: PROBLEMS[why] };
    return others;
  }

  /** Whether a line can belong to a quoted field of the row before it. */
  private canContinue({ text, isTooLong }: TextLine): boolean {
    const { chars, fields } = this.row;
    if (this.taken.length > ROW_LINES_MAX) return false;
    if (isTooLong || chars + text.length > LINE_CHARS_MAX) return false;
    // Texts have almost no tabs: with as many as the header line, it is a row, and the quote before it never ends.
    if (this.form.delimiter !== "\t" || this.columns < 2 || fields.length === 0) return true;
    const alone = new Row(this.form);
    return alone.add(text) !== "complete" || alone.fields.length !== this.columns;
  }
}

/** The rows of a table, blank ones left out. The first one names the columns. */
export async function* tableRows(
  lines: AsyncIterable<Iterable<TextLine>>,
  form: RowForm,
): AsyncGenerator<TableRow> {
  const reader = new RowReader(form);
  for await (const some of lines) yield* reader.read(some);
  yield* reader.end();
}
