import { type Classification, isKnownAgent } from "@gatehouse/protocol";
import type { Database, Queries, Transaction } from "../../infra/db/database.js";
import { type Condition, deleterOf, equals, selectValues } from "../../infra/db/statements.js";
import { flag, jsonOrNull, type ListPage, Table } from "../../infra/db/table.js";
import { HOUR_MS } from "../../infra/time.js";
import type { NewVisit, Visit, VisitFilter, VisitSignature } from "./visit.js";

const visits = new Table<Visit>("visits", {
  visitId: "visit_id",
  siteKeyHash: "site_key_hash",
  observedAt: "observed_at",
  receivedAt: "received_at",
  source: "source",
  classification: "classification",
  agent: {
    read: ({ agent_name: name, agent_operator: operator }) =>
      name === null ? null : { name: name as string, operator: (operator ?? "") as string },
    write: (agent) => ({
      agent_name: agent?.name ?? null,
      agent_operator: agent?.operator ?? null,
    }),
  },
  signature: jsonOrNull<VisitSignature>("signature"),
  pageUrl: "page_url",
  offSite: flag("off_site"),
});

/** The number of visits of one kind in the hour that begins then. */
export interface HourCount {
  readonly siteKeyHash: string;
  readonly hour: number;
  readonly classification: Classification;
  /** Empty if none is known. */
  readonly agent: string;
  readonly visits: number;
}

const hours = new Table<HourCount>("visit_hours", {
  siteKeyHash: "site_key_hash",
  hour: "hour",
  classification: "classification",
  agent: "agent",
  visits: "visits",
});

/** Anybody can choose a name by signing under a host of theirs, so only known names are counted. */
function countedName(agent: Visit["agent"]): string {
  return agent !== null && isKnownAgent(agent.name) ? agent.name : "";
}

/** Writes visits, and adds them to the counts of their hours. */
export async function insertVisits(tx: Transaction, added: readonly NewVisit[]): Promise<void> {
  await visits.insert(tx, added);
  for (const count of countsOf(added)) {
    const { visits: _visits, ...key } = hours.rowOf(count);
    await tx.add("visit_hours", key, { visits: count.visits });
  }
}

/** All writers use the same order, so that two of them cannot deadlock. */
function countsOf(added: readonly NewVisit[]): HourCount[] {
  const counts = new Map<string, HourCount & { visits: number }>();
  for (const { siteKeyHash, hour, classification, agent, offSite } of added) {
    if (offSite) continue;
    const name = countedName(agent);
    const key = `${siteKeyHash} ${hour} ${classification} ${name}`;
    const count = counts.get(key);
    if (count !== undefined) count.visits++;
    else counts.set(key, { siteKeyHash, hour, classification, agent: name, visits: 1 });
  }
  return [...counts.keys()].sort().map((key) => counts.get(key) as HourCount);
}

const NOT_PEOPLE: Condition = { sql: "classification <> 'person'", values: [] };

function conditions(
  siteKeyHash: string,
  { source, classification, agent, from, to }: VisitFilter,
  columns: { agent: string; time: string },
): (Condition | undefined)[] {
  return [
    equals("site_key_hash", siteKeyHash),
    equals("source", source),
    equals("classification", classification),
    // The index of these holds no visits of people, who are most.
    classification === undefined || classification === "person" ? undefined : NOT_PEOPLE,
    equals(columns.agent, agent),
    from === undefined ? undefined : { sql: `${columns.time} >= ?`, values: [from] },
    to === undefined ? undefined : { sql: `${columns.time} < ?`, values: [to] },
  ];
}

/** Visits of a site, the newest first. */
export function listVisits(
  db: Pick<Database, "all" | "dialect">,
  siteKeyHash: string,
  filter: VisitFilter,
  page: ListPage,
): Promise<Visit[]> {
  const where = conditions(siteKeyHash, filter, { agent: "agent_name", time: "observed_at" });
  const { agent, classification = "person" } = filter;
  const ofKind = classification === "person" ? undefined : "visits_not_by_people";
  const index = agent === undefined ? ofKind : "visits_by_agent";
  const sqliteIndex = db.dialect === "sqlite" ? index : undefined;
  const order = { by: ["observed_at", "visit_id"], newestFirst: true, sqliteIndex } as const;
  return visits.page(db, where, order, page);
}

/** The newest visits of a site that are searched, because it may have many thousands of the other source. */
const SEARCHED_MAX = 10_000;

/**
 * The last visit of a page of the site that a source reported. A visit of another host counts only if there
 * is none, because anybody can report one.
 */
export async function lastVisit(
  db: Queries,
  siteKeyHash: string,
  source: Visit["source"],
): Promise<Visit | undefined> {
  const row = await db.get<object>(
    `SELECT * FROM (SELECT * FROM visits WHERE site_key_hash = ?
       ORDER BY observed_at DESC, visit_id DESC LIMIT ?) AS newest
     WHERE source = ? ORDER BY off_site, observed_at DESC, visit_id DESC LIMIT 1`,
    siteKeyHash,
    SEARCHED_MAX,
    source,
  );
  return row && visits.read(row);
}

export interface PageVisits {
  readonly pageUrl: string;
  readonly visits: number;
}

/** The pages with the most visits that are not by people, among the newest `visitsMax`. */
export async function visitedPages(
  db: Queries,
  siteKeyHash: string,
  filter: VisitFilter,
  { visitsMax, pagesMax }: { readonly visitsMax: number; readonly pagesMax: number },
): Promise<PageVisits[]> {
  const columns = { agent: "agent_name", time: "observed_at" };
  const where = [NOT_PEOPLE, ...conditions(siteKeyHash, filter, columns)].filter(
    (condition) => condition !== undefined,
  );
  const rows = await db.all<{ page_url: string; visits: number | string }>(
    `SELECT page_url, COUNT(*) AS visits FROM (SELECT page_url, off_site FROM visits
       WHERE ${where.map(({ sql }) => sql).join(" AND ")}
       ORDER BY observed_at DESC, visit_id DESC LIMIT ?) AS newest
     WHERE page_url IS NOT NULL AND off_site = 0
     GROUP BY page_url ORDER BY COUNT(*) DESC, page_url LIMIT ?`,
    ...where.flatMap(({ values }) => values),
    visitsMax,
    pagesMax,
  );
  return rows.map(({ page_url: pageUrl, visits }) => ({ pageUrl, visits: Number(visits) }));
}

/** The number of visits by hour, kind and agent, from the hour that contains `from`. */
export function visitHours(
  db: Queries,
  siteKeyHash: string,
  filter: VisitFilter,
  limit: number,
): Promise<HourCount[]> {
  // Hours begin at the minute of the time zone that the shop had.
  const from = filter.from === undefined ? undefined : filter.from - HOUR_MS + 1;
  const columns = { agent: "agent", time: "hour" };
  const where = conditions(siteKeyHash, { ...filter, from }, columns).filter(
    (condition) => condition !== undefined,
  );
  return hours.all(
    db,
    `WHERE ${where.map(({ sql }) => sql).join(" AND ")}
     ORDER BY hour, classification, agent LIMIT ?`,
    ...where.flatMap(({ values }) => values),
    limit,
  );
}

/** Deletes old visits of a site; their hourly counts stay. Returns how many. */
export function deleteVisitsBefore(
  db: Queries,
  siteKeyHash: string,
  before: number,
): Promise<number> {
  const sql = "DELETE FROM visits WHERE site_key_hash = ? AND observed_at < ?";
  return db.run(sql, siteKeyHash, before);
}

export function deleteHoursBefore(db: Queries, before: number): Promise<number> {
  return db.run("DELETE FROM visit_hours WHERE hour < ?", before);
}

/** Sites with visits, in order. */
export function sitesWithVisits(db: Queries): Promise<string[]> {
  return selectValues<string>(db, "DISTINCT site_key_hash", "visits ORDER BY site_key_hash");
}

/** Deletes the oldest visits of one source beyond a number; other sources are not affected. */
export async function deleteExcessVisits(
  db: Queries,
  siteKeyHash: string,
  source: Visit["source"],
  rowsMax: number,
): Promise<number> {
  const last = await db.get<{ observed_at: number; visit_id: string }>(
    `SELECT observed_at, visit_id FROM visits WHERE site_key_hash = ? AND source = ?
     ORDER BY observed_at DESC, visit_id DESC LIMIT 1 OFFSET ?`,
    siteKeyHash,
    source,
    rowsMax,
  );
  if (last === undefined) return 0;
  return db.run(
    `DELETE FROM visits WHERE site_key_hash = ? AND source = ?
       AND (observed_at, visit_id) <= (?, ?)`,
    siteKeyHash,
    source,
    last.observed_at,
    last.visit_id,
  );
}

/** Deletes all visits of a site. */
export const deleteVisits = deleterOf("visits", "visit_hours");
