import { type JsonObject, type JsonValue, recordSummary } from "@gatehouse/protocol";
import { visible } from "./dom.js";

/** Characters shown of one member in a row; the record in full is one click away. */
const CELL_CHARS_MAX = 100;

function cell(value: JsonValue | undefined): string {
  if (typeof value !== "string") return "";
  const short = value.slice(0, CELL_CHARS_MAX).replace(/[\uD800-\uDBFF]$/, "");
  return visible(short) + (short.length < value.length ? "…" : "");
}

/** The cells of a record: when, what kind, what happened, who did it. */
export function recordWords(record: JsonObject): readonly string[] {
  const { what, who } = recordSummary(record);
  return [record.recorded_at, record.type, what, who].map(cell);
}
