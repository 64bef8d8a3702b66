import { type AuditRecord, isJsonObject, recordSummary } from "@gatehouse/protocol";

/** Who did it: where a person decided about an agent's request, the person. */
function doer(record: AuditRecord): string {
  const { actor } = record;
  const id = isJsonObject(actor) ? actor.id : undefined;
  return typeof id === "string" ? id : recordSummary(record).who;
}

/** One record as one line for people. */
export function describeRecord(record: AuditRecord): string {
  const { what } = recordSummary(record);
  const who = doer(record);
  const cells = [
    String(record.seq).padStart(6),
    record.recorded_at,
    record.type.padEnd(17),
    what,
    who === "" ? "" : `by ${who}`,
  ];
  return cells.join("  ").trimEnd();
}
