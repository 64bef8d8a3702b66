import type { ExpectedRead, Queries, Transaction } from "../../../infra/db/database.js";
import { countRows, selectNumber } from "../../../infra/db/statements.js";
import { HOUR_MS, MINUTE_MS } from "../../../infra/time.js";
import type { Decision } from "../decision.js";

const floor = (ms: number, unitMs: number) => ms - (ms % unitMs);
/** Hours are stored forever, minutes only as long as rules need them. */
const BUCKETS = [
  { table: "decision_hours", column: "hour", unitMs: HOUR_MS },
  { table: "decision_minutes", column: "minute", unitMs: MINUTE_MS },
] as const;

/** Adds to the hour and the minute of a time: the decisions made, and the money spent or returned. */
export async function addToBuckets(
  tx: Transaction,
  { siteKeyHash, identity, amount }: Pick<Decision, "siteKeyHash" | "identity" | "amount">,
  at: number,
  { minor, decisions }: { readonly minor: number; readonly decisions: number },
): Promise<void> {
  for (const { table, column, unitMs } of BUCKETS) {
    const key = {
      site_key_hash: siteKeyHash,
      [column]: floor(at, unitMs),
      actor_id: identity,
      currency: amount?.currency ?? "",
    };
    await tx.add(table, key, { minor, decisions });
  }
  for (const read of tx.memory(ReadWindows).values()) {
    if (read.siteKeyHash !== siteKeyHash || at <= read.since) continue;
    if (read.identity !== null && read.identity !== identity) continue;
    if (read.currency === undefined) read.value += decisions;
    else if (read.currency === amount?.currency) read.value += minor;
  }
}

export async function deleteExpiredMinutes(tx: Transaction, before: number): Promise<void> {
  await tx.run("DELETE FROM decision_minutes WHERE minute < ?", before);
}

/** What was read of a window: the number of its decisions, or the money spent in a currency. */
interface ReadWindow extends CountedWindow {
  readonly currency: string | undefined;
  value: number;
}

/** The windows that a transaction has read. What it decides is added to them, so they stay exact. */
class ReadWindows extends Map<string, ReadWindow> {}

const nameOf = ({ siteKeyHash, identity, since }: CountedWindow, currency: string | undefined) =>
  JSON.stringify([siteKeyHash, identity, since, currency]);

/** What {@link countDecisions} reads, or {@link sumSpent} if a currency is given. */
export function readOfWindow(counted: CountedWindow, currency?: string): ExpectedRead {
  const read = (tx: Queries) =>
    currency === undefined ? countDecisions(tx, counted) : sumSpent(tx, counted, currency);
  return { kind: "remember", name: nameOf(counted, currency), read };
}

async function readOnce(
  tx: Queries,
  counted: CountedWindow,
  currency: string | undefined,
  read: () => Promise<number>,
): Promise<number> {
  const windows = tx.memory(ReadWindows);
  const name = nameOf(counted, currency);
  let known = windows.get(name);
  if (known === undefined) {
    known = { ...counted, currency, value: await read() };
    windows.set(name, known);
  }
  return known.value;
}

/** The decisions to count: those of one identity, or all of a site. */
export interface CountedWindow {
  readonly siteKeyHash: string;
  readonly identity: string | null;
  /** Excluded; everything after it up to `now` is counted. */
  readonly since: number;
  readonly now: number;
}

export function countDecisions(tx: Queries, counted: CountedWindow): Promise<number> {
  return readOnce(tx, counted, undefined, () => countInWindow(tx, counted));
}

async function countInWindow(tx: Queries, counted: CountedWindow): Promise<number> {
  const { siteKeyHash, identity, since } = counted;
  const { table, column, unitMs } = bucketFor(counted);
  const whole = floor(since, unitMs) + unitMs;
  const inBuckets = selectNumber(
    tx,
    "SUM(decisions)",
    `${table} WHERE site_key_hash = ? AND ${column} >= ? AND ${MINE_IN_BUCKETS}`,
    siteKeyHash,
    whole,
    identity,
    identity,
  );
  const before = countRows(
    tx,
    `decisions WHERE site_key_hash = ? AND evaluated_at > ? AND evaluated_at < ? AND ${MINE}`,
    siteKeyHash,
    since,
    whole,
    identity,
    identity,
  );
  return (await inBuckets) + (await before);
}

/** The money spent in a currency, in minor units, up to the largest exact integer. */
export async function sumSpent(
  tx: Queries,
  counted: CountedWindow,
  currency: string,
): Promise<number> {
  const sum = await readOnce(tx, counted, currency, () => sumInWindow(tx, counted, currency));
  return Math.min(sum, Number.MAX_SAFE_INTEGER);
}

async function sumInWindow(tx: Queries, counted: CountedWindow, currency: string): Promise<number> {
  const { siteKeyHash, identity, since } = counted;
  const { table, column, unitMs } = bucketFor(counted);
  const whole = floor(since, unitMs) + unitMs;
  const inBuckets = selectNumber(
    tx,
    "SUM(minor)",
    `${table} WHERE site_key_hash = ? AND ${column} >= ? AND currency = ? AND ${MINE_IN_BUCKETS}`,
    siteKeyHash,
    whole,
    currency,
    identity,
    identity,
  );
  const before = selectNumber(
    tx,
    "SUM(amount_minor)",
    `decisions
     WHERE site_key_hash = ? AND spent_at > ? AND spent_at < ? AND currency = ? AND ${MINE}`,
    siteKeyHash,
    since,
    whole,
    currency,
    identity,
    identity,
  );
  return (await inBuckets) + (await before);
}

const MINE = "(CAST(? AS TEXT) IS NULL OR identity = ?)";
/** The bucket tables still have the old name of the column. */
const MINE_IN_BUCKETS = "(CAST(? AS TEXT) IS NULL OR actor_id = ?)";

/**
 * A short window is a sum of minutes, a long one of hours. Single rows fill the part of the window
 * before the first whole bucket.
 */
function bucketFor({ since, now }: CountedWindow) {
  return now - since > HOUR_MS ? BUCKETS[0] : BUCKETS[1];
}
