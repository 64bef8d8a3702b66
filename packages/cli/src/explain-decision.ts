import type { Money } from "@gatehouse/protocol";
import { type AdminClient, adminClient, type Missing } from "./admin-client.js";
import { runnable } from "./command-name.js";
import { CommandError, EXIT } from "./exit.js";
import { findSite } from "./find-site.js";
import { listQuery } from "./list-query.js";
import { moneyText } from "./money-text.js";
import { type ReviewBody, reviewerText, reviewSentence } from "./review-text.js";
import { card, type Terminal } from "./terminal.js";

/** One id may be used by several agents, each for a mandate of its own. */
const SAME_ID_MAX = 20;

export interface ExplainedDecision {
  readonly decision_id: string;
  readonly mandate_id: string;
  readonly agent_id: string;
  readonly skill: string;
  readonly evaluated_at: string;
  readonly outcome: string;
  readonly reason: string | null;
  readonly rule_id: string | null;
  readonly policy_version: number | null;
  readonly amount: Money | null;
  readonly record_id: string;
  readonly rules: readonly { readonly id: string; readonly result: string }[];
  readonly payment: { readonly status: string; readonly reason: string | null } | null;
  readonly order_id: string | null;
  readonly order_number: number | null;
  readonly escalation_id: string | null;
  readonly answer: { readonly body: { readonly record_id?: unknown } };
  /** What a person said, where the rules left it to one. */
  readonly review: ReviewBody | null;
}

/** What the rules said, and where something was decided after them, what the agent was told. */
function recordsOf({ record_id, answer }: ExplainedDecision): string {
  const answerRecord = answer.body.record_id;
  if (typeof answerRecord !== "string" || answerRecord === record_id) return record_id;
  return `${record_id} (decision of the rules)\n${answerRecord} (answer to the agent)`;
}

/**
 * Which rule it was, or that it was none. A budget of the policy is a rule and named as one: without
 * a rule it was the pool.
 */
function ruleBehind({ rule_id, policy_version, reason }: ExplainedDecision): string {
  if (policy_version === null) return "no rule: it was refused before the rules were evaluated";
  if (rule_id === null && reason === "budget_exceeded") {
    return (
      "the limit shared by platforms you have not admitted\n" +
      "Admit this one (gatehouse platform admit), or raise the limit (gatehouse site platforms)."
    );
  }
  const rule = rule_id === null ? "the policy's default" : `rule ${rule_id}`;
  return `${rule}, version ${policy_version}`;
}

/** Who decided: the rules, or the reviewers that a rule asked. */
function decidedBy(one: ExplainedDecision): string {
  const { review } = one;
  const rule = ruleBehind(one);
  return review === null ? rule : `${reviewerText(review)}\n${rule}, requires a review`;
}

function reviewOf({ review }: ExplainedDecision, id: string): string {
  return review === null ? id : `${id}\n${reviewSentence(review)}`;
}

function describe(one: ExplainedDecision): string {
  const payment = one.payment && `${one.payment.status} ${one.payment.reason ?? ""}`.trim();
  return card({
    outcome: [one.outcome, one.reason ?? ""].join(" ").trim(),
    "decided by": decidedBy(one),
    ...(one.amount === null ? {} : { amount: moneyText(one.amount) }),
    ...(one.rules.length === 0
      ? {}
      : { rules: one.rules.map(({ id, result }) => `${id}: ${result}`).join("\n") }),
    ...(payment === null ? {} : { payment }),
    ...(one.order_id === null ? {} : { order: `#${one.order_number} ${one.order_id}` }),
    ...(one.escalation_id === null ? {} : { review: reviewOf(one, one.escalation_id) }),
    skill: one.skill,
    agent: one.agent_id,
    "decided at": one.evaluated_at,
    mandate: one.mandate_id,
    decision: one.decision_id,
    record: recordsOf(one),
  });
}

type Explained = Omit<ExplainedDecision, "review">;

/** What a person said about it is asked for besides. */
async function withReview(
  client: AdminClient,
  site: string,
  one: Explained,
): Promise<ExplainedDecision> {
  const id = one.escalation_id;
  if (id === null) return { ...one, review: null };
  const review = await client.call<ReviewBody>("GET", `${site}/escalations/${id}`);
  return { ...one, review };
}

/** Decisions of a site that a query of its list finds, each explained. */
async function explained(
  client: AdminClient,
  site: string,
  filter: Readonly<Record<string, string>>,
): Promise<ExplainedDecision[]> {
  const path = `${site}/decisions`;
  const query = listQuery(filter, SAME_ID_MAX);
  const { items } = await client.call<{ items: { decision_id: string }[] }>("GET", path + query);
  const decisions: ExplainedDecision[] = [];
  for (const { decision_id } of items) {
    const one = await client.call<Explained>("GET", `${path}/${decision_id}`);
    decisions.push(await withReview(client, site, one));
  }
  return decisions;
}

const siteAt = (siteKeyHash: string) => `/v1/admin/sites/${siteKeyHash}`;

/** Every decision of a site about mandates with this id. */
export function decisionsAbout(
  client: AdminClient,
  siteKeyHash: string,
  mandateId: string,
): Promise<ExplainedDecision[]> {
  return explained(client, siteAt(siteKeyHash), { mandate_id: mandateId });
}

/** For people, one below the other. */
export function describeDecisions(decisions: readonly ExplainedDecision[]): string {
  return runnable(decisions.map(describe).join("\n\n"));
}

const nothingDecided = (domain: string): Missing => ({
  says: `${domain} has no decision about this mandate.`,
  hint:
    `\`gatehouse mandate list ${domain}\` lists its decisions. ` +
    `Mandates that are refused before the rules are evaluated are only in the log: ` +
    `gatehouse audit tail ${domain} --type mandate.decision`,
});

/**
 * What a site decided, and which rule of its policy did; by any id an order shows: of a mandate, of a
 * decision, or of a checkout.
 */
export async function siteDecisions(
  terminal: Terminal,
  text: string,
  id: string,
): Promise<readonly ExplainedDecision[]> {
  const client = adminClient(terminal);
  const { site_key_hash, domain } = await findSite(client, text);
  const site = siteAt(site_key_hash);
  // Agents choose the ids of their mandates: one may look like any other.
  const decisions = await explained(client, site, { mandate_id: id });
  if (decisions.length > 0) return decisions;
  const missing = nothingDecided(domain);
  if (id.startsWith("dec_")) {
    const path = `${site}/decisions/${encodeURIComponent(id)}`;
    const one = await client.callAbout<Explained>(missing, "GET", path);
    return [await withReview(client, site, one)];
  }
  const tries = id.startsWith("chk_") ? await explained(client, site, { checkout_id: id }) : [];
  if (tries.length > 0) return tries;
  if (id.startsWith("ord_")) {
    const hint = `Find the id of its mandate: gatehouse order show ${domain} ${id}`;
    throw new CommandError(`${id} is the id of an order, not of a mandate.`, EXIT.failed, hint);
  }
  throw new CommandError(missing.says, EXIT.failed, missing.hint);
}
