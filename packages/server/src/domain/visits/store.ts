import { type Classification, isKnownAgent } from "@gatehouse/protocol";
import type { Queries, SqlValue, Transaction } from "../../infra/db/database.js";
import { HOUR_MS } from "../../infra/time.js";
import type { Visit, VisitFilter, VisitSignature } from "./visit.js";

interface Row {
  visit_id: string;
  site_key_hash: string;
  observed_at: number;
  received_at: number;
  source: "beacon" | "edge";
  classification: Classification;
  agent_name: string | null;
  agent_operator: string | null;
  signature: string | null;
  page_url: string | null;
  off_site: number;
}

function visitOf(row: Row): Visit {
  const { agent_name: name, agent_operator: operator } = row;
  return Object.freeze({
    visitId: row.visit_id,
    siteKeyHash: row.site_key_hash,
    observedAt: row.observed_at,
    receivedAt: row.received_at,
    source: row.source,
    classification: row.classification,
    agent: name === null ? null : { name, operator: operator ?? "" },
    signature: row.signature === null ? null : (JSON.parse(row.signature) as VisitSignature),
    pageUrl: row.page_url,
    offSite: row.off_site === 1,
  });
}

/** How many visits of one kind one hour had. */
export interface HourCount {
  readonly siteKeyHash: string;
  readonly hour: number;
  readonly classification: Classification;
  /** Empty where none is known. */
  readonly agent: string;
  readonly visits: number;
}

/** Anybody can sign under any host of theirs; counts by name are of names in the table only. */
function countedName(agent: Visit["agent"]): string {
  return agent !== null && isKnownAgent(agent.name) ? agent.name : "";
}

/** Writes visits and what they add to their hours: both are there, or neither. */
export async function insertVisits(tx: Transaction, visits: readonly Visit[]): Promise<void> {
  await tx.insert(
    "visits",
    visits.map((visit) => ({
      visit_id: visit.visitId,
      site_key_hash: visit.siteKeyHash,
      observed_at: visit.observedAt,
      received_at: visit.receivedAt,
      source: visit.source,
      classification: visit.classification,
      agent_name: visit.agent?.name ?? null,
      agent_operator: visit.agent?.operator ?? null,
      signature: visit.signature === null ? null : JSON.stringify(visit.signature),
      page_url: visit.pageUrl,
      off_site: visit.offSite ? 1 : 0,
    })),
  );
  for (const count of countsOf(visits)) await addToHour(tx, count);
}

/** In one order for all writers, so that two of them cannot wait for each other's rows. */
function countsOf(visits: readonly Visit[]): HourCount[] {
  const counts = new Map<string, HourCount & { visits: number }>();
  for (const { siteKeyHash, observedAt, classification, agent, offSite } of visits) {
    if (offSite) continue;
    const hour = observedAt - (observedAt % HOUR_MS);
    const name = countedName(agent);
    const key = `${siteKeyHash} ${hour} ${classification} ${name}`;
    const count = counts.get(key);
    if (count !== undefined) count.visits++;
    else counts.set(key, { siteKeyHash, hour, classification, agent: name, visits: 1 });
  }
  return [...counts.keys()].sort().map((key) => counts.get(key) as HourCount);
}

async function addToHour(tx: Transaction, count: HourCount): Promise<void> {
  await tx.run(
    `INSERT INTO visit_hours (site_key_hash, hour, classification, agent, visits)
     VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (site_key_hash, hour, classification, agent)
     DO UPDATE SET visits = visit_hours.visits + ?`,
    count.siteKeyHash,
    count.hour,
    count.classification,
    count.agent,
    count.visits,
    count.visits,
  );
}

function conditions(filter: VisitFilter, columns: { agent: string; time: string }) {
  const found: [string, SqlValue][] = [];
  if (filter.source !== undefined) found.push(["source = ?", filter.source]);
  if (filter.classification !== undefined) {
    found.push(["classification = ?", filter.classification]);
  }
  if (filter.agent !== undefined) found.push([`${columns.agent} = ?`, filter.agent]);
  if (filter.from !== undefined) found.push([`${columns.time} >= ?`, filter.from]);
  if (filter.to !== undefined) found.push([`${columns.time} < ?`, filter.to]);
  return {
    sql: found.map(([sql]) => ` AND ${sql}`).join(""),
    values: found.map(([, value]) => value),
  };
}

/** Visits of a site, the newest first. */
export async function listVisits(
  db: Queries,
  siteKeyHash: string,
  filter: VisitFilter,
  page: { readonly after: { createdAt: number; id: string } | null; readonly limit: number },
): Promise<Visit[]> {
  const { sql, values } = conditions(filter, { agent: "agent_name", time: "observed_at" });
  const after = page.after === null ? "" : " AND (observed_at, visit_id) < (?, ?)";
  const from = page.after === null ? [] : [page.after.createdAt, page.after.id];
  const rows = await db.all<Row>(
    `SELECT * FROM visits WHERE site_key_hash = ?${sql}${after}
     ORDER BY observed_at DESC, visit_id DESC LIMIT ?`,
    siteKeyHash,
    ...values,
    ...from,
    page.limit,
  );
  return rows.map(visitOf);
}

/** Of a site's newest visits so many are looked through: it may have a million of the other source. */
const LOOKED_THROUGH_MAX = 10_000;

/**
 * The last visit that a source told of, of a page of the site; of another host's only where there is
 * none, since anybody can tell of one.
 */
export async function lastVisit(
  db: Queries,
  siteKeyHash: string,
  source: Visit["source"],
): Promise<Visit | undefined> {
  const row = await db.get<Row>(
    `SELECT * FROM (SELECT * FROM visits WHERE site_key_hash = ?
       ORDER BY observed_at DESC, visit_id DESC LIMIT ?) AS newest
     WHERE source = ? ORDER BY off_site, observed_at DESC, visit_id DESC LIMIT 1`,
    siteKeyHash,
    LOOKED_THROUGH_MAX,
    source,
  );
  return row && visitOf(row);
}

/** How many visits there were, by hour, kind and agent, from the hour that `from` lies in. */
export async function visitHours(
  db: Queries,
  siteKeyHash: string,
  filter: VisitFilter,
  limit: number,
): Promise<HourCount[]> {
  const from = filter.from === undefined ? undefined : filter.from - (filter.from % HOUR_MS);
  const { sql, values } = conditions({ ...filter, from }, { agent: "agent", time: "hour" });
  const rows = await db.all<Omit<HourCount, "siteKeyHash">>(
    `SELECT hour, classification, agent, visits FROM visit_hours WHERE site_key_hash = ?${sql}
     ORDER BY hour, classification, agent LIMIT ?`,
    siteKeyHash,
    ...values,
    limit,
  );
  return rows.map((row) => ({ ...row, siteKeyHash }));
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
export async function sitesWithVisits(db: Queries): Promise<string[]> {
  const sql = "SELECT DISTINCT site_key_hash FROM visits ORDER BY site_key_hash";
  return (await db.all<{ site_key_hash: string }>(sql)).map((row) => row.site_key_hash);
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
export async function deleteVisits(tx: Queries, siteKeyHash: string): Promise<void> {
  await tx.run("DELETE FROM visits WHERE site_key_hash = ?", siteKeyHash);
  await tx.run("DELETE FROM visit_hours WHERE site_key_hash = ?", siteKeyHash);
}
