import { type Command, Option } from "commander";
import { adminClient } from "../admin-client.js";
import { findSite } from "../find-site.js";
import { moneyText } from "../money-text.js";
import { card, plainJson, type Terminal, table } from "../terminal.js";

const CODES = [
  ...["amount_too_high", "unknown_agent", "suspected_fraud"],
  ...["out_of_stock", "policy_change", "other"],
];

interface EscalationBody {
  readonly escalation_id: string;
  readonly status: string;
  readonly agent_id: string;
  readonly mandate_id: string;
  readonly skill: string;
  readonly amount: { readonly minor: number; readonly currency: string } | null;
  readonly items: readonly {
    readonly id: string;
    readonly title: string;
    readonly quantity: number;
  }[];
  readonly rule_id: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly reason_code: string | null;
  readonly note: string | null;
}

const amountOf = ({ amount }: EscalationBody) => moneyText(amount);
const itemsOf = ({ items }: EscalationBody) =>
  items.map(({ quantity, title, id }) => `${quantity} × ${title} (${id})`).join("\n");

async function pathTo(terminal: Terminal, site: string, rest: string) {
  const client = adminClient(terminal);
  const { site_key_hash } = await findSite(client, site);
  return { client, path: `/v1/admin/sites/${site_key_hash}/escalations${rest}` };
}

export function reviewCommands(program: Command, terminal: Terminal): void {
  const review = program.command("review").description("what your rules leave to a person");
  review
    .command("list")
    .argument("<site>", "its domain, key or hash")
    .description("list what waits for a person")
    .option("--all", "also what was decided")
    .option("--json", "print JSON")
    .action(async (site: string, { all, json }: { all?: boolean; json?: boolean }) => {
      const query = all === true ? "?limit=200" : "?limit=200&status=pending";
      const { client, path } = await pathTo(terminal, site, query);
      const items: EscalationBody[] = [];
      for await (const one of client.pages<EscalationBody>(path)) items.push(one);
      if (json) return terminal.out(plainJson({ items }));
      if (items.length === 0) return terminal.out("Nothing waits for you.");
      const rows = items.map((one) => ({
        ...{ escalation_id: one.escalation_id, status: one.status, skill: one.skill },
        ...{ amount: amountOf(one), rule: one.rule_id, agent_id: one.agent_id },
        until: one.expires_at,
      }));
      terminal.out(table(rows));
    });

  review
    .command("show")
    .argument("<site>", "its domain, key or hash")
    .argument("<escalation_id>", "the id `review list` shows")
    .description("show what is asked for")
    .action(async (site: string, id: string) => {
      const { client, path } = await pathTo(terminal, site, `/${encodeURIComponent(id)}`);
      const one = await client.call<EscalationBody>("GET", path);
      terminal.out(
        card({
          ...{ status: one.status, skill: one.skill, amount: amountOf(one) },
          ...(one.items.length === 0 ? {} : { items: itemsOf(one) }),
          rule: one.rule_id,
          ...{ agent_id: one.agent_id, mandate_id: one.mandate_id, since: one.created_at },
          ...{ until: one.expires_at, reason: one.reason_code ?? "", note: one.note ?? "" },
        }),
      );
    });

  const decide = (verb: "approve" | "deny", description: string) =>
    review
      .command(verb)
      .argument("<site>", "its domain, key or hash")
      .argument("<escalation_id>", "the id `review list` shows")
      .description(description)
      .option("--note <text>", "for your people; no agent sees it");
  decide("approve", "let it happen, if the rules still allow it").action(
    async (site: string, id: string, { note }: { note?: string }) => {
      const { client, path } = await pathTo(terminal, site, `/${encodeURIComponent(id)}/approve`);
      const { status } = await client.call<{ status: string }>("POST", path, { note });
      terminal.out(status);
    },
  );
  decide("deny", "say no, with a word for the agent")
    .addOption(
      new Option("--reason <code>", "what the agent is told").choices(CODES).default("other"),
    )
    .action(async (site: string, id: string, flags: { note?: string; reason: string }) => {
      const { client, path } = await pathTo(terminal, site, `/${encodeURIComponent(id)}/deny`);
      const body = { reason_code: flags.reason, note: flags.note };
      const { status } = await client.call<{ status: string }>("POST", path, body);
      terminal.out(status);
    });
}
