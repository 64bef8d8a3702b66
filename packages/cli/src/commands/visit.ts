import { CLASSIFICATIONS } from "@gatehouse/protocol";
import { type Command, InvalidArgumentError, Option } from "commander";
import { adminClient } from "../admin-client.js";
import { choice } from "../choice.js";
import { findSite } from "../find-site.js";
import { listQuery, queryOf } from "../list-query.js";
import { olderHint, type Span, spanOf, withSpan } from "../span.js";
import { plainJson, type Terminal, table } from "../terminal.js";

/** What one answer of the service holds. */
const LIMIT_MAX = 200;

interface VisitBody {
  readonly observed_at: string;
  readonly classification: string;
  readonly agent?: { readonly name: string; readonly operator: string };
  readonly signature?: { readonly outcome: string; readonly reason: string | null };
  readonly page_url?: string;
  readonly off_site: boolean;
}

interface CountBody {
  readonly start: string;
  readonly visits: number;
  readonly by_classification: Readonly<Record<string, number>>;
  readonly by_agent: Readonly<Record<string, number>>;
}

interface Filters extends Span {
  readonly classification?: string;
  readonly agent?: string;
  readonly json?: boolean;
}

function readLimit(text: string): string {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= LIMIT_MAX) return text;
  throw new InvalidArgumentError(`Use a number from 1 to ${LIMIT_MAX}.`);
}

function withFilters(command: Command): Command {
  const filtered = command
    .argument("<site>", "domain, site key or site key hash")
    .addOption(choice("--classification <kind>", "only visits of this kind", CLASSIFICATIONS))
    .option("--agent <name>", "only visits of this agent, such as GPTBot");
  return withSpan(filtered).option("--json", "print JSON");
}

const filterOf = (flags: Filters) => ({
  classification: flags.classification,
  agent: flags.agent,
  ...spanOf(flags),
});

/** One that is only known by its host, or by its own word, has no other operator. */
const agentText = ({ name, operator }: NonNullable<VisitBody["agent"]>) =>
  operator === name || operator === "unknown" ? name : `${name} (${operator})`;

const signatureText = ({ outcome, reason }: NonNullable<VisitBody["signature"]>) =>
  reason === null ? outcome : `${outcome} (${reason})`;

const row = ({ observed_at, classification, agent, signature, page_url, off_site }: VisitBody) => ({
  observed_at,
  classification,
  agent: agent === undefined ? "" : agentText(agent),
  signature: signature === undefined ? "" : signatureText(signature),
  page: (page_url ?? "") + (off_site ? " (another site)" : ""),
});

const countRow = ({ start, visits, by_classification, by_agent }: CountBody, by: string) => ({
  [by]: by === "day" ? start.slice(0, 10) : start.slice(0, 16),
  visits: String(visits),
  ...Object.fromEntries(
    CLASSIFICATIONS.map((name) => [name, String(by_classification[name] ?? 0)]),
  ),
  agents: Object.entries(by_agent)
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count}`)
    .join(", "),
});

/** Whether nobody came, or nobody of those who were asked for; and where to look. */
function nothingText(site: string, verb: string, flags: Filters & { source?: string }): string {
  const filters = { ...filterOf(flags), source: flags.source };
  if (Object.values(filters).some((value) => value !== undefined)) {
    return `No visits match. Show all: gatehouse visit ${verb} ${site}`;
  }
  return `No visits yet. Check whether visits are reported: gatehouse site check ${site}`;
}

export function visitCommands(program: Command, terminal: Terminal): void {
  const visit = program.command("visit").description("visits to a site");
  withFilters(visit.command("list").description("list visits, newest first"))
    .addOption(
      choice(
        "--source <source>",
        "only visits reported by pages (beacon), or by a worker or plugin (edge)",
        ["beacon", "edge"],
      ),
    )
    .addOption(
      new Option("--limit <number>", `number of visits, at most ${LIMIT_MAX}`)
        .argParser(readLimit)
        .default("50"),
    )
    .action(async (text: string, flags: Filters & { limit: string; source?: string }) => {
      const client = adminClient(terminal);
      const { site_key_hash } = await findSite(client, text);
      const query = listQuery({ ...filterOf(flags), source: flags.source }, Number(flags.limit));
      const path = `/v1/admin/sites/${site_key_hash}/visits${query}`;
      type Page = { items: VisitBody[]; next_cursor?: string };
      const { items, next_cursor } = await client.call<Page>("GET", path);
      if (flags.json) return terminal.out(plainJson({ items, next_cursor }));
      terminal.out(table(items.map(row), nothingText(text, "list", flags)));
      if (next_cursor !== undefined) {
        terminal.err(olderHint(items.length, items.at(-1)?.observed_at));
      }
    });

  withFilters(visit.command("count").description("count visits over time"))
    .addOption(choice("--by <step>", "count per hour or per day", ["hour", "day"]).default("day"))
    .action(async (text: string, flags: Filters & { by: string }) => {
      const client = adminClient(terminal);
      const { site_key_hash } = await findSite(client, text);
      const query = queryOf({ ...filterOf(flags), by: flags.by });
      const path = `/v1/admin/sites/${site_key_hash}/visits/counts${query}`;
      const counts = await client.call<{ items: CountBody[]; cut: boolean }>("GET", path);
      if (flags.json) return terminal.out(plainJson(counts));
      const rows = counts.items.map((one) => countRow(one, flags.by));
      terminal.out(table(rows, nothingText(text, "count", flags)));
      if (counts.cut)
        terminal.err("The result is incomplete. Choose a shorter time with --from and --to.");
    });
}
