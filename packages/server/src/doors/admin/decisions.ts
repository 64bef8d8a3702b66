import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "../../context.js";
import type { Decision } from "../../owners/decisions/decision.js";
import { listDecisions } from "../../owners/decisions/store.js";
import { isoTime } from "../../platform/clock.js";
import { type AdminEnv, requireSite } from "./access.js";
import { answerPage } from "./paging.js";
import { errors, json, NextCursor, PageQuery, SiteParams, Timestamp } from "./schemas.js";

const OUTCOMES = ["approved", "escalated", "rejected", "paying"] as const;

const DecisionBody = z
  .object({
    decision_id: z.string(),
    mandate_id: z.string(),
    agent_id: z.string(),
    skill: z.string(),
    protocol: z.string(),
    amount: z
      .object({ minor: z.int(), currency: z.string() })
      .nullable()
      .openapi({ description: "In whole minor units." }),
    outcome: z.enum(OUTCOMES),
    reason: z.string().nullable(),
    rule_id: z.string().nullable().openapi({ description: "null: the default, or no rule." }),
    rules_evaluated: z.int(),
    policy_version: z.int().nullable(),
    record_id: z.string().openapi({ description: "Where it stands in the audit log." }),
    evaluated_at: Timestamp,
  })
  .openapi("Decision");

const list = createRoute({
  method: "get",
  path: "/v1/admin/sites/{site_key_hash}/decisions",
  tags: ["Mandates"],
  summary: "List decisions about mandates",
  description: "The newest first.",
  request: {
    params: SiteParams,
    query: PageQuery.extend({
      outcome: z.enum(OUTCOMES).optional(),
      agent_id: z.string().max(80).optional(),
    }),
  },
  responses: {
    200: json(z.object({ items: z.array(DecisionBody), next_cursor: NextCursor }), "Decisions."),
    ...errors("invalid_request", "not_found"),
  },
});

function render(decision: Decision): z.infer<typeof DecisionBody> {
  return {
    decision_id: decision.decisionId,
    mandate_id: decision.mandateId,
    agent_id: decision.actorId,
    skill: decision.skill,
    protocol: decision.protocol,
    amount: decision.amount === null ? null : { ...decision.amount },
    outcome: decision.outcome,
    reason: decision.reason,
    rule_id: decision.ruleId,
    rules_evaluated: decision.rulesEvaluated,
    policy_version: decision.policyVersion,
    record_id: decision.recordId,
    evaluated_at: isoTime(decision.evaluatedAt),
  };
}

export function decisionRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(list, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "auditor");
    const query = c.req.valid("query");
    const filter = { outcome: query.outcome, actorId: query.agent_id };
    const answer = await answerPage(
      query,
      (page) => listDecisions(context.db, site_key_hash, filter, page),
      ({ evaluatedAt, decisionId }) => ({ createdAt: evaluatedAt, id: decisionId }),
      render,
    );
    return c.json(answer, 200);
  });
}
