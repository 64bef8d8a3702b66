import { parseUrl } from "@gatehouse/protocol";
import type { Command } from "commander";
import { adminClient } from "../admin-client.js";
import { runnable } from "../command-name.js";
import { CommandError, EXIT } from "../exit.js";
import { findSite, type SiteBody, siteAddress } from "../find-site.js";
import type { LookedAt } from "../site-check/fetch-page.js";
import type { FindingState, SiteFinding } from "../site-check/finding.js";
import { plainJson, plainText, type Terminal } from "../terminal.js";

const MARKS: Readonly<Record<FindingState, string>> = { good: "✓", missing: "–", wrong: "✗" };

function lines(findings: readonly SiteFinding[]): string[] {
  const width = Math.max(...findings.map(({ item }) => item.length));
  return findings.flatMap(({ item, state, found, advice }) => [
    `${MARKS[state]} ${item.padEnd(width)}  ${plainText(found)}`,
    ...(advice === undefined ? [] : [`  ${" ".repeat(width)}  → ${runnable(plainText(advice))}`]),
  ]);
}

/** The site's own address, and the one that is asked instead of it. */
function lookedAt(site: SiteBody, origin: string | undefined): LookedAt {
  const own = new URL(siteAddress(site));
  if (origin === undefined) return { site: own, connect: own };
  const connect = parseUrl(origin);
  if (connect === undefined || !/^https?:\/\/[^/]+\/?$/.test(origin)) {
    const hint = "Use a scheme and a host, such as http://127.0.0.1:3000";
    throw new CommandError("--origin is not a scheme and a host.", EXIT.usage, hint);
  }
  return { site: own, connect };
}

/** `site check`: what an agent finds on the site, and what its owner could do. */
export function siteCheckCommand(site: Command, terminal: Terminal): void {
  site
    .command("check")
    .argument("<site>", "domain, site key or site key hash")
    .description("check a site as an agent sees it, and show what to fix")
    .option(
      "--origin <address>",
      "send requests here instead of to the domain, such as http://127.0.0.1:3000",
    )
    .option("--json", "print JSON")
    .action(async (text: string, { origin, json }: { origin?: string; json?: boolean }) => {
      const client = adminClient(terminal);
      const one = await findSite(client, text);
      // Only here: its HTML parser would take every other command longer to start.
      const { checkSite } = await import("../site-check/check-site.js");
      const findings = await checkSite(client, one, lookedAt(one, origin));
      if (json) terminal.out(plainJson({ findings }));
      else for (const line of lines(findings)) terminal.out(line);
      const wrong = findings.filter(({ state }) => state === "wrong").length;
      if (wrong === 0) return;
      throw new CommandError(
        `${wrong} of ${findings.length} checks failed.`,
        EXIT.failed,
        "Fix the lines marked ✗, then check again.",
      );
    });
}
