import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { COUNT_BY_QUARTER } from "../../actions/count-by.js";
import { countDecisions } from "../../actions/mandates/count-decisions.js";
import type { Context } from "../../context.js";
import { OUTCOMES } from "../../domain/decisions/decision.js";
import { isoTime } from "../../infra/clock.js";
import { json, Timestamp } from "../server/schemas.js";
import { type AdminEnv, requireSite } from "./access.js";
import { siteRoute } from "./describe.js";
import { SpanQuery, spanOf } from "./schemas.js";

const Counted = z.object({
  decisions: z.int(),
  by_outcome: z.record(z.enum(OUTCOMES), z.int()),
});

const CountBody = z.object({ start: Timestamp, ...Counted.shape }).openapi("DecisionCount");

const AgentBody = z.object({ agent_id: z.string(), ...Counted.shape }).openapi("AgentDecisions");

const count = siteRoute("get", "/decisions/counts", {
  tags: ["Mandates"],
  summary: "Count decisions over time",
  description:
    "Counts decisions per quarter of an hour, hour or day of UTC, by their current outcome, starting with the quarter " +
    "or hour of `from`. Times without decisions are left out.",
  query: SpanQuery.extend({ by: z.enum(COUNT_BY_QUARTER).default("day") }),
  answer: json(
    z.object({
      items: z.array(CountBody),
      agents: z.array(AgentBody).openapi({
        description:
          "The 20 with the most decisions, in descending order. Counted in whole UTC days, starting with the " +
          "day of `from`.",
      }),
      cut: z
        .boolean()
        .openapi({ description: "The result is incomplete. Request a shorter time." }),
    }),
    "The counts, oldest first.",
  ),
});

/** Registered before the routes of single decisions, so that `counts` is not taken for a decision's id. */
export function decisionCountRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(count, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "auditor");
    const { by, ...span } = c.req.valid("query");
    const { counts, agents, cut } = await countDecisions(context, siteKeyHash, spanOf(span), by);
    const items = counts.map(({ start, decisions, by: outcomes }) => ({
      start: isoTime(start),
      decisions,
      by_outcome: outcomes,
    }));
    const agentItems = agents.map(({ actorId, decisions, by: outcomes }) => ({
      agent_id: actorId,
      decisions,
      by_outcome: outcomes,
    }));
    return c.json({ items, agents: agentItems, cut }, 200);
  });
}
