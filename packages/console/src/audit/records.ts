import { type JsonObject, RECORD_TYPES, recordSummary } from "@gatehouse/protocol";

/** Every type of record, to choose from. */
export const TYPES: Readonly<Record<string, string>> = Object.fromEntries(
  RECORD_TYPES.map((type) => [type, type]),
);

/** A record in a few words: what, and who. */
export function recordText(record: Readonly<Record<string, unknown>>): string {
  const { what, who } = recordSummary(record as JsonObject);
  return [what, who].filter((text) => text !== "").join(", by ");
}
