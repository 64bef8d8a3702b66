import { CLASSIFICATIONS, type Classification, type Result } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import {
  type PageVisits,
  listVisits as selectVisits,
  visitedPages,
  visitHours,
} from "../../domain/visits/store.js";
import type { Visit, VisitFilter } from "../../domain/visits/visit.js";
import { type CountBy, stepOf } from "../count-by.js";
import { type Page, type PageRequest, readPage } from "../page.js";

/** Rows by hour, kind and agent that one answer is made from: about a month. */
const ROWS_MAX = 50_000;
/** The newest visits that pages are counted in, and the pages that one answer names. */
const PAGES = { visitsMax: 10_000, pagesMax: 10 };

/** A page of a site's visits, newest first. */
export function listVisits(
  { db }: Context,
  siteKeyHash: string,
  filter: VisitFilter,
  request: PageRequest,
): Promise<Result<Page<Visit>, "invalid_request">> {
  return readPage(
    request,
    (page) => selectVisits(db, siteKeyHash, filter, page),
    ({ observedAt, visitId }) => ({ createdAt: observedAt, id: visitId }),
  );
}

/** How many visits an hour or a UTC day had: in total, by kind and by agent. */
interface VisitCount {
  readonly start: number;
  readonly visits: number;
  readonly by: Readonly<Record<Classification, number>>;
  readonly agents: Readonly<Record<string, number>>;
}

export interface VisitCounts {
  readonly counts: readonly VisitCount[];
  /** The pages that agents and other programs visited most. */
  readonly pages: readonly PageVisits[];
  /** There are more than one answer holds; the caller asks for a shorter time. */
  readonly cut: boolean;
}

/**
 * Counts visits by the hours that begin as in the time zone of the shop, or by the UTC day in which those begin. Hours
 * or days without a visit are left out.
 */
export async function countVisits(
  { db }: Context,
  siteKeyHash: string,
  filter: VisitFilter,
  by: CountBy,
): Promise<VisitCounts> {
  const rows = await visitHours(db, siteKeyHash, filter, ROWS_MAX + 1);
  const none = () =>
    Object.fromEntries(CLASSIFICATIONS.map((name) => [name, 0])) as Record<Classification, number>;
  const steps = new Map<
    number,
    {
      start: number;
      visits: number;
      by: Record<Classification, number>;
      agents: Record<string, number>;
    }
  >();
  for (const { hour, classification, agent, visits } of rows.slice(0, ROWS_MAX)) {
    const start = by === "hour" ? hour : stepOf(hour, by);
    const step = steps.get(start) ?? { start, visits: 0, by: none(), agents: {} };
    step.visits += visits;
    step.by[classification] += visits;
    if (agent !== "") step.agents[agent] = (step.agents[agent] ?? 0) + visits;
    steps.set(start, step);
  }
  const pages = await visitedPages(db, siteKeyHash, filter, PAGES);
  return { counts: [...steps.values()], pages, cut: rows.length > ROWS_MAX };
}
