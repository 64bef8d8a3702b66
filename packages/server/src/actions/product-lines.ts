import { type JsonObject, type JsonValue, parseJson } from "@gatehouse/protocol";
import { type CsvError, type Options, parse } from "csv-parse";

/** Longest line of an import, in bytes. */
const LINE_BYTES_MAX = 64 * 1024;

/** One line of an import: what it holds, or why it cannot be read. */
export type ProductLine =
  | { readonly line: number; readonly value: JsonValue }
  | { readonly line: number; readonly problem: string };

type Bytes = AsyncIterable<Uint8Array>;

/** Lines of text with their number, each held to its limit while it comes. */
async function* textLines(bytes: Bytes): AsyncGenerator<{ line: number; text: string | null }> {
  const decoder = new TextDecoder();
  let rest = "";
  let line = 0;
  /** The line is too long: what follows of it is dropped. */
  let dropping = false;
  for await (const chunk of bytes) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop() as string;
    for (const text of parts) {
      line++;
      yield { line, text: dropping || text.length > LINE_BYTES_MAX ? null : text };
      dropping = false;
    }
    if (rest.length > LINE_BYTES_MAX) {
      dropping = true;
      rest = "";
    }
  }
  if (rest !== "" || dropping) yield { line: line + 1, text: dropping ? null : rest };
}

/** Products as JSON, one in a line. */
export async function* jsonLines(bytes: Bytes): AsyncGenerator<ProductLine> {
  for await (const { line, text } of textLines(bytes)) {
    if (text === null) yield { line, problem: `has more than ${LINE_BYTES_MAX} bytes` };
    else if (text.trim() !== "") {
      const parsed = parseJson(new TextEncoder().encode(text.trim()));
      yield parsed.ok
        ? { line, value: parsed.value }
        : { line, problem: `is not strict JSON: ${parsed.detail}` };
    }
  }
}

/** Shops of the continent write `;`, sheets that were pasted have tabs. */
function delimiterOf(head: string): string {
  const [first = ""] = head.split(/\r?\n/, 1);
  const counts = [",", ";", "\t"].map((mark) => ({ mark, count: first.split(mark).length }));
  return counts.sort((a, b) => b.count - a.count)[0]?.mark ?? ",";
}

/** The first piece, put back before the rest: the delimiter is read off it. */
async function* withHead(head: IteratorResult<Uint8Array>, rest: AsyncIterator<Uint8Array>) {
  for (let next = head; next.done !== true; next = await rest.next()) yield next.value;
}

function csvProblem({ code }: CsvError): string {
  if (code === "CSV_RECORD_INCONSISTENT_COLUMNS") return "has not as many fields as the first line";
  if (code === "CSV_MAX_RECORD_SIZE") return `has more than ${LINE_BYTES_MAX} bytes`;
  return "has a quote where none belongs";
}

/** A row as a product has it: what is empty is left out. */
function rowValue(record: Record<string, string>): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([, text]) => text !== ""));
}

/** Products as CSV (RFC 4180), with a first line that names the fields. */
export async function* csvLines(bytes: Bytes): AsyncGenerator<ProductLine> {
  const pieces = bytes[Symbol.asyncIterator]();
  const head = await pieces.next();
  const skipped: ProductLine[] = [];
  const options: Options = {
    ...{ bom: true, info: true, skip_empty_lines: true, max_record_size: LINE_BYTES_MAX },
    ...{ relax_quotes: false, skip_records_with_error: true },
    delimiter: delimiterOf(new TextDecoder().decode(head.value ?? new Uint8Array())),
    columns: (names: string[]) => names.map((name) => name.trim().toLowerCase()),
    onSkip: (error: CsvError | undefined) => {
      if (error === undefined) return undefined;
      const line = typeof error.lines === "number" ? error.lines : 0;
      skipped.push({ line, problem: csvProblem(error) });
      return undefined;
    },
  };
  const parser = parse(options);
  const feeding = (async () => {
    for await (const piece of withHead(head, pieces)) {
      if (!parser.write(piece)) await new Promise((resolve) => parser.once("drain", resolve));
    }
    parser.end();
  })().catch((error: Error) => parser.destroy(error));
  for await (const { info, record } of parser) {
    yield* skipped.splice(0);
    yield { line: info.lines as number, value: rowValue(record) };
  }
  yield* skipped;
  await feeding;
}
