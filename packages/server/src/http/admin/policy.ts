import type { JsonObject, PolicyFinding } from "@gatehouse/protocol";
import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { publishPolicy } from "../../actions/policies/publish-policy.js";
import { showPolicy } from "../../actions/policies/read-policies.js";
import type { TestedDecision } from "../../actions/policies/simulation.js";
import {
  COMPARED_WITH,
  type PolicyTest,
  TESTED_DAYS_MAX,
  TESTED_DECISIONS,
  TESTED_DECISIONS_MAX,
  testPolicy,
} from "../../actions/policies/test-policy.js";
import type { Context } from "../../context.js";
import { isoTime } from "../../infra/clock.js";
import { requireOk } from "../server/require-ok.js";
import { json, Timestamp } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, actorOf, requireConfirmed, requireSite } from "./access.js";
import { siteRoute } from "./describe.js";
import { PolicyBody, policyBody } from "./policy-versions.js";
import { MoneyBody } from "./schemas.js";

/** Most tests take less time than this. */
const TEST_RETRY_AFTER_S = 5;

const Findings = z
  .array(
    z.object({
      level: z.enum(["error", "warning"]),
      code: z.string(),
      rule: z
        .string()
        .optional()
        .openapi({ description: "Left out if it applies to the whole policy." }),
      message: z.string(),
    }),
  )
  .openapi({ description: "Possible mistakes in the policy." });

const Counts = z.object({ approved: z.int(), escalated: z.int(), rejected: z.int() });
const PolicyResultBody = z.object({
  outcome: z.enum(["approved", "escalated", "rejected"]),
  rule_id: z.string().nullable().openapi({ description: "null: the policy's default." }),
});

const TestBody = z
  .object({
    findings: Findings,
    tested: z.int().openapi({ description: "Decisions that the rules made." }),
    purchases: z.int().openapi({ description: "How many of the tested decisions have an amount." }),
    same: z.int().openapi({ description: "Decisions with the same outcome." }),
    changed: z
      .array(
        z.object({
          decision_id: z.string(),
          record_id: z.string(),
          agent_id: z.string(),
          skill: z.string(),
          amount: MoneyBody.nullable().openapi({ description: "In whole minor units." }),
          evaluated_at: Timestamp,
          was: PolicyResultBody.openapi({
            description: "The decision of the rules, before any review.",
          }),
          would_be: PolicyResultBody,
        }),
      )
      .openapi({ description: "Decisions with a different outcome, oldest first." }),
    summary: z.object({ was: Counts, would_be: Counts }),
  })
  .openapi("PolicyTest");

const show = siteRoute("get", "/policy", {
  tags: ["Policy"],
  summary: "Show the policy in force",
  answer: json(PolicyBody, "The newest version."),
});

const PolicyDocument = z.record(z.string(), z.unknown()).openapi({
  description:
    "A policy with `policy`, `timezone`, `default` and `rules`, as described in the guide to rules.",
});

const publish = siteRoute("put", "/policy", {
  tags: ["Policy"],
  summary: "Check and publish a policy",
  description:
    "The policy is a `rules/1` document. Every version is kept, because audit records refer to it. " +
    "A policy with a finding of level `error` is refused. The answer contains warnings.",
  body: PolicyDocument,
  answer: json(PolicyBody.extend({ findings: Findings }), "The published version."),
});

const test = siteRoute("post", "/policy/test", {
  tags: ["Policy"],
  summary: "Test a draft on past decisions",
  description:
    "Repeats the last decisions of the site with the draft. " +
    "Nothing is saved. A site can run one test at a time, and a process two: more tests return " +
    "`rate_limited`. A test that takes longer than 10 seconds returns `unavailable`: test fewer decisions.",
  body: strict({
    policy: PolicyDocument,
    last: z.int().min(1).max(TESTED_DECISIONS_MAX).default(TESTED_DECISIONS),
    days: z
      .int()
      .min(1)
      .max(TESTED_DAYS_MAX)
      .optional()
      .openapi({ description: "Only decisions of the last days, still at most `last` of them." }),
    compare_with: z.enum(COMPARED_WITH).default("decisions").openapi({
      description:
        "decisions: what was decided then. rules_in_force: what the published rules would decide now.",
    }),
  }),
  changesNothing: true,
  answer: json(TestBody, "The result of the test."),
});

const renderFindings = (findings: readonly PolicyFinding[]) =>
  findings.map((finding) => ({ ...finding }));

function renderChanged({ decision, was, wouldBe }: TestedDecision) {
  return {
    decision_id: decision.decisionId,
    record_id: decision.recordId,
    agent_id: decision.actorId,
    skill: decision.skill,
    amount: decision.amount === null ? null : { ...decision.amount },
    evaluated_at: isoTime(decision.evaluatedAt),
    was: { outcome: was.outcome, rule_id: was.ruleId },
    would_be: { outcome: wouldBe.outcome, rule_id: wouldBe.ruleId },
  };
}

function renderTest(test: PolicyTest): z.infer<typeof TestBody> {
  const { findings, tested, purchases, changed, summary } = test;
  return {
    findings: renderFindings(findings),
    tested,
    purchases,
    same: tested - changed.length,
    changed: changed.map(renderChanged),
    summary: { was: summary.was, would_be: summary.wouldBe },
  };
}

export function policyRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(show, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "auditor");
    const policy = requireOk(await showPolicy(context, siteKeyHash));
    return c.json(policyBody(policy), 200);
  });

  app.openapi(publish, async (c) => {
    const site = await requireSite(context, c, "owner");
    requireConfirmed(context, c);
    const document = c.req.valid("json") as JsonObject;
    const { policy, findings } = requireOk(
      await publishPolicy(context, site, document, actorOf(c)),
    );
    return c.json({ ...policyBody(policy), findings: renderFindings(findings) }, 200);
  });

  app.openapi(test, async (c) => {
    // A test shows only decisions, and every role that may read the policy may read them.
    const site = await requireSite(context, c, "auditor");
    const { policy, compare_with: compareWith, ...span } = c.req.valid("json");
    const result = await testPolicy(context, site, policy as JsonObject, { ...span, compareWith });
    return c.json(renderTest(requireOk(result, TEST_RETRY_AFTER_S)), 200);
  });
}
