import { CLASSIFICATIONS, knownAgentName, SIGNATURE_OUTCOMES } from "@gatehouse/protocol";
import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { COUNT_BY } from "../../actions/count-by.js";
import { countVisits, listVisits } from "../../actions/visits/read-visits.js";
import type { Context } from "../../context.js";
import type { Visit, VisitFilter } from "../../domain/visits/visit.js";
import { isoTime } from "../../infra/clock.js";
import { searchText } from "../server/fields.js";
import { json, Timestamp } from "../server/schemas.js";
import { type AdminEnv, requireSite } from "./access.js";
import { pageOf, siteRoute } from "./describe.js";
import { PageQuery, pageBody, SpanQuery, spanOf } from "./schemas.js";

const AGENT_CHARS_MAX = 255;
const SOURCES = ["beacon", "edge"] as const;

const Filter = SpanQuery.extend({
  classification: z.enum(CLASSIFICATIONS).optional(),
  agent: searchText(AGENT_CHARS_MAX).optional().openapi({ example: "GPTBot" }),
});

const VisitBody = z
  .object({
    visit_id: z.string(),
    observed_at: Timestamp,
    classification: z.enum(CLASSIFICATIONS),
    agent: z.object({ name: z.string(), operator: z.string() }).optional(),
    signature: z
      .object({
        outcome: z.enum(SIGNATURE_OUTCOMES),
        reason: z
          .string()
          .nullable()
          .openapi({ description: "Why the signature is not verified." }),
        key_id: z.string().nullable(),
        agent_url: z.string().nullable(),
      })
      .optional(),
    page_url: z.string().optional().openapi({ description: "Without the query string." }),
    off_site: z.boolean().openapi({
      description: "Whether the page is on another host. Such visits are not counted.",
    }),
    source: z.enum(SOURCES),
  })
  .openapi("Visit");

const CountBody = z
  .object({
    start: Timestamp,
    visits: z.int(),
    by_classification: z.record(z.enum(CLASSIFICATIONS), z.int()),
    by_agent: z.record(z.string(), z.int()),
  })
  .openapi("VisitCount");

const PageBody = z.object({ page_url: z.string(), visits: z.int() }).openapi("PageVisits");

const list = siteRoute("get", "/visits", {
  tags: ["Visits"],
  summary: "List visits",
  description: "Newest first. Individual visits are stored for 90 days.",
  query: PageQuery.extend({ ...Filter.shape, source: z.enum(SOURCES).optional() }),
  answer: pageOf(VisitBody, "The visits."),
});

const count = siteRoute("get", "/visits/counts", {
  tags: ["Visits"],
  summary: "Count visits over time",
  description:
    "Counts visits per hour or UTC day, starting with the hour of `from`. Hours and days without visits are left out. " +
    "Hours begin as in the time zone of the shop, so in some zones at half past an hour of UTC. Visits from before it " +
    "was set are counted in hours of UTC. A day has the hours that begin in it.",
  query: Filter.extend({ by: z.enum(COUNT_BY).default("day") }),
  answer: json(
    z.object({
      items: z.array(CountBody),
      pages: z.array(PageBody).openapi({
        description:
          "The 10 pages with the most visits that are not by people, among the newest 10,000 of these visits.",
      }),
      cut: z
        .boolean()
        .openapi({ description: "The result is incomplete. Request a shorter time." }),
    }),
    "The counts, oldest first.",
  ),
});

function filterOf({ classification, agent, ...span }: z.infer<typeof Filter>): VisitFilter {
  const named = agent === undefined ? undefined : knownAgentName(agent);
  return { classification, agent: named, ...spanOf(span) };
}

function render(visit: Visit): z.infer<typeof VisitBody> {
  const { agent, signature, pageUrl } = visit;
  return {
    visit_id: visit.visitId,
    observed_at: isoTime(visit.observedAt),
    classification: visit.classification,
    ...(agent === null ? {} : { agent: { ...agent } }),
    ...(signature === null
      ? {}
      : {
          signature: {
            outcome: signature.outcome,
            reason: signature.reason,
            key_id: signature.keyId,
            agent_url: signature.agentUrl,
          },
        }),
    ...(pageUrl === null ? {} : { page_url: pageUrl }),
    off_site: visit.offSite,
    source: visit.source,
  };
}

export function visitRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(list, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "auditor");
    const { limit, cursor, source, ...rest } = c.req.valid("query");
    const filter = { ...filterOf(rest), source };
    const page = await listVisits(context, siteKeyHash, filter, { limit, cursor });
    return c.json(pageBody(page, render), 200);
  });

  app.openapi(count, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "auditor");
    const { by, ...filter } = c.req.valid("query");
    const { counts, pages, cut } = await countVisits(context, siteKeyHash, filterOf(filter), by);
    const items = counts.map(({ start, visits, by: kinds, agents }) => ({
      start: isoTime(start),
      visits,
      by_classification: kinds,
      by_agent: agents,
    }));
    const visited = pages.map(({ pageUrl, visits }) => ({ page_url: pageUrl, visits }));
    return c.json({ items, pages: visited, cut }, 200);
  });
}
