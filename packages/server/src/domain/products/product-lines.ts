import { type JsonObject, type JsonValue, parseJson } from "@gatehouse/protocol";
import { type CsvError, type Options, type Parser, parse } from "csv-parse";
import { PRODUCT_FIELDS } from "./product.js";

/** Longest line of an import, in bytes. */
const LINE_BYTES_MAX = 64 * 1024;
/** How much of an unknown column name a message quotes. */
const NAME_CHARS_MAX = 40;

/** One line of an import: its value, or the reason why it cannot be read. */
export type ProductLine =
  | { readonly kind: "value"; readonly line: number; readonly value: JsonValue }
  | { readonly kind: "problem"; readonly line: number; readonly problem: string };

const problemAt = (line: number, problem: string): ProductLine => {
  return { kind: "problem", line, problem };
};

type Bytes = AsyncIterable<Uint8Array>;

/** The file as a whole cannot be read. The message says why and what to do. */
export class UnreadableListError extends Error {
  override readonly name = "UnreadableListError";
}

/** Decodes UTF-8 as it arrives. Bytes in another encoding would become wrong names, so they are refused. */
export async function* textOf(bytes: Bytes): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for await (const piece of bytes) yield decoder.decode(piece, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UnreadableListError("The file is not UTF-8. Save it as UTF-8, then try again.");
  }
}

/** Numbered lines of text; null for a line that is too long. */
async function* textLines(bytes: Bytes): AsyncGenerator<{ line: number; text: string | null }> {
  let rest = "";
  let line = 0;
  /** The line is too long, so the rest of it is dropped. */
  let dropping = false;
  for await (const text of textOf(bytes)) {
    const parts = (rest + text).split("\n");
    rest = parts.pop() as string;
    for (const one of parts) {
      line++;
      yield { line, text: dropping || one.length > LINE_BYTES_MAX ? null : one };
      dropping = false;
    }
    if (rest.length > LINE_BYTES_MAX) {
      dropping = true;
      rest = "";
    }
  }
  if (rest !== "" || dropping) yield { line: line + 1, text: dropping ? null : rest };
}

/** Products as JSON, one per line. */
export async function* jsonLines(bytes: Bytes): AsyncGenerator<ProductLine> {
  for await (const { line, text } of textLines(bytes)) {
    if (text === null) yield problemAt(line, `has more than ${LINE_BYTES_MAX} bytes`);
    else if (text.trim() !== "") {
      const parsed = parseJson(new TextEncoder().encode(text.trim()));
      yield parsed.ok
        ? { kind: "value", line, value: parsed.value }
        : problemAt(line, `is not strict JSON: ${parsed.detail}`);
    }
  }
}

/** Many European programs write `;`, and text pasted from a spreadsheet has tabs. */
function delimiterOf(head: string): string {
  const [first = ""] = head.split(/\r?\n/, 1);
  const counts = [",", ";", "\t"].map((mark) => ({ mark, count: first.split(mark).length }));
  return counts.sort((a, b) => b.count - a.count)[0]?.mark ?? ",";
}

/** Puts the first piece back before the rest, after the delimiter was found in it. */
async function* withHead(head: IteratorResult<string>, rest: AsyncIterator<string>) {
  for (let next = head; next.done !== true; next = await rest.next()) yield next.value;
}

/** The column names in the first line. An import with an unknown or repeated name does not start. */
function readNames(names: readonly string[]): string[] {
  const read = names.map((name) => name.trim().toLowerCase());
  const unknown = read.find((name) => !PRODUCT_FIELDS.includes(name));
  if (unknown !== undefined) {
    const quoted = unknown === "" ? "an empty name" : `“${unknown.slice(0, NAME_CHARS_MAX)}”`;
    const fields = PRODUCT_FIELDS.join(", ");
    throw new UnreadableListError(
      `The header line has the unknown field ${quoted}. Products have: ${fields}.`,
    );
  }
  const twice = read.find((name, place) => read.indexOf(name) !== place);
  if (twice !== undefined) throw new UnreadableListError(`The header line has ${twice} twice.`);
  return read;
}

function csvProblem({ code }: CsvError): string {
  if (code === "CSV_RECORD_INCONSISTENT_COLUMNS")
    return "has a different number of fields than the header line";
  if (code === "CSV_MAX_RECORD_SIZE") return `has more than ${LINE_BYTES_MAX} bytes`;
  return "has a quote in the wrong place";
}

/** A price may name its currency, and no product is without an availability: an empty cell says nothing. */
const NEVER_EMPTIED = ["price", "currency", "availability"];

/** The fields of a row. Empty ones are left out, unless they empty what was there before. */
function rowValue(record: Record<string, string>, emptiesFields: boolean): JsonObject {
  const isGiven = ([name, text]: [string, string]) =>
    text !== "" || (emptiesFields && !NEVER_EMPTIED.includes(name));
  return Object.fromEntries(Object.entries(record).filter(isGiven));
}

/** How a table is read. */
interface TableForm {
  /** Names the columns, from the first line. */
  readNames(names: readonly string[]): string[];
  /** Whether a quote inside a field is a letter like others. */
  readonly relaxQuotes: boolean;
  /** Whether an empty field empties the value of the product. */
  readonly emptiesFields: boolean;
}

/** Products as CSV (RFC 4180), with a first line that names the fields. */
export function csvLines(bytes: Bytes): AsyncGenerator<ProductLine> {
  return tableLines(bytes, { readNames, relaxQuotes: false, emptiesFields: true });
}

/** The rows of a table with a first line that names its columns, separated by commas, semicolons or tabs. */
export async function* tableLines(bytes: Bytes, form: TableForm): AsyncGenerator<ProductLine> {
  const pieces = textOf(bytes)[Symbol.asyncIterator]();
  const head = await pieces.next();
  const skipped: ProductLine[] = [];
  const options: Options = {
    bom: true,
    info: true,
    skip_empty_lines: true,
    max_record_size: LINE_BYTES_MAX,
    relax_quotes: form.relaxQuotes,
    skip_records_with_error: true,
    delimiter: delimiterOf(head.done === true ? "" : head.value),
    columns: (names: string[]) => form.readNames(names),
    onSkip: (error: CsvError | undefined) => {
      if (error === undefined) return undefined;
      const line = typeof error.lines === "number" ? error.lines : 0;
      skipped.push(problemAt(line, csvProblem(error)));
      return undefined;
    },
  };
  const parser = parse(options);
  const feeding = feed(parser, withHead(head, pieces));
  try {
    for await (const { info, record } of parser) {
      yield* skipped.splice(0);
      yield {
        kind: "value",
        line: info.lines as number,
        value: rowValue(record, form.emptiesFields),
      };
    }
    yield* skipped;
  } finally {
    parser.destroy();
    await feeding;
  }
}

/** Writes text into a parser no faster than it reads; ends when the text or the parser ends. */
async function feed(parser: Parser, pieces: AsyncIterable<string>): Promise<void> {
  try {
    for await (const piece of pieces) {
      if (parser.destroyed) return;
      if (parser.write(piece)) continue;
      await new Promise((resolve) => parser.once("drain", resolve).once("close", resolve));
    }
    parser.end();
  } catch (error) {
    parser.destroy(error as Error);
  }
}
