import { type AuditRecord, recordSummary } from "@gatehouse/protocol";

/** One record as one line for people. */
export function describeRecord(record: AuditRecord): string {
  const { what, who } = recordSummary(record);
  const cells = [
    String(record.seq).padStart(6),
    record.recorded_at,
    record.type.padEnd(17),
    what,
    who === "" ? "" : `by ${who}`,
  ];
  return cells.join("  ").trimEnd();
}
