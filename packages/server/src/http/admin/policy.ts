import type { JsonObject, PolicyFinding } from "@gatehouse/protocol";
import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { publishPolicy } from "../../actions/policies/publish-policy.js";
import { showPolicy } from "../../actions/policies/read-policies.js";
import type { TestedDecision } from "../../actions/policies/simulation.js";
import {
  type PolicyTest,
  TESTED_DECISIONS,
  TESTED_DECISIONS_MAX,
  testPolicy,
} from "../../actions/policies/test-policy.js";
import type { Context } from "../../context.js";
import { isoTime } from "../../infra/clock.js";
import { json, Timestamp } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, actorOf, requireSite } from "./access.js";
import { siteRoute } from "./describe.js";
import { PolicyBody, policyBody } from "./policy-versions.js";
import { requireOk } from "./schemas.js";

/** Most tests take less time than this. */
const TEST_RETRY_AFTER_S = 5;

const Findings = z
  .array(
    z.object({
      level: z.enum(["error", "warning"]),
      code: z.string(),
      rule: z.string().optional().openapi({ description: "Absent: the whole policy." }),
      message: z.string(),
    }),
  )
  .openapi({ description: "What its owner hardly meant." });

const Counts = z.object({ approved: z.int(), escalated: z.int(), rejected: z.int() });
const Verdict = z.object({
  outcome: z.enum(["approved", "escalated", "rejected"]),
  rule_id: z.string().nullable().openapi({ description: "null: the default." }),
});

const TestBody = z
  .object({
    findings: Findings,
    tested: z.int().openapi({ description: "Decisions rules were asked for." }),
    same: z.int().openapi({ description: "Those that would have had the same outcome." }),
    changed: z
      .array(
        z.object({
          decision_id: z.string(),
          record_id: z.string(),
          agent_id: z.string(),
          skill: z.string(),
          amount: z
            .object({ minor: z.int(), currency: z.string() })
            .nullable()
            .openapi({ description: "In whole minor units." }),
          evaluated_at: Timestamp,
          was: Verdict.openapi({ description: "What the rules said, before any review." }),
          would_be: Verdict,
        }),
      )
      .openapi({ description: "The others, the oldest first." }),
    summary: z.object({ was: Counts, would_be: Counts }),
  })
  .openapi("PolicyTest");

const show = siteRoute("get", "/policy", {
  tags: ["Policy"],
  summary: "Show the policy in force",
  answer: json(PolicyBody, "The newest version."),
});

const PolicyDocument = z.record(z.string(), z.unknown()).openapi({
  description: "A policy: `policy`, `timezone`, `default` and `rules`, as the guide to rules says.",
});

const publish = siteRoute("put", "/policy", {
  tags: ["Policy"],
  summary: "Check and publish a policy",
  description:
    "A document of `rules/1`. Every version is kept: audit records name the one they followed. " +
    "With a finding of level `error` it is refused; warnings are answered.",
  body: PolicyDocument,
  answer: json(PolicyBody.extend({ findings: Findings }), "The published version."),
});

const test = siteRoute("post", "/policy/test", {
  tags: ["Policy"],
  summary: "Try a draft on past decisions",
  description:
    "Decides the last decisions of the site again, as if the draft had been in force. " +
    "Nothing is written. One test at a time for a site, and two in a process: more are " +
    "`rate_limited`. One that takes more than 10 seconds ends as `unavailable`: test fewer.",
  body: strict({
    policy: PolicyDocument,
    last: z.int().min(1).max(TESTED_DECISIONS_MAX).default(TESTED_DECISIONS),
  }),
  changesNothing: true,
  answer: json(TestBody, "What would have been decided."),
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

function renderTest({ findings, tested, changed, summary }: PolicyTest): z.infer<typeof TestBody> {
  return {
    findings: renderFindings(findings),
    tested,
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
    const document = c.req.valid("json") as JsonObject;
    const { policy, findings } = requireOk(
      await publishPolicy(context, site, document, actorOf(c)),
    );
    return c.json({ ...policyBody(policy), findings: renderFindings(findings) }, 200);
  });

  app.openapi(test, async (c) => {
    // A test shows only decisions, and every role that may read the policy may read them.
    const site = await requireSite(context, c, "auditor");
    const { policy, last } = c.req.valid("json");
    const result = await testPolicy(context, site, policy as JsonObject, last);
    return c.json(renderTest(requireOk(result, TEST_RETRY_AFTER_S)), 200);
  });
}
