import { ok, PART_RECORDS_MAX, type Result, refuse } from "@gatehouse/protocol";
import type { Queries, Transaction } from "../../../infra/db/database.js";
import { DAY_MS, HOUR_MS } from "../../../infra/time.js";
import { partAt } from "../archive/store.js";
import { AuditUnavailableError, dayOf, type LogHead, startOfDay } from "../log.js";
import { recordsBetween } from "../records/store.js";
import { sizeBefore } from "../size-before.js";
import { replaceSnapshot, type SnapshotRow, snapshotByName } from "./store.js";

export const EXPORT_FORMATS = ["json", "html", "ocsf"] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** How long the parts of one export belong together, counted from the first. */
const SNAPSHOT_MS = HOUR_MS;

/** Who exports what. */
export interface ExportName {
  readonly tokenId: string;
  readonly day: string;
  readonly format: ExportFormat;
}

/** The state that an export is made from. All parts show this state, even if more is recorded later. */
export interface ExportSnapshot extends ExportName {
  readonly chain: string;
  readonly firstSeq: number;
  readonly count: number;
  /** Whether the day is over. */
  readonly closed: boolean;
  readonly parts: number;
  /** The key that signs every part. */
  readonly keyId: string;
  readonly expiresAt: number;
}

function snapshotOf(row: SnapshotRow): ExportSnapshot {
  return Object.freeze({
    tokenId: row.token_id,
    chain: row.chain,
    day: row.day,
    format: row.format as ExportFormat,
    firstSeq: row.first_seq,
    count: row.count,
    closed: row.closed === 1,
    keyId: row.key_id,
    expiresAt: row.expires_at,
    parts: Math.max(1, Math.ceil(row.count / PART_RECORDS_MAX)),
  });
}

/**
 * The bounds of a day come from a column that nobody signed. So before an export is signed, the
 * records on both sides of each bound are read. Otherwise somebody with write access to the
 * database could shorten a day.
 */
async function checkBounds(
  tx: Queries,
  { chain, size }: LogHead,
  day: string,
  [first, end]: readonly [number, number],
): Promise<void> {
  const dayAt = async (seq: number) => {
    const [record] = await recordsBetween(tx, chain, seq, seq + 1);
    // The file of an archived record contains its day and was verified before the row was deleted.
    const archived = record === undefined ? await partAt(tx, chain, seq) : undefined;
    if (archived !== undefined) return archived.day;
    return String(JSON.parse(record?.text ?? "{}").recorded_at).slice(0, 10);
  };
  const before = first === 0 || (await dayAt(first - 1)) < day;
  const after = end === size || (await dayAt(end)) > day;
  const inside = first === end || ((await dayAt(first)) === day && (await dayAt(end - 1)) === day);
  if (!before || !after || !inside) throw new AuditUnavailableError(`the times of ${chain} differ`);
}

/**
 * Fixes the state for all parts of an export, in the transaction that records the export. The
 * record is dated today, so no later record can be dated into a day that is over.
 */
export async function takeSnapshot(
  tx: Transaction,
  { tokenId, day, format }: ExportName,
  head: LogHead,
  { now, keyId }: { readonly now: number; readonly keyId: string },
): Promise<ExportSnapshot> {
  const start = startOfDay(day);
  if (start === undefined) throw new TypeError("takeSnapshot: not a day");
  const first_seq = await sizeBefore(tx, head.chain, head.size, start);
  const end = await sizeBefore(tx, head.chain, head.size, start + DAY_MS);
  await checkBounds(tx, head, day, [first_seq, end]);
  const today = dayOf(Math.max(now, head.recordedAt));
  const row: SnapshotRow = {
    token_id: tokenId,
    chain: head.chain,
    day,
    format,
    first_seq,
    count: end - first_seq,
    closed: day < today ? 1 : 0,
    key_id: keyId,
    expires_at: now + SNAPSHOT_MS,
  };
  await replaceSnapshot(tx, row, now);
  return snapshotOf(row);
}

/** The snapshot of a later part. */
export async function findSnapshot(
  tx: Transaction,
  { tokenId, day, format }: ExportName,
  head: LogHead,
  { now, keyId }: { readonly now: number; readonly keyId: string },
): Promise<Result<ExportSnapshot, "conflict">> {
  const name = { token_id: tokenId, chain: head.chain, day, format };
  const row = await snapshotByName(tx, name, now);
  if (row === undefined) {
    const why =
      "Part 1 was not requested within the last hour. Start the export again with part 1.";
    return refuse("conflict", why);
  }
  if (row.key_id === keyId) return ok(snapshotOf(row));
  const why = "The audit key was rotated after part 1. Start the export again with part 1.";
  return refuse("conflict", why);
}

const DIGESTS_MAX = 10_000;

/** Digests of the parts of current exports. Digests that are no longer in memory are computed again. */
export class PartDigests {
  private readonly known = new Map<string, string>();

  private name({ tokenId, chain, day, format, expiresAt }: ExportSnapshot, part: number): string {
    return [tokenId, chain, day, format, expiresAt, part].join(" ");
  }

  get(snapshot: ExportSnapshot, part: number): string | undefined {
    return this.known.get(this.name(snapshot, part));
  }

  set(snapshot: ExportSnapshot, part: number, digest: string): void {
    if (this.known.size >= DIGESTS_MAX) this.known.clear();
    this.known.set(this.name(snapshot, part), digest);
  }
}
