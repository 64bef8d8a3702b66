import { type Command, InvalidArgumentError, Option } from "commander";
import { adminClient } from "../admin-client.js";
import { choice } from "../choice.js";
import { findSite } from "../find-site.js";
import { card, plainJson, type Terminal } from "../terminal.js";

interface SettingsBody {
  readonly platforms: string;
  readonly chosen: boolean;
  readonly pool: {
    readonly spend_per_day: Readonly<Record<string, string>>;
    readonly purchases_per_hour: number;
    readonly purchases_per_day: number;
    readonly pending_reviews: number;
  };
}

interface Flags {
  readonly accept?: string;
  readonly spendPerDay?: readonly string[];
  readonly purchasesPerHour?: number;
  readonly purchasesPerDay?: number;
  readonly pendingReviews?: number;
  readonly json?: boolean;
}

function readCount(text: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Use a whole number, such as 100.");
}

const count = (flags: string, description: string) =>
  new Option(flags, description).argParser(readCount);

function readSpend(text: string, before: readonly string[] = []): readonly string[] {
  if (/^[A-Z]{3}=\d/.test(text)) return [...before, text];
  throw new InvalidArgumentError("Use a currency and an amount, such as EUR=500.00.");
}

function changesOf(flags: Flags) {
  const spend = flags.spendPerDay?.map((text) => text.split("=") as [string, string]);
  const pool = {
    spend_per_day: spend && Object.fromEntries(spend),
    purchases_per_hour: flags.purchasesPerHour,
    purchases_per_day: flags.purchasesPerDay,
    pending_reviews: flags.pendingReviews,
  };
  const pools = Object.values(pool).some((value) => value !== undefined);
  return { platforms: flags.accept, pool: pools ? pool : undefined };
}

const ACCEPTED: Readonly<Record<string, string>> = {
  any: "Any platform can pay here",
  admitted: "Only platforms you admitted can pay here",
};

function describe({ platforms, chosen, pool }: SettingsBody): string {
  const named = Object.entries(pool.spend_per_day).map(([currency, sum]) => `${sum} ${currency}`);
  const others = named.length === 0 ? "in each currency" : "in every other currency";
  return [
    `${ACCEPTED[platforms] ?? platforms}${chosen ? "" : " (the default)"}.`,
    "Platforms you have not admitted share these limits:",
    card({
      "spend in 24 hours": [...named, `about 5,000 euros ${others}`].join("; "),
      "purchases in an hour": String(pool.purchases_per_hour),
      "purchases in 24 hours": String(pool.purchases_per_day),
      "pending reviews": String(pool.pending_reviews),
    }),
  ].join("\n");
}

/** `site platforms`: which platforms may pay, and the limits that platforms not admitted share. */
export function sitePlatformsCommand(site: Command, terminal: Terminal): void {
  site
    .command("platforms")
    .argument("<site>", "domain, site key or site key hash")
    .description("show or change which platforms can buy")
    .addOption(
      choice("--accept <which>", "any platform, or only those you admitted", ["any", "admitted"]),
    )
    .addOption(
      new Option(
        "--spend-per-day <limit...>",
        "how much all platforms that you did not admit can spend together in 24 hours, such as EUR=500.00",
      ).argParser(readSpend),
    )
    .addOption(
      count("--purchases-per-hour <count>", "how many purchases they can make together in an hour"),
    )
    .addOption(
      count("--purchases-per-day <count>", "how many purchases they can make together in 24 hours"),
    )
    .addOption(
      count("--pending-reviews <count>", "how many of their purchases can wait for review"),
    )
    .option("--json", "print JSON")
    .action(async (text: string, flags: Flags) => {
      const client = adminClient(terminal);
      const { site_key_hash } = await findSite(client, text);
      const path = `/v1/admin/sites/${site_key_hash}/platform-settings`;
      const changes = changesOf(flags);
      const changed = Object.values(changes).some((value) => value !== undefined);
      const settings = changed
        ? await client.call<SettingsBody>("PATCH", path, changes)
        : await client.call<SettingsBody>("GET", path);
      terminal.out(flags.json ? plainJson(settings) : describe(settings));
    });
}
