import type { Queries, Transaction } from "../../../infra/db/database.js";
import { rowExists, selectValue } from "../../../infra/db/statements.js";
import { hashesIn, type StoredRecord } from "../log.js";

const COLUMNS = "chain, seq, type, record_id, recorded_at, text, hash, sig, key_id";

export function recordExists(db: Queries, recordId: string): Promise<boolean> {
  return rowExists(db, "audit_records WHERE record_id = ?", recordId);
}

/** A record of a site by its id. */
export function recordById(
  db: Queries,
  siteKeyHash: string,
  recordId: string,
): Promise<StoredRecord | undefined> {
  return db.get<StoredRecord>(
    `SELECT ${COLUMNS} FROM audit_records WHERE record_id = ?
       AND chain IN (SELECT chain FROM audit_chains WHERE site_key_hash = ?)`,
    recordId,
    siteKeyHash,
  );
}

/** Ids per query. */
export const RECORD_IDS_MAX = 100;
const ID_MARKS = Array(RECORD_IDS_MAX).fill("?").join(", ");

/** The texts of a site's records by id. */
export async function recordTexts(
  db: Queries,
  siteKeyHash: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length > RECORD_IDS_MAX) throw new Error("too many records are asked for at once");
  // Padded to a fixed number, so that the database plans one statement. No record has an empty id.
  const named = Array.from({ length: RECORD_IDS_MAX }, (_, place) => ids[place] ?? "");
  const rows = await db.all<Pick<StoredRecord, "record_id" | "text">>(
    `SELECT record_id, text FROM audit_records WHERE record_id IN (${ID_MARKS})
       AND chain IN (SELECT chain FROM audit_chains WHERE site_key_hash = ?)`,
    ...named,
    siteKeyHash,
  );
  return new Map(rows.map(({ record_id, text }) => [record_id, text]));
}

/** Records of a log from one position up to, and excluding, another. */
export function recordsBetween(
  db: Queries,
  chain: string,
  from: number,
  to: number,
): Promise<StoredRecord[]> {
  return db.all<StoredRecord>(
    `SELECT ${COLUMNS} FROM audit_records WHERE chain = ? AND seq >= ? AND seq < ? ORDER BY seq`,
    chain,
    from,
    to,
  );
}

/** Records between two positions, newest first; only of one type or one actor, if they are given. */
export function recordsBefore(
  db: Queries,
  chain: string,
  [from, before]: readonly [number, number],
  { type, actor, limit }: Pick<RecordFilter, "type" | "actor"> & { readonly limit: number },
): Promise<StoredRecord[]> {
  const [acted, requester] = actor === null ? [null, null] : marksOfActor(actor);
  return db.all<StoredRecord>(
    `SELECT ${COLUMNS} FROM audit_records WHERE chain = ? AND seq >= ? AND seq < ?
       AND (CAST(? AS TEXT) IS NULL OR type = ?)
       AND (CAST(? AS TEXT) IS NULL OR replace(text, ?, '') <> text OR replace(text, ?, '') <> text)
     ORDER BY seq DESC LIMIT ?`,
    chain,
    from,
    before,
    type,
    type,
    acted,
    acted,
    requester,
    limit,
  );
}

/** When the record at a position was written; undefined if the database does not have it. */
export function recordedAt(db: Queries, chain: string, seq: number): Promise<number | undefined> {
  const from = "audit_records WHERE chain = ? AND seq = ?";
  return selectValue<number>(db, "recorded_at", from, chain, seq);
}

/** The tree data of a record. */
export interface Leaf {
  readonly hash: string;
  /** The subtrees that it completed, smallest first. */
  readonly closed: readonly string[];
}

/** The leaf at a position; undefined if the database does not have it. */
export async function leafAt(db: Queries, chain: string, seq: number): Promise<Leaf | undefined> {
  const row = await db.get<{ hash: string; closed: string }>(
    "SELECT hash, closed FROM audit_records WHERE chain = ? AND seq = ?",
    chain,
    seq,
  );
  return row && { hash: row.hash, closed: hashesIn(row.closed) };
}

/**
 * Deletes records of a log from one position up to, and excluding, another. The database refuses to
 * delete records that are not archived.
 */
export function deleteArchivedRecords(
  tx: Transaction,
  chain: string,
  from: number,
  to: number,
): Promise<number> {
  return tx.run(
    "DELETE FROM audit_records WHERE chain = ? AND seq >= ? AND seq < ?",
    chain,
    from,
    to,
  );
}

/** The first record of a log that the database has. */
export function firstKept(db: Queries, chain: string): Promise<number | undefined> {
  return selectValue<number>(
    db,
    "seq",
    "audit_records WHERE chain = ? ORDER BY seq LIMIT 1",
    chain,
  );
}

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
 * How the text of a record names the actor, or the agent that a decision was about. Records are canonical JSON, so
 * each has only one form, and no string in a record can contain it.
 */
const marksOfActor = (actor: string): readonly [string, string] => [
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
