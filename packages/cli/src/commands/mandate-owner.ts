import type { Money } from "@gatehouse/protocol";
import type { Command } from "commander";
import { adminClient } from "../admin-client.js";
import { choice } from "../choice.js";
import { describeDecisions, siteDecisions } from "../explain-decision.js";
import { findSite } from "../find-site.js";
import { listQuery } from "../list-query.js";
import { moneyText } from "../money-text.js";
import { olderHint, type Span, spanOf, withSpan } from "../span.js";
import { plainJson, type Terminal, table } from "../terminal.js";

const OUTCOMES = ["approved", "escalated", "rejected", "paying"];
const LISTED = 50;

interface DecisionBody {
  readonly evaluated_at: string;
  readonly outcome: string;
  readonly skill: string;
  readonly amount: Money | null;
  readonly rule_id: string | null;
  readonly policy_version: number | null;
  readonly reason: string | null;
  readonly agent_id: string;
  readonly mandate_id: string;
}

interface ListFlags extends Span {
  readonly outcome?: string;
  readonly agent?: string;
  readonly json?: boolean;
}

/** Which rule decided; empty if the rules were not asked. */
function ruleText({ rule_id, policy_version, reason }: DecisionBody): string {
  if (rule_id !== null || policy_version === null) return rule_id ?? "";
  // A budget of the policy is a rule. Without one, it was the limit that unknown platforms share.
  return reason === "budget_exceeded" ? "(shared limit)" : "(default)";
}

const row = (one: DecisionBody) => ({
  evaluated_at: one.evaluated_at,
  outcome: one.outcome,
  skill: one.skill,
  amount: moneyText(one.amount),
  rule: ruleText(one),
  reason: one.reason ?? "",
  agent_id: one.agent_id,
  mandate_id: one.mandate_id,
});

function nothingText(site: string, { outcome, agent, from, to }: ListFlags): string {
  if ([outcome, agent, from, to].some((value) => value !== undefined)) {
    return `No decisions match. List all: gatehouse mandate list ${site}`;
  }
  return `No decisions yet. Check whether mandates are accepted: gatehouse site mandates ${site}`;
}

/** `mandate list`: what was decided. */
export function mandateListCommand(mandate: Command, terminal: Terminal): void {
  const list = mandate
    .command("list")
    .argument("<site>", "domain, site key or site key hash")
    .description("as the owner: list decisions, newest first; `mandate show` explains one")
    .addOption(choice("--outcome <outcome>", "only decisions with this outcome", OUTCOMES))
    .option("--agent <id>", "only decisions about this agent id, or this platform profile");
  withSpan(list)
    .option("--json", "print JSON")
    .action(async (text: string, flags: ListFlags) => {
      const client = adminClient(terminal);
      const { site_key_hash } = await findSite(client, text);
      const { outcome, agent } = flags;
      const query = listQuery({ outcome, agent_id: agent, ...spanOf(flags) }, LISTED);
      const path = `/v1/admin/sites/${site_key_hash}/decisions${query}`;
      type Page = { items: DecisionBody[]; next_cursor?: string };
      const { items, next_cursor } = await client.call<Page>("GET", path);
      if (flags.json) return terminal.out(plainJson({ items }));
      terminal.out(table(items.map(row), nothingText(text, flags)));
      if (items.length === 0) return;
      if (next_cursor !== undefined) {
        terminal.err(olderHint(items.length, items.at(-1)?.evaluated_at));
      }
      terminal.err(`See the reason for a decision: gatehouse mandate show ${text} <mandate_id>`);
    });
}

/** `mandate show`: why it was decided so. */
export function mandateShowCommand(mandate: Command, terminal: Terminal): void {
  mandate
    .command("show")
    .argument("<site>", "domain, site key or site key hash")
    .argument("<mandate_id>", "id from `mandate list`, or the id of a decision or a checkout")
    .description("as the owner: show which rule decided a mandate, its result and its payment")
    .option("--json", "print JSON")
    .action(async (text: string, id: string, { json }: { json?: boolean }) => {
      const items = await siteDecisions(terminal, text, id);
      terminal.out(json ? plainJson({ items }) : describeDecisions(items));
    });
}
