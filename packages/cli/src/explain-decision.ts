import type { Money } from "@gatehouse/protocol";
import { type AdminClient, adminClient } from "./admin-client.js";
import { CommandError, EXIT } from "./exit.js";
import { findSite } from "./find-site.js";
import { moneyText } from "./money-text.js";
import { type ReviewBody, reviewSentence } from "./review-text.js";
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
  readonly escalation_id: string | null;
  readonly answer: { readonly body: { readonly record_id?: unknown } };
  /** What a person said, where the rules left it to one. */
  readonly review: ReviewBody | null;
}

/** What the rules said, and where something was decided after them, what the agent was told. */
function recordsOf({ record_id, answer }: ExplainedDecision): string {
  const told = answer.body.record_id;
  if (typeof told !== "string" || told === record_id) return record_id;
  return `${record_id} (what the rules said)\n${told} (what was answered)`;
}

/** Which rule it was, or that it was none. */
function decidedBy({ rule_id, policy_version }: ExplainedDecision): string {
  if (policy_version === null) return "no rule: it was refused before they were asked";
  const rule = rule_id === null ? "the policy's default" : `rule ${rule_id}`;
  return `${rule}, version ${policy_version}`;
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
    ...(one.order_id === null ? {} : { order: one.order_id }),
    ...(one.escalation_id === null ? {} : { review: reviewOf(one, one.escalation_id) }),
    ...{ skill: one.skill, agent: one.agent_id, "decided at": one.evaluated_at },
    ...{ mandate: one.mandate_id, decision: one.decision_id, record: recordsOf(one) },
  });
}

/** Every decision of a site about mandates with this id. */
export async function decisionsAbout(
  client: AdminClient,
  siteKeyHash: string,
  mandateId: string,
): Promise<ExplainedDecision[]> {
  const site = `/v1/admin/sites/${siteKeyHash}`;
  const path = `${site}/decisions`;
  const query = `?limit=${SAME_ID_MAX}&mandate_id=${encodeURIComponent(mandateId)}`;
  const { items } = await client.call<{ items: { decision_id: string }[] }>("GET", path + query);
  const found: ExplainedDecision[] = [];
  for (const { decision_id } of items) {
    const one = await client.call<Omit<ExplainedDecision, "review">>(
      "GET",
      `${path}/${decision_id}`,
    );
    const id = one.escalation_id;
    const review =
      id === null ? null : await client.call<ReviewBody>("GET", `${site}/escalations/${id}`);
    found.push({ ...one, review });
  }
  return found;
}

/** For people, one below the other. */
export function describeDecisions(decisions: readonly ExplainedDecision[]): string {
  return decisions.map(describe).join("\n\n");
}

/** What a site decided about a mandate, and which rule of its policy did. */
export async function siteDecisions(
  terminal: Terminal,
  text: string,
  mandateId: string,
): Promise<readonly ExplainedDecision[]> {
  const client = adminClient(terminal);
  const { site_key_hash, domain } = await findSite(client, text);
  const found = await decisionsAbout(client, site_key_hash, mandateId);
  if (found.length === 0) {
    const hint =
      `\`gatehouse mandate list ${domain}\` shows what it has decided about. ` +
      `What is refused before the rules are asked is in the log only: ` +
      `gatehouse audit tail ${domain} --type mandate.decision`;
    throw new CommandError(`${domain} has decided nothing about this mandate.`, EXIT.failed, hint);
  }
  return found;
}
