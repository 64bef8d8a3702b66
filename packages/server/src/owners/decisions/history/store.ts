import type { Queries } from "../../../platform/db/database.js";
import type { Decision } from "../decision.js";

/** Rows read at once: an embedded database answers nobody else meanwhile. */
export const PAGE_ROWS = 5_000;

/** When a decision counts as spent. */
export const SPENT_AT = "evaluated_at";

/** What is summed up: decisions as they were made, or money as it was spent. */
export type Summed = "decisions" | "minor";

/** Decisions before the first of those that are looked at. */
export interface Before {
  readonly first: Decision;
  readonly summed: Summed;
  /** Only of actors who made one of those that are looked at. */
  readonly theirs: boolean;
  /** Within these, the end not included. */
  readonly from: number;
  readonly to: number;
}

const THEIRS = `AND actor_id IN (SELECT actor_id FROM decisions
  WHERE site_key_hash = ? AND (evaluated_at, decision_id) >= (?, ?))`;
const looked = ({ siteKeyHash, evaluatedAt, decisionId }: Decision) => [
  ...[siteKeyHash, evaluatedAt, decisionId],
];

export interface PastDecision {
  readonly at: number;
  readonly decision_id: string;
  readonly actor_id: string;
  readonly currency: string;
  readonly minor: number;
}

/** A page of decisions, one by one, in order of time. */
export function pastDecisions(
  db: Queries,
  { first, summed, theirs: only, from, to }: Before,
  after: PastDecision | undefined,
): Promise<PastDecision[]> {
  const at = summed === "minor" ? SPENT_AT : "evaluated_at";
  const spent = "AND outcome IN ('approved', 'paying') AND amount_minor IS NOT NULL";
  const { siteKeyHash, evaluatedAt, decisionId } = first;
  return db.all<PastDecision>(
    `SELECT ${at} AS at, decision_id, actor_id, COALESCE(currency, '') AS currency,
       COALESCE(amount_minor, 0) AS minor
     FROM decisions WHERE site_key_hash = ? AND (${at}, decision_id) > (?, ?) AND ${at} < ?
       AND (evaluated_at, decision_id) < (?, ?) ${summed === "minor" ? spent : ""}
       ${only ? THEIRS : ""}
     ORDER BY ${at}, decision_id LIMIT ?`,
    ...[siteKeyHash, after?.at ?? from, after?.decision_id ?? "", to, evaluatedAt, decisionId],
    ...(only ? looked(first) : []),
    PAGE_ROWS,
  );
}

export interface HourSum {
  readonly hour: number;
  /** Empty where it is the sum of a site. */
  readonly actor_id: string;
  readonly currency: string;
  readonly minor: number | string;
  readonly decisions: number | string;
}

/** A page of the sums of hours, in order of time: of each actor, or of the whole site. */
export function hourSums(
  db: Queries,
  { first, theirs: only, from, to }: Omit<Before, "summed">,
  after: HourSum | undefined,
): Promise<HourSum[]> {
  const actor = only ? "actor_id" : "CAST('' AS TEXT)";
  const { hour = from, actor_id = "", currency = "" } = after ?? {};
  // Before the very first place, since a sum may have neither an actor nor a currency.
  const passed = after === undefined ? from - 1 : hour;
  return db.all<HourSum>(
    `SELECT hour, ${actor} AS actor_id, currency, SUM(minor) AS minor, SUM(decisions) AS decisions
     FROM decision_hours WHERE site_key_hash = ? AND hour >= ? AND hour < ?
       AND (hour, ${actor}, currency) > (?, ?, ?) ${only ? THEIRS : ""}
     GROUP BY hour, ${only ? "actor_id, " : ""}currency
     ORDER BY hour, ${only ? "actor_id, " : ""}currency LIMIT ?`,
    ...[first.siteKeyHash, hour, to, passed, actor_id, currency],
    ...(only ? looked(first) : []),
    PAGE_ROWS,
  );
}
