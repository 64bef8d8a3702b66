import { buyingText } from "@gatehouse/protocol";
import type { Command } from "commander";
import { type AdminClient, adminClient } from "../admin-client.js";
import { choice } from "../choice.js";
import { runnable } from "../command-name.js";
import { findSite, type SiteBody } from "../find-site.js";
import { REQUIREMENT_WIDTH, requirementName } from "../requirement-names.js";
import { readSecretFile } from "../secret-file.js";
import { type Readiness, readinessOf, type StripeAccount, silenceText } from "../site-readiness.js";
import { plainJson, type Terminal } from "../terminal.js";

interface Flags {
  readonly processor?: string;
  readonly rail?: boolean;
  readonly settle?: boolean;
  readonly wallet?: string;
  readonly secretKeyFile?: string;
  readonly publishableKey?: string;
  readonly webhookSecretFile?: string;
  readonly approvalSecretFile?: string;
  readonly sharedTokens?: boolean;
  readonly json?: boolean;
}

interface Ability {
  readonly allowed: boolean;
  readonly required: boolean;
  readonly purpose: string;
}

interface KeyReport {
  readonly live: boolean;
  readonly abilities?: readonly Ability[];
}

/** What a key can do, line by line. */
function describeKey({ abilities = [] }: KeyReport): string[] {
  return abilities.map(({ allowed, required, purpose }) => {
    const missing = required ? "MISSING, payments do not work without it" : "missing";
    return `${allowed ? "✓" : "–"} ${purpose}${allowed ? "" : ` (${missing})`}`;
  });
}

/** Whether Stripe can tell what becomes of payments. */
function hookLine({ account, events_url, webhook_secret_set }: StripeAccount): string {
  const whose = account === null ? "" : `Account ${account}. `;
  if (webhook_secret_set) return `${whose}Stripe sends its events to ${events_url}`;
  return `${whose}Let Stripe send events to ${events_url}, and set the signing secret with --webhook-secret-file`;
}

function verdict({ checks, processor, shop_unanswered }: Readiness): string {
  if (shop_unanswered !== null) {
    return `${silenceText(shop_unanswered)} Until it answers, nobody can buy.`;
  }
  if (checks.some(({ name, open }) => name === "sales" && !open)) {
    return "Nothing can be bought while sales are paused.";
  }
  return buyingText(processor.offered);
}

/** What holds already, and what makes the rest hold. */
function describe(readiness: Readiness): string {
  const { kind, live, stripe } = readiness.processor;
  const money = live ? "real money" : "test mode, no real money";
  return [
    kind === null ? "No payment provider is connected." : `Payment provider: ${kind} (${money}).`,
    ...(stripe == null ? [] : [hookLine(stripe)]),
    ...readiness.checks.map(
      ({ name, open, advice = "", command = "" }) =>
        `${open ? "✓" : "–"} ${requirementName(name).padEnd(REQUIREMENT_WIDTH)} ${open ? "ready" : `${advice} Run: ${command}`}`,
    ),
    verdict(readiness),
  ].join("\n");
}

async function print(
  terminal: Terminal,
  client: AdminClient,
  site: SiteBody,
  json: boolean | undefined,
): Promise<void> {
  const readiness = await readinessOf(client, site);
  const { processor, ...rest } = readiness;
  terminal.out(json ? plainJson({ ...processor, ...rest }) : runnable(describe(readiness)));
}

const SITE = ["<site>", "domain, site key or site key hash"] as const;
const pathOf = ({ site_key_hash }: SiteBody) => `/v1/admin/sites/${site_key_hash}/processor`;

interface Current {
  readonly kind: string | null;
  readonly rail_on: boolean;
  readonly settles: boolean;
}

/** What is asked for, and else what there is: changing a setting must not change who is paid. */
async function wantedOf(client: AdminClient, site: SiteBody, flags: Flags) {
  const now = await client.call<Current>("GET", pathOf(site));
  const kind =
    flags.processor ?? (flags.secretKeyFile === undefined ? (now.kind ?? "sandbox") : "stripe");
  const kept = now.kind === null ? { rail_on: true, settles: true } : now;
  return {
    kind,
    rail_on: flags.rail ?? kept.rail_on,
    settles: flags.settle ?? kept.settles,
    wallet_merchant_id: flags.wallet,
  };
}

async function connect(terminal: Terminal, text: string, flags: Flags): Promise<void> {
  const client = adminClient(terminal);
  const site = await findSite(client, text);
  const body = {
    ...(await wantedOf(client, site, flags)),
    publishable_key: flags.publishableKey,
    secret_key: readSecretFile(flags.secretKeyFile),
    webhook_secret: readSecretFile(flags.webhookSecretFile),
    approval_secret: readSecretFile(flags.approvalSecretFile),
    shared_payment_tokens: flags.sharedTokens,
  };
  const connected = await client.call<KeyReport>("PUT", pathOf(site), body);
  if (!flags.json) for (const line of describeKey(connected)) terminal.out(line);
  await print(terminal, client, site, flags.json);
}

/** `site connect`, `disconnect`, `test-processor` and `gates`: who is asked to authorize payments. */
export function siteConnectCommands(site: Command, terminal: Terminal): void {
  site
    .command("connect")
    .argument(...SITE)
    .description("connect a payment provider")
    .addOption(
      choice(
        "--processor <kind>",
        "which payment provider (default: the connected one, or sandbox)",
        ["sandbox", "stripe"],
      ),
    )
    .option(
      "--secret-key-file <file>",
      "file with the key of your Stripe account; - to type the key",
    )
    .option("--webhook-secret-file <file>", "file with the signing secret of Stripe events")
    .option("--approval-secret-file <file>", "file with the signing secret of order approvals")
    .option("--publishable-key <key>", "publishable key of the same account")
    .option("--shared-tokens", "accept Stripe's shared payment tokens (spt_…), a preview feature")
    .option("--no-shared-tokens", "do not accept shared payment tokens")
    .option("--rail", "let agents pay through this provider (the default)")
    .option("--no-rail", "do not let agents pay through this provider")
    .option("--settle", "confirm that this provider pays out to you (the default)")
    .option("--no-settle", "do not confirm this yet; until you do, nobody can buy")
    .option("--wallet <merchant_id>", "your Google Pay merchant id, for live accounts")
    .option("--json", "print JSON")
    .action((text: string, flags: Flags) => connect(terminal, text, flags));

  site
    .command("disconnect")
    .argument(...SITE)
    .description(
      "stop selling and disconnect the payment provider; payments in progress are completed",
    )
    .option("--json", "print JSON")
    .action(async (text: string, { json }: Pick<Flags, "json">) => {
      const client = adminClient(terminal);
      const one = await findSite(client, text);
      await client.call("DELETE", pathOf(one));
      await print(terminal, client, one, json);
    });

  site
    .command("test-processor")
    .argument(...SITE)
    .description("show what the connected key can do; no payment is made")
    .option("--json", "print JSON")
    .action(async (text: string, { json }: Pick<Flags, "json">) => {
      const client = adminClient(terminal);
      const one = await findSite(client, text);
      const report = await client.call<KeyReport>("POST", `${pathOf(one)}/test`);
      if (json) return terminal.out(plainJson(report));
      terminal.out(
        report.live
          ? "This is a live key: payments move real money."
          : "This is a test key: payments move no real money.",
      );
      for (const line of describeKey(report)) terminal.out(line);
    });

  site
    .command("gates")
    .argument(...SITE)
    .description("show whether agents can buy, and what is missing")
    .option("--json", "print JSON")
    .action(async (text: string, { json }: Pick<Flags, "json">) => {
      const client = adminClient(terminal);
      await print(terminal, client, await findSite(client, text), json);
    });
}
