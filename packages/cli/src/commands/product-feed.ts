import type { Command } from "commander";
import { type AdminClient, adminClient } from "../admin-client.js";
import { choice } from "../choice.js";
import { counted } from "../counted.js";
import { CommandError, EXIT } from "../exit.js";
import { findSite, type SiteBody } from "../find-site.js";
import { card, plainJson, plainText, type Terminal } from "../terminal.js";
import { publishFeedCommand } from "./product-publish.js";

interface FeedBody {
  readonly url: string;
  readonly every_hours: number;
  readonly currency: string | null;
  readonly format: string | null;
  readonly next_fetch_at: string;
  readonly last_result: {
    readonly fetched_at: string;
    readonly outcome: string;
    readonly message: string | null;
    readonly listed: number;
    readonly added: number;
    readonly changed: number;
    readonly paused: number;
    readonly removed: number;
    readonly refused: number;
    readonly problems: readonly { readonly line: number; readonly problem: string }[];
  } | null;
}

interface Flags {
  readonly json?: boolean;
}

/** The site that is named, and calls about its feed. */
async function feedOf(terminal: Terminal, text: string) {
  const client: AdminClient = adminClient(terminal);
  const site: SiteBody = await findSite(client, text);
  const missing = {
    says: `${site.domain} has no product feed.`,
    hint: `Set one: gatehouse product feed set ${site.domain} <url>`,
  };
  const path = `/v1/admin/sites/${site.site_key_hash}/product-feed`;
  const call = <T>(method: string, below = "", body?: unknown) =>
    client.callAbout<T>(missing, method, path + below, body);
  return { site, call };
}

/** What a fetch came to, in one line. */
function resultText({ last_result: result }: FeedBody): string {
  if (result === null) return "not fetched yet";
  const { outcome, listed, added, changed, paused, removed, refused } = result;
  const counts = `${added} added, ${changed} changed, ${paused} paused, ${removed} removed`;
  const skipped = refused === 0 ? "" : `, ${refused} refused`;
  return `${outcome}: ${counts}${skipped}; ${counted(listed, "product")} in the feed`;
}

function print(terminal: Terminal, { json }: Flags, feed: FeedBody): void {
  if (json) {
    terminal.out(plainJson(feed));
    return;
  }
  const { url, every_hours, currency, format, next_fetch_at, last_result } = feed;
  const facts = {
    url: plainText(url),
    every: counted(every_hours, "hour"),
    ...(currency === null ? {} : { currency }),
    ...(format === null ? {} : { format }),
    next_fetch_at,
    ...(last_result === null ? {} : { fetched_at: last_result.fetched_at }),
    result: resultText(feed),
  };
  terminal.out(card(facts));
  if (last_result?.message) terminal.err(plainText(last_result.message));
  for (const { line, problem } of last_result?.problems ?? []) {
    terminal.err(`line ${line}: ${plainText(problem)}`);
  }
}

interface SetFlags extends Flags {
  readonly every?: string;
  readonly currency?: string;
}

async function set(terminal: Terminal, text: string, url: string, flags: SetFlags) {
  const { site, call } = await feedOf(terminal, text);
  const { every = "24", currency = null, ...rest } = flags;
  const feed = await call<FeedBody>("PUT", "", { url, every_hours: Number(every), currency });
  print(terminal, rest, feed);
  if (!rest.json) terminal.err(`Fetch it now: gatehouse product feed fetch ${site.domain}`);
}

interface FetchFlags extends Flags {
  readonly acceptFewer?: boolean;
}

async function fetchNow(terminal: Terminal, text: string, { acceptFewer, ...flags }: FetchFlags) {
  const { site, call } = await feedOf(terminal, text);
  const body = { accept_fewer: acceptFewer === true };
  const feed = await call<FeedBody>("POST", "/fetch", body);
  print(terminal, flags, feed);
  const outcome = feed.last_result?.outcome;
  if (outcome === "applied" || outcome === "unchanged") return;
  throw new CommandError(
    "The feed was not applied.",
    EXIT.failed,
    `Fix the feed and fetch it again: gatehouse product feed fetch ${site.domain}`,
  );
}

const SITE = ["<site>", "domain, site key or site key hash"] as const;

export function productFeedCommands(product: Command, terminal: Terminal): void {
  const feed = product.command("feed").description("feeds of products, read and published");
  feed
    .command("set")
    .argument(...SITE)
    .argument("<url>", "https address of a Google feed, Shopify's products.json or JSON lines")
    .description("read products from a feed on a schedule")
    .addOption(choice("--every <hours>", "hours between two fetches (24)", ["1", "6", "24"]))
    .option("--currency <code>", "currency of prices that do not name one, such as EUR")
    .option("--json", "print JSON")
    .action((text: string, url: string, flags: SetFlags) => set(terminal, text, url, flags));

  feed
    .command("show")
    .argument(...SITE)
    .description("show the feed and what the last fetch came to")
    .option("--json", "print JSON")
    .action(async (text: string, flags: Flags) => {
      const { call } = await feedOf(terminal, text);
      print(terminal, flags, await call<FeedBody>("GET"));
    });

  feed
    .command("fetch")
    .argument(...SITE)
    .description("fetch the feed now")
    .option("--accept-fewer", "apply it even if it lists less than half of the products it had")
    .option("--json", "print JSON")
    .action((text: string, flags: FetchFlags) => fetchNow(terminal, text, flags));

  feed
    .command("remove")
    .argument(...SITE)
    .description("stop reading the feed; the products stay")
    .option("--json", "print JSON")
    .action(async (text: string, { json }: Flags) => {
      const { site, call } = await feedOf(terminal, text);
      await call("DELETE");
      const says = `Removed the feed of ${site.domain}. The products stay.`;
      terminal.out(json ? plainJson({ domain: site.domain, removed: true }) : says);
    });

  publishFeedCommand(feed, terminal);
}
