import { PUBLISHED_FEEDS } from "@gatehouse/protocol";
import { Argument, type Command } from "commander";
import { adminClient } from "../admin-client.js";
import { choice } from "../choice.js";
import { findSite, type SiteBody } from "../find-site.js";
import { plainJson, type Terminal } from "../terminal.js";

/** Stops publishing, said as a word so that a forgotten argument does not. */
const NONE = "none";

interface PublishFlags {
  readonly condition?: string;
  readonly json?: boolean;
}

async function publish(
  terminal: Terminal,
  text: string,
  names: readonly string[],
  { condition, json }: PublishFlags,
): Promise<void> {
  const client = adminClient(terminal);
  const { site_key_hash, published_feeds } = await findSite(client, text);
  const path = `/v1/admin/sites/${site_key_hash}`;
  const feeds = {
    formats: PUBLISHED_FEEDS.filter((name) => names.includes(name)),
    condition: condition ?? published_feeds.condition,
  };
  const site = await client.call<SiteBody>("PATCH", path, { published_feeds: feeds });
  const urls = site.published_feeds.formats.map((name) => site[`${name}_feed_url`]);
  if (json) return terminal.out(plainJson({ ...site.published_feeds, urls }));
  terminal.out(urls.length === 0 ? `${site.domain} publishes no product feed.` : urls.join("\n"));
}

export function publishFeedCommand(feed: Command, terminal: Terminal): void {
  feed
    .command("publish")
    .argument("<site>", "domain, site key or site key hash")
    .addArgument(
      new Argument("<feeds...>", "feeds to publish, or none to stop").choices([
        ...PUBLISHED_FEEDS,
        NONE,
      ]),
    )
    .description("publish the products as feeds that anybody can read")
    .addOption(
      choice("--condition <word>", "condition of all products", ["new", "refurbished", "used"]),
    )
    .option("--json", "print JSON")
    .action((text: string, names: string[], flags: PublishFlags) =>
      publish(terminal, text, names, flags),
    );
}
