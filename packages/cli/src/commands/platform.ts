import type { Command } from "commander";
import { choice } from "../choice.js";
import { listQuery } from "../list-query.js";
import { hostOf, noPlatform, pathToPlatform, pathToPlatforms } from "../platform-path.js";
import { card, plainJson, type Terminal, table } from "../terminal.js";
import { platformConnectCommand } from "./platform-connect.js";
import { platformCredentialCommands } from "./platform-credentials.js";

const STATUSES = ["seen", "admitted", "suspended"];

interface PlatformBody {
  readonly platform: string;
  readonly status: string;
  readonly name: string | null;
  readonly note: string | null;
  readonly profile_url: string | null;
  readonly first_seen_at: string | null;
  readonly last_seen_at: string | null;
  readonly recent_decisions: number;
}

interface Flags {
  readonly json?: boolean;
}

const row = (platform: PlatformBody) => ({
  platform: platform.platform,
  status: platform.status,
  name: platform.name ?? "",
  first_seen: platform.first_seen_at ?? "never",
  last_seen: platform.last_seen_at ?? "never",
  decisions_30d: String(platform.recent_decisions),
});

function describe(platform: PlatformBody): string {
  const { name, note, profile_url } = platform;
  return card({
    platform: platform.platform,
    status: platform.status,
    ...(name === null ? {} : { name }),
    ...(note === null ? {} : { note }),
    ...(profile_url === null ? {} : { profile: profile_url }),
    first_seen: platform.first_seen_at ?? "never",
    last_seen: platform.last_seen_at ?? "never",
  });
}

function listCommand(platform: Command, terminal: Terminal): void {
  platform
    .command("list")
    .argument("<site>", "domain, site key or site key hash")
    .description("list platforms that you admitted or suspended, and platforms that called")
    .addOption(choice("--status <status>", "only platforms with this status", STATUSES))
    .option("--search <text>", "only platforms whose name or domain contains this text")
    .option("--json", "print JSON")
    .action(
      async (
        site: string,
        flags: Flags & { readonly status?: string; readonly search?: string },
      ) => {
        const query = listQuery({ status: flags.status, q: flags.search });
        const { client, path } = await pathToPlatforms(terminal, site, query);
        const items: PlatformBody[] = [];
        for await (const one of client.pages<PlatformBody>(path)) items.push(one);
        if (flags.json) return terminal.out(plainJson({ items }));
        const none =
          flags.search === undefined && flags.status === undefined
            ? `No platforms yet. Admit one: gatehouse platform admit ${site} <domain>`
            : `No platforms match. List all: gatehouse platform list ${site}`;
        terminal.out(table(items.map(row), none));
      },
    );
}

const STEPS: readonly (readonly [verb: string, status: string, description: string])[] = [
  ["admit", "admitted", "allow a platform to buy, within your rules"],
  ["suspend", "suspended", "suspend a platform: it cannot buy until you admit it again"],
];

function changeCommands(platform: Command, terminal: Terminal): void {
  for (const [verb, status, description] of STEPS) {
    platform
      .command(verb)
      .argument("<site>", "domain, site key or site key hash")
      .argument("<platform>", "domain, host or profile address of the platform")
      .description(description)
      .option("--name <name>", "name for the platform")
      .option("--note <note>", "note for your team")
      .option("--json", "print JSON")
      .action(
        async (
          site: string,
          named: string,
          { name, note, json }: Flags & { readonly name?: string; readonly note?: string },
        ) => {
          const { client, path } = await pathToPlatform(terminal, site, named);
          const changed = await client.call<PlatformBody>("PUT", path, { status, name, note });
          terminal.out(json ? plainJson(changed) : describe(changed));
        },
      );
  }

  platform
    .command("remove")
    .argument("<site>", "domain, site key or site key hash")
    .argument("<platform>", "name from `platform list`")
    .description("remove a platform from the list; if it calls again, it is listed as new")
    .option("--json", "print JSON")
    .action(async (site: string, named: string, { json }: Flags) => {
      const { client, path } = await pathToPlatform(terminal, site, named);
      await client.callAbout(noPlatform(site), "DELETE", path);
      const removed = { platform: hostOf(named), status: "removed" };
      terminal.out(json ? plainJson(removed) : `${removed.platform} was removed from the list.`);
    });
}

export function platformCommands(program: Command, terminal: Terminal): void {
  const platform = program.command("platform").description("platforms that buy at a site");
  listCommand(platform, terminal);
  changeCommands(platform, terminal);
  platformCredentialCommands(platform, terminal);
  platformConnectCommand(platform, terminal);
}
