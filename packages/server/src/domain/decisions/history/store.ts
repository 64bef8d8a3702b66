import type { Queries } from "../../../infra/db/database.js";
import type { Decision } from "../decision.js";

/** Rows read at once: an embedded database answers nobody else meanwhile. */
export const PAGE_ROWS = 5_000;

/** When a decision counts as spent. */
export const SPENT_AT = "spent_at";

/** What is summed up: decisions as they were made, or money as it was spent. */
export type Summed = "decisions" | "minor";

/** Decisions before the first of those that are looked at. */
export interface Before {
  readonly first: Decision;
  readonly summed: Summed;
  /** Only of these identities; null: all of the site. */
  readonly identities: readonly string[] | null;
  /** Within these, the end not included. */
  readonly from: number;
  readonly to: number;
}

/** Lists of identities are padded to these lengths, so that the database plans few statements. */
const IDENTITIES_NAMED = [10, 100, 1_000];

/**
 * A list and its values, rather than a query for them: planned for few rows, that is asked again
 * for every one. The last is named as often as the list is long.
 */
function oneOf(identities: readonly string[]) {
  const length = IDENTITIES_NAMED.find((size) => size >= identities.length);
  if (length === undefined) throw new Error("too many identities are asked for at once");
  const values = Array.from({ length }, (_, n) => identities[n] ?? identities.at(-1) ?? "");
  return { list: `(${Array(length).fill("?").join(", ")})`, values };
}

export interface PastDecision {
  readonly at: number;
  readonly decision_id: string;
  readonly identity: string;
  readonly currency: string;
  readonly minor: number;
}

/** A page of decisions, one by one, in order of time. */
export function pastDecisions(
  db: Queries,
  { first, summed, identities, from, to }: Before,
  after: PastDecision | undefined,
): Promise<PastDecision[]> {
  const at = summed === "minor" ? SPENT_AT : "evaluated_at";
  const spent = "AND outcome IN ('approved', 'paying') AND amount_minor IS NOT NULL";
  const { siteKeyHash, evaluatedAt, decisionId } = first;
  const named = identities && oneOf(identities);
  const theirs = named === null ? "" : `AND identity IN ${named.list}`;
  return db.all<PastDecision>(
    `SELECT ${at} AS at, decision_id, identity, COALESCE(currency, '') AS currency,
       COALESCE(amount_minor, 0) AS minor
     FROM decisions WHERE site_key_hash = ? AND (${at}, decision_id) > (?, ?) AND ${at} < ?
       AND (evaluated_at, decision_id) < (?, ?) ${summed === "minor" ? spent : ""} ${theirs}
     ORDER BY ${at}, decision_id LIMIT ?`,
    siteKeyHash,
    after?.at ?? from,
    after?.decision_id ?? "",
    to,
    evaluatedAt,
    decisionId,
    ...(named?.values ?? []),
    PAGE_ROWS,
  );
}

export interface HoursSum {
  /** Empty where it is the sum of a site. */
  readonly identity: string;
  readonly currency: string;
  readonly minor: number | string;
  readonly decisions: number | string;
}

/** A page of what some whole hours come to: for each identity, or for the whole site. */
export function hoursSums(
  db: Queries,
  { first, identities, from, to }: Omit<Before, "summed">,
  after: HoursSum | undefined,
): Promise<HoursSum[]> {
  const named = identities && oneOf(identities);
  const theirs = named === null ? "" : `AND actor_id IN ${named.list}`;
  // The column kept its old name when the buckets began to count identities.
  const [actor, each] =
    named === null ? ["CAST('' AS TEXT)", "currency"] : ["actor_id", "actor_id, currency"];
  return db.all<HoursSum>(
    `SELECT ${actor} AS identity, currency, SUM(minor) AS minor, SUM(decisions) AS decisions
     FROM decision_hours WHERE site_key_hash = ? AND hour >= ? AND hour < ?
       AND (CAST(? AS INTEGER) = 0 OR (${actor}, currency) > (?, ?)) ${theirs}
     GROUP BY ${each} ORDER BY ${each} LIMIT ?`,
    first.siteKeyHash,
    from,
    to,
    after === undefined ? 0 : 1,
    after?.identity ?? "",
    after?.currency ?? "",
    ...(named?.values ?? []),
    PAGE_ROWS,
  );
}
