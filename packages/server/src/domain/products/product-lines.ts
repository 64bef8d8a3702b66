import { type JsonObject, type JsonValue, parseJson } from "@gatehouse/protocol";
import { PRODUCT_FIELDS } from "./product.js";
import { type TableRow, tableRows } from "./table-rows.js";
import { LINE_CHARS_MAX, nextTurn, textLines, withFirstLine, withLineFeeds } from "./text-lines.js";

/** Bytes decoded at once. Other work runs between two pieces. */
const PIECE_BYTES = 64 * 1024;
/** How much of an unknown column name a message quotes. */
const NAME_CHARS_MAX = 40;

/** A line that cannot be read. */
interface LineProblem {
  readonly kind: "problem";
  readonly line: number;
  readonly problem: string;
  /** What seems to be the product's id; null if the line shows none. */
  readonly id: string | null;
}

/** One line of an import: its value, or the reason why it cannot be read. */
export type ProductLine =
  | { readonly kind: "value"; readonly line: number; readonly value: JsonValue }
  | LineProblem;

type Bytes = AsyncIterable<Uint8Array>;

/** The file as a whole cannot be read. The message says why and what to do. */
export class UnreadableListError extends Error {
  override readonly name = "UnreadableListError";
}

/** Decodes UTF-8 as it arrives. Bytes in another encoding would become wrong names, so they are refused. */
export async function* textOf(bytes: Bytes): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for await (const piece of bytes) {
      for (let at = 0; at < piece.length; at += PIECE_BYTES) {
        yield decoder.decode(piece.subarray(at, at + PIECE_BYTES), { stream: true });
        await nextTurn();
      }
    }
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UnreadableListError("The file is not UTF-8. Save it as UTF-8, then try again.");
  }
}

/** Products as JSON, one per line. */
export async function* jsonLines(bytes: Bytes): AsyncGenerator<ProductLine> {
  const problemAt = (line: number, problem: string): LineProblem => {
    return { kind: "problem", line, problem, id: null };
  };
  for await (const lines of textLines(textOf(bytes))) {
    for (const { line, text, isTooLong } of lines) {
      const json = text.trim();
      if (isTooLong) yield problemAt(line, `has more than ${LINE_CHARS_MAX} characters`);
      else if (json !== "") {
        const parsed = parseJson(new TextEncoder().encode(json));
        yield parsed.ok
          ? { kind: "value", line, value: parsed.value }
          : problemAt(line, `is not strict JSON: ${parsed.detail}`);
      }
    }
  }
}

/** Many European programs write `;`, and text pasted from a spreadsheet has tabs. */
function delimiterOf(head: string): string {
  const [first = ""] = /[^\r\n]+/.exec(head) ?? [];
  const counts = [",", ";", "\t"].map((mark) => ({ mark, count: first.split(mark).length }));
  return counts.sort((a, b) => b.count - a.count)[0]?.mark ?? ",";
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

/** A price may name its currency, and no product is without an availability: an empty cell says nothing. */
const NEVER_EMPTIED = ["price", "currency", "availability"];

/** The fields of a row. Empty ones are left out, unless they empty what was there before. */
function rowValue(record: Readonly<Record<string, string>>, emptiesFields: boolean): JsonObject {
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

/**
 * What stands where the id should be in a row that cannot be read. A row with about twice as many fields is two, with a
 * line break missing between them.
 */
function idIn({ fields }: TableRow, names: readonly string[]): string | null {
  const isOne = fields.length < names.length * 2 - 1;
  return isOne ? (fields[names.lastIndexOf("id")] ?? null) : null;
}

/** The rows of a table with a first line that names its columns, separated by commas, semicolons or tabs. */
export async function* tableLines(bytes: Bytes, form: TableForm): AsyncGenerator<ProductLine> {
  const { head, whole } = await withFirstLine(textOf(bytes));
  const hasReturns = /^[\r\n]*[^\r\n]+\r[^\n]/.test(head);
  const lines = textLines(hasReturns ? withLineFeeds(whole) : whole);
  const { relaxQuotes, emptiesFields } = form;
  let names: readonly string[] | undefined;
  for await (const row of tableRows(lines, { delimiter: delimiterOf(head), relaxQuotes })) {
    const { line, fields, problem } = row;
    if (names === undefined) {
      if (problem !== null) throw new UnreadableListError(`The header line ${problem}.`);
      names = form.readNames(fields);
    } else if (problem === null) {
      const record = Object.fromEntries(
        names.map((name, place) => [name, fields[place] as string]),
      );
      yield { kind: "value", line, value: rowValue(record, emptiesFields) };
    } else yield { kind: "problem", line, problem, id: idIn(row, names) };
  }
}
