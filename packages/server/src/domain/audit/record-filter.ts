import type { StoredRecord } from "./log.js";

/** What a list of records is limited to. null does not limit it. */
export interface RecordFilter {
  readonly type: string | null;
  /** Who acted: the id of a person, a token, a part of the service, an agent or a platform. */
  readonly actor: string | null;
  /** When it was written, from the first moment until before the second. */
  readonly since: number | null;
  readonly until: number | null;
}

/**
 * How the text of a record names whoever acted, or the agent that a decision was about. Records are canonical JSON, so
 * each has only one form, and no string in a record can contain it.
 */
export const marksOfActor = (actor: string): readonly [string, string] => [
  `"actor":{"id":${JSON.stringify(actor)}`,
  `"agent":{"id":${JSON.stringify(actor)}`,
];

export function matches(record: StoredRecord, filter: RecordFilter): boolean {
  const { type, actor, since, until } = filter;
  if (type !== null && record.type !== type) return false;
  if (since !== null && record.recorded_at < since) return false;
  if (until !== null && record.recorded_at >= until) return false;
  return actor === null || marksOfActor(actor).some((mark) => record.text.includes(mark));
}
