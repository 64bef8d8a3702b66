import { isJsonObject } from "@gatehouse/protocol";
import {
  type ProductLine,
  tableLines,
  UnreadableListError,
} from "../../domain/products/product-lines.js";
import {
  attributeName,
  type FieldContext,
  fromGoogle,
  type GoogleAttributes,
} from "./google-fields.js";

const COLUMNS_MAX = 500;

/** The column names. Those that are not ours are read and ignored, because shops add their own. */
function readNames(names: readonly string[]): string[] {
  if (names.length > COLUMNS_MAX) {
    throw new UnreadableListError(`The header line has more than ${COLUMNS_MAX} columns.`);
  }
  const read = names.map(attributeName);
  const missing = ["id", "title", "price"].find((name) => !read.includes(name));
  if (missing === undefined) return read;
  throw new UnreadableListError(`The header line has no column ${missing}.`);
}

/** The rows of a feed with a header line in Google's words, separated by tabs, commas or semicolons. */
export async function* googleTableItems(
  bytes: AsyncIterable<Uint8Array>,
  context: FieldContext,
): AsyncGenerator<ProductLine> {
  for await (const line of tableLines(bytes, {
    readNames,
    relaxQuotes: true,
    emptiesFields: false,
  })) {
    const isRow = line.kind === "value" && isJsonObject(line.value);
    yield isRow ? { ...line, value: fromGoogle(line.value as GoogleAttributes, context) } : line;
  }
}
