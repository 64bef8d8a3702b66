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

/** The decisions to evaluate again: the first, the last, and their identities. */
export interface DecisionRange {
  readonly first: Decision;
  readonly last: Decision;
  readonly identities: readonly string[];
}

const hourOf = (at: number) => at - (at % HOUR_MS);

/** Sorts ranges and joins those that touch. */
function joined(ranges: readonly Range[]): Range[] {
  const result: Range[] = [];
  for (const { from, to } of [...ranges].sort((a, b) => a.from - b.from)) {
    const before = result.at(-1);
    if (before === undefined || before.to < from) result.push({ from, to });
    else result[result.length - 1] = { from: before.from, to: Math.max(before.to, to) };
  }
  return result;
}

/**
 * The hours in which some window begins while it moves from the first decision to the last, and the
 * hour of the first decision. Sums of whole hours are not exact enough for these.
 */
function brokenHours({ first, last }: DecisionRange, counters: readonly CounterName[]): Range[] {
  const whole = hourOf(first.evaluatedAt);
  const begins = counters.map(({ window }) => {
    const ms = policyDurationMs(window) as number;
    const from = hourOf(first.evaluatedAt - ms);
    return { from, to: Math.min(hourOf(last.evaluatedAt - ms) + HOUR_MS, whole) };
  });
  const own = { from: whole, to: last.evaluatedAt + 1 };
  return joined([...begins.filter(({ from, to }) => from < to), own]);
}

/** The gaps between sorted ranges. */
function between(ranges: readonly Range[]): Range[] {
  return ranges.slice(1).map(({ from }, n) => ({ from: (ranges[n] as Range).to, to: from }));
}

/** Reads all pages. */
async function readAll<Row>(
  budget: WorkBudget,
  read: (after: Row | undefined) => Promise<Row[]>,
  take: (row: Row) => void,
): Promise<void> {
  for (let after: Row | undefined; ; ) {
    const rows = await read(after);
    budget.took(rows.length);
    for (const row of rows) take(row);
    await budget.turn();
    if (rows.length < PAGE_ROWS) return;
    after = rows.at(-1);
  }
}

/**
 * Loads the counters as they were before the first decision, as far back as their windows reach.
 * Decisions are read one by one in the hours in which a window begins. The hours between are in a
 * window completely or not at all, so one sum of them is enough.
 */
export async function loadHistory(
  db: Queries,
  replayed: DecisionRange,
  summed: Summed,
  counters: readonly CounterName[],
  budget: WorkBudget,
): Promise<Entry[]> {
  if (counters.length === 0) return [];
  const { first, identities } = replayed;
  const scopes = new Set(counters.map(({ scope }) => scope));
  const broken = brokenHours(replayed, counters);
  const entries: Entry[] = [];
  for (const range of broken) {
    const before = { first, summed, identities: scopes.has("site") ? null : identities, ...range };
    await readAll<PastDecision>(
      budget,
      (after) => pastDecisions(db, before, after),
      ({ at, identity, currency, minor }) => {
        const counted =
          summed === "minor" ? { currency, value: minor } : { currency: "", value: 1 };
        entries.push({ at, counters: [null, identity], ...counted });
      },
    );
  }
  for (const range of between(broken)) {
    for (const scope of scopes) {
      const before = { first, identities: scope === "site" ? null : identities, ...range };
      await readAll<HoursSum>(
        budget,
        (after) => hoursSums(db, before, after),
        (sum) => {
          entries.push({
            at: range.from,
            counters: [scope === "site" ? null : sum.identity],
            currency: summed === "minor" ? sum.currency : "",
            value: BigInt(sum[summed]),
          });
        },
      );
    }
  }
  return entries;
}
