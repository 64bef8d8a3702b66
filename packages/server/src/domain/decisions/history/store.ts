import type { Queries } from "../../../infra/db/database.js";
import type { Decision } from "../decision.js";

/** Rows per read. An embedded database answers nobody else during one. */
export const PAGE_ROWS = 5_000;

export const SPENT_AT = "spent_at";

/** Counts decisions when they were made, or sums money when it was spent. */
export type Summed = "decisions" | "minor";

/** Selects decisions before the first one that is evaluated again. */
export interface Before {
  readonly first: Decision;
  readonly summed: Summed;
  /** Null means all identities of the site. */
  readonly identities: readonly string[] | null;
  /** Start included, end excluded. */
  readonly from: number;
  readonly to: number;
}

/**
 * Lists of identities are padded to these lengths, so that the database plans few different
 * statements.
 */
const IDENTITIES_NAMED = [10, 100, 1_000];

/**
 * A list of values instead of a subquery, because the database would run the subquery for every
 * row. The last identity is repeated to fill the list.
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

/** A page of single decisions in order of time. */
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
  /** Empty for the sum of a site. */
  readonly identity: string;
  readonly currency: string;
  readonly minor: number | string;
  readonly decisions: number | string;
}

/** A page of sums over whole hours: for each identity, or for the whole site. */
export function hoursSums(
  db: Queries,
  { first, identities, from, to }: Omit<Before, "summed">,
  after: HoursSum | undefined,
): Promise<HoursSum[]> {
  const named = identities && oneOf(identities);
  const theirs = named === null ? "" : `AND actor_id IN ${named.list}`;
  // The bucket tables still have the old name of the column.
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
