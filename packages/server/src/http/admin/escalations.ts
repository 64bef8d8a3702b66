import { type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import { decideReview, type ReviewVerdict } from "../../actions/reviews/decide-review.js";
import { nobodyElseDecides, planVerdict, undoVerdict } from "../../actions/reviews/plan-verdict.js";
import { listReviews, type ShownReview, showReview } from "../../actions/reviews/read-reviews.js";
import type { Context } from "../../context.js";
import { DENIAL_CODES, REVIEW_STATUSES, type Review } from "../../domain/reviews/review.js";
import { isoTime } from "../../infra/clock.js";
import { line } from "../server/fields.js";
import { requireFound } from "../server/problem.js";
import { requireOk } from "../server/require-ok.js";
import { json, Timestamp, timeOrNull } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, actorOf, requireSite } from "./access.js";
import { idParam, pageOf, siteRoute } from "./describe.js";
import { Purchase, purchaseOf } from "./purchase.js";
import { MoneyBody, PageQuery, pageBody, SiteParams } from "./schemas.js";

const NOTE_CHARS_MAX = 1000;
const UNDO_S_MAX = 60;
/** People can always undo; programs decide at once unless they ask for it. */
const PERSON_UNDO_S = 10;
const Status = z.enum(REVIEW_STATUSES as [string, ...string[]]);

const EscalationBody = z
  .object({
    escalation_id: z.string(),
    status: Status,
    agent_id: z.string(),
    mandate_id: z.string(),
    skill: z.string(),
    protocol: z.string(),
    amount: MoneyBody.nullable(),
    items: z
      .array(
        z.object({
          id: z.string(),
          title: z.string(),
          quantity: z.int(),
          unit_minor: z.int(),
          image_url: z
            .string()
            .nullable()
            .openapi({ description: "The picture that the product has today." }),
        }),
      )
      .openapi({ description: "The items of a purchase." }),
    purchase: Purchase.nullable().openapi({
      description: "Only for a checkout, and only visible to reviewers.",
    }),
    paid_by_person: z.boolean().openapi({
      description: "Whether a person pays on the payment page, after the approval.",
    }),
    rule_id: z.string().openapi({ description: "The rule that requires a review." }),
    policy_version: z
      .int()
      .nullable()
      .openapi({ description: "The version of the policy with this rule." }),
    approvals_needed: z.int(),
    approved_by: z.array(z.string()),
    created_at: Timestamp,
    expires_at: Timestamp,
    decided_at: Timestamp.nullable(),
    decided_by: z.string().nullable(),
    reason_code: z.string().nullable(),
    note: z.string().nullable().openapi({ description: "Agents do not see it." }),
    record_id: z.string(),
    order_id: z.string().nullable().openapi({ description: "The order that it led to." }),
    order_number: z.int().nullable(),
    verdict: z
      .object({
        verdict: z.enum(["approve", "deny"]),
        by: z.string(),
        decides_at: Timestamp,
        problem: z.string().nullable().openapi({
          description: "Why it did not take effect. The escalation is still pending.",
        }),
      })
      .nullable()
      .openapi({ description: "A decision that takes effect soon and can still be undone." }),
  })
  .openapi("Escalation");

const EscalationParams = SiteParams.extend({
  escalation_id: idParam("escalation_id"),
});

const Note = line(NOTE_CHARS_MAX).optional();
const Undo = z.int().min(0).max(UNDO_S_MAX).default(0).openapi({
  description:
    "Seconds until the decision takes effect. Until then nothing is recorded or paid, and it can be undone.",
});
const Decided = z.object({
  status: Status.openapi({ description: "`pending` while it can still be undone." }),
  decides_at: Timestamp.optional().openapi({ description: "When the decision takes effect." }),
});

const list = siteRoute("get", "/escalations", {
  tags: ["Reviews"],
  summary: "List escalations",
  query: PageQuery.extend({ status: Status.optional() }),
  answer: pageOf(EscalationBody, "In order of creation."),
});

const show = siteRoute("get", "/escalations/{escalation_id}", {
  tags: ["Reviews"],
  summary: "Show an escalation",
  params: EscalationParams,
  answer: json(EscalationBody, "The escalation."),
});

const approve = siteRoute("post", "/escalations/{escalation_id}/approve", {
  tags: ["Reviews"],
  summary: "Approve an escalation",
  description:
    "Applies the rules again. If the request cannot be approved now (`approval_blocked`), it stays pending and can be approved later. If it can never be approved, its status is `invalidated`: the agent was revoked, a rule denies it, or the quote has expired.",
  params: EscalationParams,
  body: strict({ note: Note, undo_seconds: Undo }),
  answer: json(Decided, "The result."),
  errors: ["conflict", "approval_blocked"],
});

const deny = siteRoute("post", "/escalations/{escalation_id}/deny", {
  tags: ["Reviews"],
  summary: "Deny an escalation",
  params: EscalationParams,
  body: strict({ reason_code: z.enum(DENIAL_CODES), note: Note, undo_seconds: Undo }),
  answer: json(Decided, "The result."),
  errors: ["conflict"],
});

const undo = siteRoute("delete", "/escalations/{escalation_id}/verdict", {
  tags: ["Reviews"],
  summary: "Undo a decision that has not taken effect",
  params: EscalationParams,
  noContent: "The escalation is pending as before.",
  errors: ["conflict"],
});

function render(shown: ShownReview): z.infer<typeof EscalationBody> {
  const { review, verdict, checkout, pictures, policyVersion, order } = shown;
  const { request, decidedAt } = review;
  return {
    escalation_id: review.escalationId,
    status: review.status,
    agent_id: review.actorId,
    mandate_id: review.mandateId,
    skill: request.skill,
    protocol: request.protocol,
    amount: request.amount === null ? null : { ...request.amount },
    items: (request.items ?? []).map((item) => {
      return { ...item, image_url: pictures.get(item.id) ?? null };
    }),
    purchase: checkout === undefined ? null : purchaseOf(checkout),
    paid_by_person: request.hosted === true,
    rule_id: review.ruleId,
    policy_version: policyVersion,
    approvals_needed: review.approvalsNeeded,
    approved_by: [...review.approvedBy],
    created_at: isoTime(review.createdAt),
    expires_at: isoTime(review.expiresAt),
    decided_at: timeOrNull(decidedAt),
    decided_by: review.decidedBy,
    reason_code: review.reasonCode,
    note: review.note,
    record_id: review.recordId,
    order_id: order?.orderId ?? null,
    order_number: order?.number ?? null,
    verdict:
      verdict === undefined
        ? null
        : {
            verdict: verdict.verdict,
            by: verdict.actor.id,
            decides_at: isoTime(verdict.dueAt),
            problem: verdict.problem,
          },
  };
}

export function escalationRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(list, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "auditor");
    const query = c.req.valid("query");
    const status = query.status as Review["status"] | undefined;
    const reader = c.get("principal");
    const page = await listReviews(context, siteKeyHash, { status, reader }, query);
    return c.json(pageBody(page, render), 200);
  });

  app.openapi(show, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "auditor");
    const { escalation_id } = c.req.valid("param");
    const shown = await showReview(context, siteKeyHash, escalation_id, c.get("principal"));
    return c.json(render(requireFound(shown)), 200);
  });

  const decide = async (c: HonoContext<AdminEnv>, verdict: ReviewVerdict, undoSeconds: number) => {
    const { siteKeyHash } = await requireSite(context, c, "reviewer");
    const name = { siteKeyHash, escalationId: c.req.param("escalation_id") ?? "" };
    const actor = actorOf(c);
    const { kind } = c.get("principal");
    const seconds = kind === "person" ? Math.max(undoSeconds, PERSON_UNDO_S) : undoSeconds;
    if (seconds === 0) {
      requireOk(await nobodyElseDecides(context, name, actor.id));
      const { status } = requireOk(await decideReview(context, name, verdict, actor));
      return { status };
    }
    const plan = { actor, delayMs: seconds * 1000 };
    const { dueAt } = requireOk(await planVerdict(context, name, verdict, plan));
    return { status: "pending", decides_at: isoTime(dueAt) };
  };

  app.openapi(approve, async (c) => {
    const { note, undo_seconds } = c.req.valid("json");
    return c.json(await decide(c, { verdict: "approve", note }, undo_seconds), 200);
  });

  app.openapi(deny, async (c) => {
    const { reason_code: reasonCode, note, undo_seconds } = c.req.valid("json");
    return c.json(await decide(c, { verdict: "deny", reasonCode, note }, undo_seconds), 200);
  });

  app.openapi(undo, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "reviewer");
    const { escalation_id: escalationId } = c.req.valid("param");
    requireOk(await undoVerdict(context, { siteKeyHash, escalationId }));
    return c.body(null, 204);
  });
}
