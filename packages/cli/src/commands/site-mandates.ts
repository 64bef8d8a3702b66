import { type Command, InvalidArgumentError, Option } from "commander";
import { adminClient } from "../admin-client.js";
import { CommandError, EXIT } from "../exit.js";
import { findSite } from "../find-site.js";
import { card, plainJson, type Terminal } from "../terminal.js";

/** What empties the list of origins, in place of one. */
const NONE = "none";
const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

interface MandatesBody {
  readonly enabled: boolean;
  readonly lifetime_seconds: number;
  readonly auto_admit: readonly string[];
}

interface Flags {
  readonly on?: boolean;
  readonly off?: boolean;
  readonly lifetime?: number;
  readonly admit?: readonly string[];
  readonly json?: boolean;
}

function readSeconds(text: string): number {
  const [, number = "", unit = ""] = /^(\d{1,5})([smh])$/.exec(text) ?? [];
  const seconds = Number(number) * (SECONDS[unit] ?? 0);
  if (seconds > 0) return seconds;
  throw new InvalidArgumentError("Use a time such as 90s, 15m or 24h.");
}

/** A time in the largest unit that holds it exactly. */
function durationText(seconds: number): string {
  const unit = (["h", "m"] as const).find((one) => seconds % (SECONDS[one] as number) === 0) ?? "s";
  return `${seconds / (SECONDS[unit] as number)}${unit}`;
}

function changesOf({ on, off, lifetime, admit }: Flags) {
  if (on && off) {
    throw new CommandError(
      "--on and --off cannot be used together.",
      EXIT.usage,
      "Use one of them.",
    );
  }
  const enabled = on === true ? true : off === true ? false : undefined;
  const auto_admit = admit?.length === 1 && admit[0] === NONE ? [] : admit;
  return { enabled, lifetime_seconds: lifetime, auto_admit };
}

/** `site mandates`: whether a site takes mandates, how long one may be valid, and who is admitted. */
export function siteMandatesCommand(site: Command, terminal: Terminal): void {
  site
    .command("mandates")
    .argument("<site>", "domain, site key or site key hash")
    .description("show or change whether mandates are accepted")
    .option("--on", "accept mandates; your policy decides them")
    .option("--off", "refuse every mandate")
    .addOption(
      new Option(
        "--lifetime <time>",
        "how long a mandate may be valid, such as 15m; from 1m to 24h",
      ).argParser(readSeconds),
    )
    .option(
      "--admit <origin...>",
      "approve agents automatically if one of these origins publishes their key; none: approve no agents automatically",
    )
    .option("--json", "print JSON")
    .action(async (text: string, flags: Flags) => {
      const client = adminClient(terminal);
      const { site_key_hash } = await findSite(client, text);
      const path = `/v1/admin/sites/${site_key_hash}/mandates`;
      const changes = changesOf(flags);
      const changed = Object.values(changes).some((value) => value !== undefined);
      const settings = changed
        ? await client.call<MandatesBody>("PATCH", path, changes)
        : await client.call<MandatesBody>("GET", path);
      if (flags.json) return terminal.out(plainJson(settings));
      terminal.out(
        card({
          mandates: settings.enabled ? "on" : "off",
          lifetime: durationText(settings.lifetime_seconds),
          admit: settings.auto_admit.join(", ") || NONE,
        }),
      );
    });
}
