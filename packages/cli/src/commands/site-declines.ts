import type { Command } from "commander";
import { adminClient } from "../admin-client.js";
import { type DeclinesBody, declinesOf } from "../declines.js";
import { findSite } from "../find-site.js";
import { plainJson, type Terminal, table } from "../terminal.js";

function describe({ attempts, declined, hand_off_until, waiting }: DeclinesBody): string {
  const rows = waiting.map(({ kind, identity, until, times }) => ({
    waits: kind,
    of: identity ?? "not kept",
    until,
    times: String(times),
  }));
  return [
    `${declined} of ${attempts} payments were declined in the last 10 minutes.`,
    ...(hand_off_until === null
      ? []
      : [`Platforms you have not admitted cannot pay by themselves until ${hand_off_until}.`]),
    table(rows, "Nobody has to wait."),
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
      const declines = await declinesOf(client, await findSite(client, text));
      terminal.out(json ? plainJson(declines) : describe(declines));
    });
}
