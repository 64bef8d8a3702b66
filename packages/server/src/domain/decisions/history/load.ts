import { type CounterName, policyDurationMs } from "@gatehouse/protocol";
import type { Queries } from "../../../infra/db/database.js";
import { HOUR_MS } from "../../../infra/time.js";
import type { WorkBudget } from "../../../infra/work-budget.js";
import type { Decision } from "../decision.js";
import type { Entry } from "./book.js";
import {
  type HoursSum,
  hoursSums,
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
  readonly identities: readonly string[];
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
function brokenHours({ first, last }: Looked, counters: readonly CounterName[]): Range[] {
  const whole = hourOf(first.evaluatedAt);
  const begins = counters.map(({ window }) => {
    const ms = policyDurationMs(window) as number;
    const from = hourOf(first.evaluatedAt - ms);
    return { from, to: Math.min(hourOf(last.evaluatedAt - ms) + HOUR_MS, whole) };
  });
  const own = { from: whole, to: last.evaluatedAt + 1 };
  return joined([...begins.filter(({ from, to }) => from < to), own]);
}

/** What lies between ranges that are in order. */
function between(ranges: readonly Range[]): Range[] {
  return ranges.slice(1).map(({ from }, n) => ({ from: (ranges[n] as Range).to, to: from }));
}

/** Reads page by page. */
async function readAll<Row>(
  allowance: WorkBudget,
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
 * What counters held before the first of some decisions, as far as the windows of these reach. Where
 * windows begin, decisions come one by one; all hours from there to where the next begin are in a
 * window as a whole or not at all, so that one sum of them does.
 */
export async function loadHistory(
  db: Queries,
  looked: Looked,
  summed: Summed,
  counters: readonly CounterName[],
  allowance: WorkBudget,
): Promise<Entry[]> {
  if (counters.length === 0) return [];
  const { first, identities } = looked;
  const scopes = new Set(counters.map(({ scope }) => scope));
  const broken = brokenHours(looked, counters);
  const entries: Entry[] = [];
  for (const range of broken) {
    const before = { first, summed, identities: scopes.has("site") ? null : identities, ...range };
    await readAll<PastDecision>(
      allowance,
      (after) => pastDecisions(db, before, after),
      ({ at, identity, currency, minor }) => {
        const what = summed === "minor" ? { currency, value: minor } : { currency: "", value: 1 };
        entries.push({ at, whose: [null, identity], ...what });
      },
    );
  }
  for (const range of between(broken)) {
    for (const scope of scopes) {
      const before = { first, identities: scope === "site" ? null : identities, ...range };
      await readAll<HoursSum>(
        allowance,
        (after) => hoursSums(db, before, after),
        (sum) => {
          const whose = [scope === "site" ? null : sum.identity];
          const currency = summed === "minor" ? sum.currency : "";
          entries.push({ at: range.from, whose, currency, value: BigInt(sum[summed]) });
        },
      );
    }
  }
  return entries;
}
