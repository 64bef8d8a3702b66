import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { type Actor, actorDraft, type RecordDraft } from "../../domain/audit/drafts.js";
import type { LogHead, StoredRecord } from "../../domain/audit/log.js";
import type { LogReader } from "../../domain/audit/log-reader.js";
import { matches, type RecordFilter } from "../../domain/audit/records/store.js";
import { logsOfSite } from "../../domain/audit/store.js";
import type { Queries } from "../../infra/db/database.js";
import { type ProvenRecord, proveRecord } from "./prove-record.js";

export interface RecordsQuery extends RecordFilter {
  /** One of the site's logs; the newest if none is named. */
  readonly chain: string | null;
  /** Oldest first, from this number on; null for newest first. */
  readonly from: number | null;
  /** Newest first, only records before this number. */
  readonly before: number | null;
  readonly limit: number;
}

export interface RecordsPage {
  readonly chain: string;
  readonly records: readonly StoredRecord[];
  /** The number that the next, older page begins before; undefined on the last page. */
  readonly next: number | undefined;
}

/** The log with this name, or the newest log of a site. */
async function findLog(
  db: Queries,
  siteKeyHash: string,
  chain: string | null,
): Promise<Result<LogHead, "not_found">> {
  const logs = await logsOfSite(db, siteKeyHash);
  const log = chain === null ? logs[0] : logs.find((head) => head.chain === chain);
  return log === undefined ? refuse("not_found", "The site has no such log.") : ok(log);
}

async function pageOf(reader: LogReader, head: LogHead, query: RecordsQuery): Promise<RecordsPage> {
  const { chain } = head;
  const { from, before, limit } = query;
  if (from === null) {
    return { chain, ...(await reader.page(chain, { ...query, before: before ?? head.size })) };
  }
  const records = await reader.recordsBetween(chain, from, Math.min(from + limit, head.size));
  const matching = records.filter((record) => matches(record, query));
  return { chain, records: matching, next: undefined };
}

/** Whether all these records are about reading the log. */
function showsOnlyReading(records: readonly StoredRecord[]): boolean {
  return records.every(({ type }) => type === "audit.read");
}

/** The record that somebody reads these records; undefined if all of them are about reading. */
function readingDraft(
  { chain, records }: Pick<RecordsPage, "chain" | "records">,
  { type, actor: searched }: Pick<RecordFilter, "type" | "actor">,
  actor: Actor,
  now: number,
): RecordDraft | undefined {
  // A search tells the reader something even if there are no such records.
  const isSearch = type !== null || searched !== null;
  if (!isSearch && showsOnlyReading(records)) return undefined;
  const places = records.map(({ seq }) => seq);
  const range =
    places.length === 0 ? {} : { from_seq: Math.min(...places), to_seq: Math.max(...places) };
  const by = searched === null ? {} : { actor_id: searched };
  const read = { chain, ...range, count: records.length, type, ...by };
  return actorDraft("audit.read", actor, now, { read });
}

/**
 * Reads a page of a log, and records that before the page is shown. A page with only records of reading is
 * not recorded: two readers who follow a log would otherwise cause new records for ever. The page is read
 * before the commit, because records never change and an archive may be slow.
 */
export async function readRecords(
  { audit, clock, db }: Context,
  siteKeyHash: string,
  query: RecordsQuery,
  actor: Actor,
): Promise<Result<RecordsPage, "not_found">> {
  const log = await findLog(db, siteKeyHash, query.chain);
  if (!log.ok) return log;
  const page = await pageOf(audit.reader, log.value, query);
  const draft = readingDraft(page, query, actor, clock.now());
  if (draft !== undefined) {
    await audit.commit(siteKeyHash, async () => ({ records: [draft], answer: null }));
  }
  return ok(page);
}

const ALL = { type: null, actor: null };

/** Reads one record with the proof that it is in its log. It is recorded like a page with one record. */
export async function readProvenRecord(
  context: Context,
  siteKeyHash: string,
  recordId: string,
  actor: Actor,
): Promise<Result<ProvenRecord, "not_found">> {
  const { audit, clock } = context;
  const record = await audit.reader.recordById(siteKeyHash, recordId);
  const page = record && { chain: record.chain, records: [record] };
  const draft = page && readingDraft(page, ALL, actor, clock.now());
  if (draft !== undefined) {
    await audit.commit(siteKeyHash, async () => ({ records: [draft], answer: null }));
  }
  return proveRecord(context, siteKeyHash, recordId, "owner");
}
