import { type CounterName, policyDurationMs } from "@gatehouse/protocol";
import type { Allowance } from "../../../platform/allowance.js";
import type { Queries } from "../../../platform/db/database.js";
import { type Decision, HOUR_MS } from "../decision.js";
import type { Entry } from "./book.js";
import {
  type HourSum,
  hourSums,
  PAGE_ROWS,
  type PastDecision,
  pastDecisions,
  type Summed,
} from "./store.js";

interface Range {
  readonly from: number;
  readonly to: number;
}

/** The decisions that are looked at again: the first and the last of them, and whose they are. */
export interface Looked {
  readonly first: Decision;
  readonly last: Decision;
  readonly actorIds: readonly string[];
}

const hourOf = (at: number) => at - (at % HOUR_MS);

/** Ranges in order, those that touch joined. */
function joined(ranges: readonly Range[]): Range[] {
  const made: Range[] = [];
  for (const { from, to } of [...ranges].sort((one, other) => one.from - other.from)) {
    const before = made.at(-1);
    if (before === undefined || before.to < from) made.push({ from, to });
    else made[made.length - 1] = { from: before.from, to: Math.max(before.to, to) };
  }
  return made;
}

/**
 * The hours in which a window begins while it moves from the first to the last decision: of these,
 * and of the hour of the first, sums do not do.
 */
function brokenHours({ first, last }: Looked, windowsMs: readonly number[]): Range[] {
  const whole = hourOf(first.evaluatedAt);
  const begins = windowsMs.map((ms) => ({
    from: hourOf(first.evaluatedAt - ms),
    to: Math.min(hourOf(last.evaluatedAt - ms) + HOUR_MS, whole),
  }));
  const own = { from: whole, to: last.evaluatedAt + 1 };
  return joined([...begins.filter(({ from, to }) => from < to), own]);
}

/** Reads page by page. */
async function readAll<Row>(
  allowance: Allowance,
  read: (after: Row | undefined) => Promise<Row[]>,
  take: (row: Row) => void,
): Promise<void> {
  for (let after: Row | undefined; ; ) {
    const rows = await read(after);
    allowance.took(rows.length);
    for (const row of rows) take(row);
    await allowance.turn();
    if (rows.length < PAGE_ROWS) return;
    after = rows.at(-1);
  }
}

/**
 * What counters held before the first of some decisions, as far as the windows of these reach:
 * whole hours as sums, and decisions one by one where a window begins within the hour.
 */
export async function loadHistory(
  db: Queries,
  looked: Looked,
  summed: Summed,
  counters: readonly CounterName[],
  allowance: Allowance,
): Promise<Entry[]> {
  if (counters.length === 0) return [];
  const { first, actorIds } = looked;
  const windowsMs = counters.map(({ window }) => policyDurationMs(window) as number);
  const scopes = new Set(counters.map(({ scope }) => scope));
  const broken = brokenHours(looked, windowsMs);
  const entries: Entry[] = [];
  for (const range of broken) {
    const before = { first, summed, actorIds: scopes.has("site") ? null : actorIds, ...range };
    await readAll<PastDecision>(
      allowance,
      (after) => pastDecisions(db, before, after),
      ({ at, actor_id, currency, minor }) => {
        const what = summed === "minor" ? { currency, value: minor } : { currency: "", value: 1 };
        entries.push({ at, whose: [null, actor_id], ...what });
      },
    );
  }
  const from = hourOf(first.evaluatedAt - Math.max(...windowsMs));
  for (const scope of scopes) {
    const whole = { first, from, to: hourOf(first.evaluatedAt) };
    const before = { ...whole, actorIds: scope === "site" ? null : actorIds };
    await readAll<HourSum>(
      allowance,
      (after) => hourSums(db, before, after),
      (sum) => {
        const { hour: at, actor_id } = sum;
        if (broken.some((range) => range.from <= at && at < range.to)) return;
        const currency = summed === "minor" ? sum.currency : "";
        const whose = [scope === "agent" ? actor_id : null];
        entries.push({ at, whose, currency, value: BigInt(sum[summed]) });
      },
    );
  }
  return entries;
}
