import type { Command } from "commander";
import { adminClient } from "../admin-client.js";
import { runnable } from "../command-name.js";
import { counted } from "../counted.js";
import { type DeclinesBody, declinesOf } from "../declines.js";
import { findSite, type SiteBody } from "../find-site.js";
import { plainJson, type Terminal, table } from "../terminal.js";

const WHO_WAITS: Readonly<Record<DeclinesBody["waiting"][number]["kind"], (of: string) => string>> =
  {
    identity: (of) => of,
    address: () => "platforms you have not admitted, from one network address (not stored)",
    instrument: (of) => `one payment method of ${of}`,
    buyer: (of) => `one buyer of ${of}`,
  };

function describe(
  { domain }: SiteBody,
  { attempts, declined, unresolved, unresolved_since, hand_off_until, waiting }: DeclinesBody,
): string {
  const rows = waiting.map(({ kind, identity, until, times }) => ({
    who_waits: WHO_WAITS[kind](identity ?? "an unknown agent or platform"),
    until,
    waits_in_a_row: String(times),
  }));
  return [
    `${declined} of ${attempts} payments were declined in the last 10 minutes.`,
    ...(unresolved_since === null
      ? []
      : [`${counted(unresolved, "payment")} without a known outcome, since ${unresolved_since}.`]),
    ...(hand_off_until === null
      ? []
      : [`Platforms you have not admitted cannot pay by themselves until ${hand_off_until}.`]),
    table(rows, "Nobody has to wait."),
    ...(waiting.length === 0
      ? []
      : [
          `If you trust a platform: gatehouse platform admit ${domain} <platform>. ` +
            `If someone is testing stolen cards: gatehouse site pause ${domain}`,
        ]),
  ].join("\n");
}

/** `site declines`: how many payments are declined, and who has to wait. */
export function siteDeclinesCommand(site: Command, terminal: Terminal): void {
  site
    .command("declines")
    .argument("<site>", "domain, site key or site key hash")
    .description("show declined payments and who has to wait")
    .option("--json", "print JSON")
    .action(async (text: string, { json }: { json?: boolean }) => {
      const client = adminClient(terminal);
      const one = await findSite(client, text);
      const declines = await declinesOf(client, one);
      terminal.out(json ? plainJson(declines) : runnable(describe(one, declines)));
    });
}
