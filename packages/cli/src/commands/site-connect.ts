import { type Command, Option } from "commander";
import { type AdminClient, adminClient } from "../admin-client.js";
import { findSite } from "../find-site.js";
import { plainJson, type Terminal } from "../terminal.js";

interface ProcessorBody {
  readonly kind: string | null;
  readonly live: boolean;
  readonly sells: boolean;
  readonly gates: readonly {
    readonly name: string;
    readonly open: boolean;
    readonly advice?: string;
  }[];
}

interface Flags {
  readonly rail: boolean;
  readonly settle: boolean;
  readonly wallet?: string;
  readonly json?: boolean;
}

/** Which gates are open, and what opens the others. */
function describe({ kind, live, sells, gates }: ProcessorBody): string {
  const money = live ? "real money moves" : "no money is behind it";
  return [
    kind === null ? "No processor is connected." : `Paid through ${kind}: ${money}.`,
    ...gates.map(
      ({ name, open, advice = "" }) =>
        `${open ? "✓" : "–"} ${name.padEnd(10)} ${open ? "open" : advice}`,
    ),
    sells ? "Agents can buy." : "Agents cannot buy yet.",
  ].join("\n");
}

function print(terminal: Terminal, body: ProcessorBody, json: boolean | undefined): void {
  terminal.out(json ? plainJson(body) : describe(body));
}

async function pathOf(client: AdminClient, text: string): Promise<string> {
  const { site_key_hash } = await findSite(client, text);
  return `/v1/admin/sites/${site_key_hash}/processor`;
}

/** `site connect`, `site disconnect` and `site gates`: who is asked to authorize payments. */
export function siteConnectCommands(site: Command, terminal: Terminal): void {
  site
    .command("connect")
    .argument("<site>", "domain, site key or site key hash")
    .description("connect a payment processor")
    .addOption(
      new Option("--processor <kind>", "which one").choices(["sandbox"]).default("sandbox"),
    )
    .option("--no-rail", "keep its rail off")
    .option("--no-settle", "do not settle through it yet")
    .option("--wallet <merchant_id>", "the merchant id of the wallet, for live accounts")
    .option("--json", "print JSON")
    .action(async (text: string, flags: Flags & { readonly processor: string }) => {
      const client = adminClient(terminal);
      const { processor: kind, rail: rail_on, settle: settles, wallet } = flags;
      const body = { kind, rail_on, settles, wallet_merchant_id: wallet };
      const path = await pathOf(client, text);
      print(terminal, await client.call<ProcessorBody>("PUT", path, body), flags.json);
    });

  site
    .command("disconnect")
    .argument("<site>", "domain, site key or site key hash")
    .description("sell nothing more; what was asked of the processor is brought to its end")
    .option("--json", "print JSON")
    .action(async (text: string, { json }: Pick<Flags, "json">) => {
      const client = adminClient(terminal);
      const path = await pathOf(client, text);
      print(terminal, await client.call<ProcessorBody>("DELETE", path), json);
    });

  site
    .command("gates")
    .argument("<site>", "domain, site key or site key hash")
    .description("say whether agents can buy, and what is missing")
    .option("--json", "print JSON")
    .action(async (text: string, { json }: Pick<Flags, "json">) => {
      const client = adminClient(terminal);
      const path = await pathOf(client, text);
      print(terminal, await client.call<ProcessorBody>("GET", path), json);
    });
}
