import type { Command } from "commander";
import { adminClient } from "../admin-client.js";
import { runnable } from "../command-name.js";
import { findSite, type SiteBody } from "../find-site.js";
import { plainJson, type Terminal } from "../terminal.js";

const PAUSED = (domain: string) =>
  `Sales of ${domain} are paused. No new payment is authorized until you resume sales: ` +
  `gatehouse site resume ${domain}`;
const RESUMED = (domain: string) => `Sales of ${domain} are resumed.`;

/** `site pause` and `site resume`: the owner's way to stop every sale at once, and to go on. */
export function sitePauseCommands(site: Command, terminal: Terminal): void {
  const command = (verb: "pause" | "resume", description: string) =>
    site
      .command(verb)
      .argument("<site>", "domain, site key or site key hash")
      .description(description)
      .option("--json", "print JSON")
      .action(async (text: string, { json }: { json?: boolean }) => {
        const client = adminClient(terminal);
        const { site_key_hash } = await findSite(client, text);
        const path = `/v1/admin/sites/${site_key_hash}/${verb}`;
        const changed = await client.call<SiteBody>("POST", path, {});
        const says = changed.paused_at === null ? RESUMED : PAUSED;
        terminal.out(json ? plainJson(changed) : runnable(says(changed.domain)));
      });
  command("pause", "pause sales: no new payment is authorized until you resume");
  command("resume", "resume sales after a pause");
}
