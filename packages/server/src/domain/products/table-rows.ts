import { LINE_CHARS_MAX, type TextLine } from "./text-lines.js";

const TOO_LONG = `has more than ${LINE_CHARS_MAX} characters`;
/** Why a row is not what its last line came to. */
const PROBLEMS = {
  complete: "has a different number of fields than the header line",
  bad: "has a quote in the wrong place",
  endless: "has a quote that does not end",
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
  private readonly source: AsyncIterator<TextLine>;
  private readonly form: RowForm;
  /** Lines to read again, the next one last. At most as many as a row can have. */
  private again: TextLine[] = [];
  /** How many fields the header line has; 0 until it is read. */
  private columns = 0;

  constructor(source: AsyncIterator<TextLine>, form: RowForm) {
    this.source = source;
    this.form = form;
  }

  /** The next row that is not blank; undefined at the end. */
  async next(): Promise<TableRow | undefined> {
    for (let first = await this.line(); first !== undefined; first = await this.line()) {
      const row = await this.read(first);
      if (row !== undefined) return row;
    }
    return undefined;
  }

  private async line(): Promise<TextLine | undefined> {
    const before = this.again.pop();
    if (before !== undefined) return before;
    const next = await this.source.next();
    return next.done === true ? undefined : next.value;
  }

  private async read(first: TextLine): Promise<TableRow | undefined> {
    const { line } = first;
    const row = new Row(this.form);
    let state: "open" | keyof typeof PROBLEMS = row.add(first.text);
    // The last field of a line that is too long is cut.
    const isCut = first.isTooLong && state === "complete";
    const known = row.fields.slice(0, isCut ? -1 : undefined);
    if (first.isTooLong) return { line, fields: known, problem: TOO_LONG };
    const others: TextLine[] = [];
    while (state === "open") {
      const more = await this.line();
      if (more !== undefined) others.push(more);
      state = more === undefined || !this.canContinue(row, more) ? "endless" : row.add(more.text);
    }
    const { fields } = row;
    if (state === "complete") {
      if (others.length === 0 && fields.every((field) => field.trim() === "")) return undefined;
      if (this.columns === 0) this.columns = fields.length;
      if (fields.length === this.columns) return { line, fields, problem: null };
    }
    this.again = this.again.concat(others.reverse());
    return { line, fields: known, problem: PROBLEMS[state] };
  }

  /** Whether a line can belong to a quoted field of the row before it. */
  private canContinue({ chars, fields }: Row, { text, isTooLong }: TextLine): boolean {
    if (isTooLong || chars + text.length > LINE_CHARS_MAX) return false;
    // Texts have almost no tabs: with as many as the header line, it is a row, and the quote before it never ends.
    const isRow = this.form.delimiter === "\t" && text.split("\t").length === this.columns;
    return !isRow || this.columns === 1 || fields.length === 0;
  }
}

/** The rows of a table, blank ones left out. The first one names the columns. */
export async function* tableRows(
  lines: AsyncIterable<TextLine>,
  form: RowForm,
): AsyncGenerator<TableRow> {
  const source = lines[Symbol.asyncIterator]();
  const reader = new RowReader(source, form);
  try {
    for (let row = await reader.next(); row !== undefined; row = await reader.next()) yield row;
  } finally {
    await source.return?.();
  }
}
