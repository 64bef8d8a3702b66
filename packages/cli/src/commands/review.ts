import type { Command } from "commander";
import { type AdminClient, adminClient } from "../admin-client.js";
import { choice } from "../choice.js";
import { CommandError, EXIT } from "../exit.js";
import { decisionsAbout } from "../explain-decision.js";
import { findSite } from "../find-site.js";
import { moneyText } from "../money-text.js";
import { purchaseLines } from "../purchase.js";
import { decidedLines, type ReviewBody } from "../review-text.js";
import { card, plainJson, type Terminal, table } from "../terminal.js";

const CODES = [
  "amount_too_high",
  "unknown_agent",
  "suspected_fraud",
  "out_of_stock",
  "policy_change",
  "other",
];

const noReview = (site: string) => ({
  says: "There is no such review.",
  hint: `\`gatehouse review list ${site} --all\` shows the reviews there are.`,
});

const amountOf = ({ amount }: ReviewBody) => moneyText(amount);
const itemsOf = ({ items }: ReviewBody) =>
  items.map(({ quantity, title, id }) => `${quantity} × ${title} (${id})`).join("\n");

async function pathTo(terminal: Terminal, site: string, rest: string) {
  const client = adminClient(terminal);
  const { site_key_hash } = await findSite(client, site);
  const sitePath = `/v1/admin/sites/${site_key_hash}`;
  return { client, siteKeyHash: site_key_hash, path: `${sitePath}/escalations${rest}` };
}

/** What an approval came to, where that is not simply that it was approved. */
async function outcomeOf(client: AdminClient, siteKeyHash: string, one: ReviewBody) {
  const { status, reason_code, approvals_needed, approved_by } = one;
  if (status === "pending") {
    const so = `${approved_by.length} of ${approvals_needed} approvals`;
    return { failed: false, says: `${so}: it waits for other people.` };
  }
  if (status === "paying") {
    return {
      failed: false,
      says: "You approved it. The payment is not finished yet: a person may still have to pay, or the provider to answer. `gatehouse order list` shows the order once it is paid.",
    };
  }
  if (status === "invalidated") {
    const why = `It could no longer be approved: ${reason_code ?? "something changed"}.`;
    return { failed: true, says: `${why} Nothing was paid.` };
  }
  const decisions = await decisionsAbout(client, siteKeyHash, one.mandate_id);
  const own = decisions.find(({ escalation_id }) => escalation_id === one.escalation_id);
  const why = own?.payment?.reason ?? own?.reason ?? "the processor gave no reason";
  return { failed: true, says: `You approved it, but it could not be paid: ${why}.` };
}

interface DecideFlags {
  readonly note?: string;
  readonly reason?: string;
  readonly json?: boolean;
}

interface Decision {
  readonly verb: "approve" | "deny";
  readonly site: string;
  readonly id: string;
}

async function decide(terminal: Terminal, { verb, site, id }: Decision, flags: DecideFlags) {
  const { client, path, siteKeyHash } = await pathTo(terminal, site, `/${encodeURIComponent(id)}`);
  const body = { note: flags.note, reason_code: flags.reason };
  type Decided = { status: string };
  const missing = noReview(site);
  const { status } = await client.callAbout<Decided>(missing, "POST", `${path}/${verb}`, body);
  const read = () => client.call<ReviewBody>("GET", path);
  terminal.out(flags.json ? plainJson(await read()) : status);
  if (verb === "deny" || status === "approved") return;
  const { failed, says } = await outcomeOf(client, siteKeyHash, await read());
  if (failed) {
    const hint = `\`gatehouse review show ${site} ${id}\` says what became of it.`;
    throw new CommandError(says, EXIT.failed, hint);
  }
  terminal.err(says);
}

export function reviewCommands(program: Command, terminal: Terminal): void {
  const review = program.command("review").description("requests that need your review");
  review
    .command("list")
    .argument("<site>", "its domain, key or hash")
    .description("list what waits for a person")
    .option("--all", "also what was decided")
    .option("--json", "print JSON")
    .action(async (site: string, { all, json }: { all?: boolean; json?: boolean }) => {
      const query = all === true ? "?limit=200" : "?limit=200&status=pending";
      const { client, path } = await pathTo(terminal, site, query);
      const items: ReviewBody[] = [];
      for await (const one of client.pages<ReviewBody>(path)) items.push(one);
      if (json) return terminal.out(plainJson({ items }));
      const rows = items.map((one) => ({
        review_id: one.escalation_id,
        status: one.status,
        skill: one.skill,
        amount: amountOf(one),
        rule: one.rule_id,
        agent_id: one.agent_id,
        until: one.expires_at,
      }));
      const none = all
        ? `Nothing needed a review yet. Your rules say what does: gatehouse policy show ${site}`
        : `Nothing waits for you. What was decided: gatehouse review list ${site} --all`;
      terminal.out(table(rows, none));
    });

  review
    .command("show")
    .argument("<site>", "its domain, key or hash")
    .argument("<review_id>", "the id `review list` shows")
    .description("show what is asked for, and who decided")
    .option("--json", "print JSON")
    .action(async (site: string, id: string, { json }: { json?: boolean }) => {
      const { client, path } = await pathTo(terminal, site, `/${encodeURIComponent(id)}`);
      const one = await client.callAbout<ReviewBody>(noReview(site), "GET", path);
      if (json) return terminal.out(plainJson(one));
      terminal.out(
        card({
          status: one.status,
          skill: one.skill,
          ...(one.amount === null ? {} : { amount: amountOf(one) }),
          ...(one.items.length === 0 ? {} : { items: itemsOf(one) }),
          ...purchaseLines(one.purchase, one.amount?.currency ?? ""),
          rule: one.rule_id,
          agent_id: one.agent_id,
          mandate_id: one.mandate_id,
          since: one.created_at,
          until: one.expires_at,
          ...decidedLines(one),
        }),
      );
    });

  const deciding = (verb: "approve" | "deny", description: string) =>
    review
      .command(verb)
      .argument("<site>", "its domain, key or hash")
      .argument("<review_id>", "the id `review list` shows")
      .description(description)
      .option("--note <text>", "for your people; no agent sees it")
      .option("--json", "print JSON, as `review show` does")
      .action((site: string, id: string, flags: DecideFlags) =>
        decide(terminal, { verb, site, id }, flags),
      );
  deciding("approve", "let it happen, if the rules still allow it");
  deciding("deny", "say no, with a word for the agent").addOption(
    choice("--reason <code>", "what the agent is told", CODES).default("other"),
  );
}
