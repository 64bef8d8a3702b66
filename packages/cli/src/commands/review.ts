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
  hint: `\`gatehouse review list ${site} --all\` lists the reviews.`,
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
    return { failed: false, says: `${so} so far. Other people must approve it too.` };
  }
  if (status === "paying") {
    return {
      failed: false,
      says: "You approved it, but the payment is not finished yet. A person may still have to pay, or the payment provider has not answered. `gatehouse order list` shows the order after it is paid.",
    };
  }
  if (status === "invalidated") {
    const why = `The request can no longer be approved: ${reason_code ?? "something changed"}.`;
    return { failed: true, says: `${why} Nothing was paid.` };
  }
  const decisions = await decisionsAbout(client, siteKeyHash, one.mandate_id);
  const own = decisions.find(({ escalation_id }) => escalation_id === one.escalation_id);
  const why = own?.payment?.reason ?? own?.reason ?? "the payment provider gave no reason";
  return { failed: true, says: `You approved it, but the payment failed: ${why}.` };
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
    const hint = `\`gatehouse review show ${site} ${id}\` shows the result.`;
    throw new CommandError(says, EXIT.failed, hint);
  }
  terminal.err(says);
}

export function reviewCommands(program: Command, terminal: Terminal): void {
  const review = program.command("review").description("requests that need your review");
  review
    .command("list")
    .argument("<site>", "domain, site key or site key hash")
    .description("list requests that need review")
    .option("--all", "include decided requests")
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
        ? `No request needed review yet. Your rules decide which do: gatehouse policy show ${site}`
        : `Nothing needs review. List decided requests: gatehouse review list ${site} --all`;
      terminal.out(table(rows, none));
    });

  review
    .command("show")
    .argument("<site>", "domain, site key or site key hash")
    .argument("<review_id>", "id from `review list`")
    .description("show a request, and who decided it")
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
          ...(one.paid_by_person
            ? { payment: "by the buyer on the payment page, after approval" }
            : {}),
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
      .argument("<site>", "domain, site key or site key hash")
      .argument("<review_id>", "id from `review list`")
      .description(description)
      .option("--note <text>", "note for your team; agents do not see it")
      .option("--json", "print JSON, in the format of `review show`")
      .action((site: string, id: string, flags: DecideFlags) =>
        decide(terminal, { verb, site, id }, flags),
      );
  deciding("approve", "approve a request, if the rules still allow it");
  deciding("deny", "decline a request, with a reason for the agent").addOption(
    choice("--reason <code>", "reason that the agent sees", CODES).makeOptionMandatory(),
  );
}
