import { type Command, Option } from "commander";
import { type AdminClient, adminClient } from "../admin-client.js";
import { findSite, type SiteBody } from "../find-site.js";
import { type Readiness, readinessOf } from "../site-readiness.js";
import { plainJson, type Terminal } from "../terminal.js";

interface Flags {
  readonly rail: boolean;
  readonly settle: boolean;
  readonly wallet?: string;
  readonly json?: boolean;
}

/** What holds already, and what makes the rest hold. */
function describe({ processor: { kind, live }, checks, can_buy }: Readiness): string {
  const money = live ? "real money moves" : "no money is behind it";
  return [
    kind === null ? "No processor is connected." : `Paid through ${kind}: ${money}.`,
    ...checks.map(
      ({ name, open, advice = "", command = "" }) =>
        `${open ? "✓" : "–"} ${name.padEnd(10)} ${open ? "open" : `${advice} Run: ${command}`}`,
    ),
    can_buy ? "Agents can buy." : "Agents cannot buy yet.",
  ].join("\n");
}

async function print(
  terminal: Terminal,
  client: AdminClient,
  site: SiteBody,
  json: boolean | undefined,
): Promise<void> {
  const readiness = await readinessOf(client, site);
  const { processor, checks, can_buy } = readiness;
  terminal.out(json ? plainJson({ ...processor, checks, can_buy }) : describe(readiness));
}

const SITE = ["<site>", "domain, site key or site key hash"] as const;
const pathOf = ({ site_key_hash }: SiteBody) => `/v1/admin/sites/${site_key_hash}/processor`;

/** `site connect`, `site disconnect` and `site gates`: who is asked to authorize payments. */
export function siteConnectCommands(site: Command, terminal: Terminal): void {
  site
    .command("connect")
    .argument(...SITE)
    .description("connect a payment processor")
    .addOption(
      new Option("--processor <kind>", "which one").choices(["sandbox"]).default("sandbox"),
    )
    .option("--no-rail", "keep its rail off: nothing is paid through it")
    .option("--no-settle", "do not settle through it yet")
    .option("--wallet <merchant_id>", "the merchant id of the wallet, for live accounts")
    .option("--json", "print JSON")
    .action(async (text: string, flags: Flags & { readonly processor: string }) => {
      const client = adminClient(terminal);
      const { processor: kind, rail: rail_on, settle: settles, wallet } = flags;
      const found = await findSite(client, text);
      const body = { kind, rail_on, settles, wallet_merchant_id: wallet };
      await client.call("PUT", pathOf(found), body);
      await print(terminal, client, found, flags.json);
    });

  site
    .command("disconnect")
    .argument(...SITE)
    .description("sell nothing more; what was asked of the processor is brought to its end")
    .option("--json", "print JSON")
    .action(async (text: string, { json }: Pick<Flags, "json">) => {
      const client = adminClient(terminal);
      const found = await findSite(client, text);
      await client.call("DELETE", pathOf(found));
      await print(terminal, client, found, json);
    });

  site
    .command("gates")
    .argument(...SITE)
    .description("say whether agents can buy, and what is missing")
    .option("--json", "print JSON")
    .action(async (text: string, { json }: Pick<Flags, "json">) => {
      const client = adminClient(terminal);
      await print(terminal, client, await findSite(client, text), json);
    });
}
