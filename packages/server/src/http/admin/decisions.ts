import { type OpenAPIHono, z } from "@hono/zod-openapi";
import {
  type ExplainedDecision,
  explainDecision,
} from "../../actions/mandates/explain-decision.js";
import { listDecisions } from "../../actions/mandates/read-decisions.js";
import type { Context } from "../../context.js";
import { type Decision, OUTCOMES } from "../../domain/decisions/decision.js";
import { isoTime } from "../../infra/clock.js";
import { requireFound } from "../server/problem.js";
import { json, Timestamp } from "../server/schemas.js";
import { type AdminEnv, requireSite } from "./access.js";
import { idParam, pageOf, siteRoute } from "./describe.js";
import {
  ActorId,
  MoneyBody,
  PageQuery,
  pageBody,
  SiteParams,
  SpanQuery,
  spanOf,
} from "./schemas.js";

const DecisionBody = z
  .object({
    decision_id: z.string(),
    mandate_id: z.string(),
    agent_id: z.string(),
    skill: z.string(),
    protocol: z.string(),
    amount: MoneyBody.nullable().openapi({ description: "In whole minor units." }),
    outcome: z.enum(OUTCOMES),
    reason: z.string().nullable(),
    rule_id: z
      .string()
      .nullable()
      .openapi({ description: "null: the policy's default, or no rule." }),
    rules_evaluated: z.int(),
    policy_version: z.int().nullable(),
    record_id: z.string().openapi({ description: "The record in the audit log." }),
    evaluated_at: Timestamp,
  })
  .openapi("Decision");

const list = siteRoute("get", "/decisions", {
  tags: ["Mandates"],
  summary: "List decisions about mandates",
  description: "Newest first.",
  query: PageQuery.extend({
    ...SpanQuery.shape,
    outcome: z.enum(OUTCOMES).optional(),
    agent_id: ActorId.optional(),
    mandate_id: z
      .string()
      .regex(/^[\w-]{1,64}$/, "must be 1 to 64 letters, digits, _ and -")
      .optional(),
    checkout_id: z
      .string()
      .regex(/^chk_[\w-]{1,60}$/, "must be the id of a checkout")
      .optional()
      .openapi({ description: "Only decisions about this checkout." }),
  }),
  answer: pageOf(DecisionBody, "The decisions."),
});

const ExplainedBody = DecisionBody.extend({
  reason_codes: z.array(z.string()),
  facts: z
    .record(z.string(), z.unknown())
    .openapi({ description: "The facts that the rules used." }),
  rules: z
    .array(z.object({ id: z.string(), result: z.string() }))
    .openapi({ description: "The result of every rule." }),
  signature: z.object({ key_id: z.string(), digest: z.string() }).nullable().openapi({
    description: "The agent's key, and the SHA-256 of what it signed. null for a platform.",
  }),
  answer: z
    .object({ status: z.int(), body: z.record(z.string(), z.unknown()) })
    .openapi({ description: "The answer to the caller. A repeated request gets the same answer." }),
  payment: z
    .object({
      attempt_id: z.string(),
      processor: z.string(),
      status: z.string(),
      reason: z.string().nullable(),
      requested_at: Timestamp,
    })
    .nullable(),
  order_id: z.string().nullable(),
  order_number: z.int().nullable(),
  escalation_id: z.string().nullable(),
}).openapi("ExplainedDecision");

const show = siteRoute("get", "/decisions/{decision_id}", {
  tags: ["Mandates"],
  summary: "Explain a decision",
  description: "Shows which rule decided, the facts that the rules used, and the result.",
  params: SiteParams.extend({
    decision_id: idParam("decision_id"),
  }),
  answer: json(ExplainedBody, "The decision."),
});

function renderExplained(explained: ExplainedDecision): z.infer<typeof ExplainedBody> {
  const { payment, signature } = explained;
  const { answer } = explained.decision;
  return {
    ...render(explained.decision),
    reason_codes: [...explained.reasonCodes],
    facts: explained.facts,
    rules: explained.rules.map((rule) => ({ ...rule })),
    signature: signature === null ? null : { key_id: signature.keyId, digest: signature.digest },
    answer: { status: answer.status, body: { ...answer.body } },
    payment:
      payment === undefined
        ? null
        : {
            attempt_id: payment.attemptId,
            processor: payment.provider,
            status: payment.status,
            reason: payment.reason,
            requested_at: isoTime(payment.requestedAt),
          },
    order_id: explained.order?.orderId ?? null,
    order_number: explained.order?.number ?? null,
    escalation_id: explained.escalationId,
  };
}

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
    const { siteKeyHash } = await requireSite(context, c, "auditor");
    const query = c.req.valid("query");
    const filter = {
      outcome: query.outcome,
      actorId: query.agent_id,
      mandateId: query.mandate_id,
      checkoutId: query.checkout_id,
      ...spanOf(query),
    };
    const page = await listDecisions(context, siteKeyHash, filter, query);
    return c.json(pageBody(page, render), 200);
  });

  app.openapi(show, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "auditor");
    const { decision_id } = c.req.valid("param");
    const explained = await explainDecision(context, siteKeyHash, decision_id);
    return c.json(renderExplained(requireFound(explained)), 200);
  });
}
