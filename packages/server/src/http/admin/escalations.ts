import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { decideReview } from "../../actions/reviews/decide-review.js";
import { listReviews, showReview } from "../../actions/reviews/read-reviews.js";
import type { Context } from "../../context.js";
import { DENIAL_CODES, REVIEW_STATUSES, type Review } from "../../domain/reviews/review.js";
import { isoTime } from "../../infra/clock.js";
import { strict } from "../server/faults.js";
import { Problem } from "../server/problem.js";
import { body, errors, json, Timestamp } from "../server/schemas.js";
import { type AdminEnv, actorOf, requireSite } from "./access.js";
import { line } from "./fields.js";
import { Purchase, purchaseOf } from "./purchase.js";
import { NextCursor, PageQuery, pageBody, refused, SiteParams } from "./schemas.js";

const NOTE_CHARS_MAX = 1000;
const Status = z.enum(REVIEW_STATUSES as [string, ...string[]]);

const EscalationBody = z
  .object({
    escalation_id: z.string(),
    status: Status,
    agent_id: z.string(),
    mandate_id: z.string(),
    skill: z.string(),
    protocol: z.string(),
    amount: z.object({ minor: z.int(), currency: z.string() }).nullable(),
    items: z
      .array(
        z.object({ id: z.string(), title: z.string(), quantity: z.int(), unit_minor: z.int() }),
      )
      .openapi({ description: "What is bought, where something is." }),
    rule_id: z.string().openapi({ description: "The rule that asked for a person." }),
    approvals_needed: z.int(),
    approved_by: z.array(z.string()),
    created_at: Timestamp,
    expires_at: Timestamp,
    decided_at: Timestamp.nullable(),
    decided_by: z.string().nullable(),
    reason_code: z.string().nullable(),
    note: z.string().nullable().openapi({ description: "No agent sees it." }),
    record_id: z.string(),
  })
  .openapi("Escalation");

const ShownEscalationBody = EscalationBody.extend({
  purchase: Purchase.nullable().openapi({ description: "Of a checkout, and for reviewers only." }),
}).openapi("ShownEscalation");

const EscalationParams = SiteParams.extend({
  escalation_id: z
    .string()
    .max(80)
    .openapi({ param: { name: "escalation_id", in: "path" } }),
});

const Note = line(NOTE_CHARS_MAX).optional();
const Decided = z.object({ status: Status });

const list = createRoute({
  method: "get",
  path: "/v1/admin/sites/{site_key_hash}/escalations",
  tags: ["Reviews"],
  summary: "List escalations",
  request: { params: SiteParams, query: PageQuery.extend({ status: Status.optional() }) },
  responses: {
    200: json(z.object({ items: z.array(EscalationBody), next_cursor: NextCursor }), "In order."),
    ...errors("invalid_request", "not_found"),
  },
});

const show = createRoute({
  method: "get",
  path: "/v1/admin/sites/{site_key_hash}/escalations/{escalation_id}",
  tags: ["Reviews"],
  summary: "Show an escalation",
  request: { params: EscalationParams },
  responses: { 200: json(ShownEscalationBody, "The escalation."), ...errors("not_found") },
});

const approve = createRoute({
  method: "post",
  path: "/v1/admin/sites/{site_key_hash}/escalations/{escalation_id}/approve",
  tags: ["Reviews"],
  summary: "Approve an escalation",
  description:
    "Asks the rules again. If it cannot be approved now (`approval_blocked`), the escalation stays pending and can be approved later. If it can never be approved (the agent was revoked, a rule denies it, the quote is gone), its status is `invalidated`.",
  request: { params: EscalationParams, body: body(strict({ note: Note })) },
  responses: {
    200: json(Decided, "What became of it."),
    ...errors("invalid_request", "forbidden", "not_found", "conflict", "approval_blocked"),
  },
});

const deny = createRoute({
  method: "post",
  path: "/v1/admin/sites/{site_key_hash}/escalations/{escalation_id}/deny",
  tags: ["Reviews"],
  summary: "Deny an escalation",
  request: {
    params: EscalationParams,
    body: body(strict({ reason_code: z.enum(DENIAL_CODES), note: Note })),
  },
  responses: {
    200: json(Decided, "What became of it."),
    ...errors("invalid_request", "forbidden", "not_found", "conflict"),
  },
});

function render(review: Review): z.infer<typeof EscalationBody> {
  const { request, decidedAt } = review;
  return {
    escalation_id: review.escalationId,
    status: review.status,
    agent_id: review.actorId,
    mandate_id: review.mandateId,
    skill: request.skill,
    protocol: request.protocol,
    amount: request.amount === null ? null : { ...request.amount },
    items: (request.items ?? []).map((item) => ({ ...item })),
    rule_id: review.ruleId,
    approvals_needed: review.approvalsNeeded,
    approved_by: [...review.approvedBy],
    created_at: isoTime(review.createdAt),
    expires_at: isoTime(review.expiresAt),
    decided_at: decidedAt === null ? null : isoTime(decidedAt),
    decided_by: review.decidedBy,
    reason_code: review.reasonCode,
    note: review.note,
    record_id: review.recordId,
  };
}

export function escalationRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(list, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "auditor");
    const query = c.req.valid("query");
    const status = query.status as Review["status"] | undefined;
    const page = await listReviews(context, site_key_hash, status, query);
    return c.json(pageBody(page, render), 200);
  });

  app.openapi(show, async (c) => {
    const { site_key_hash, escalation_id } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "auditor");
    const shown = await showReview(context, site_key_hash, escalation_id, c.get("principal"));
    if (shown === undefined) throw new Problem("not_found");
    const { review, checkout } = shown;
    const purchase = checkout === undefined ? null : purchaseOf(checkout);
    return c.json({ ...render(review), purchase }, 200);
  });

  app.openapi(approve, async (c) => {
    const { site_key_hash: siteKeyHash, escalation_id: escalationId } = c.req.valid("param");
    await requireSite(context, c, siteKeyHash, "reviewer");
    const verdict = { verdict: "approve", note: c.req.valid("json").note } as const;
    const result = await decideReview(context, { siteKeyHash, escalationId }, verdict, actorOf(c));
    return result.ok ? c.json({ status: result.value.status }, 200) : refused(result);
  });

  app.openapi(deny, async (c) => {
    const { site_key_hash: siteKeyHash, escalation_id: escalationId } = c.req.valid("param");
    await requireSite(context, c, siteKeyHash, "reviewer");
    const { reason_code: reasonCode, note } = c.req.valid("json");
    const verdict = { verdict: "deny", reasonCode, note } as const;
    const result = await decideReview(context, { siteKeyHash, escalationId }, verdict, actorOf(c));
    return result.ok ? c.json({ status: result.value.status }, 200) : refused(result);
  });
}
