import type { Command } from "commander";
import { adminClient } from "../admin-client.js";
import { counted } from "../counted.js";
import { findSite } from "../find-site.js";
import { type ShopSilence, silenceText } from "../site-readiness.js";
import { card, plainJson, plainText, type Terminal } from "../terminal.js";

interface ConnectionBody {
  readonly system: string;
  readonly sells: boolean;
  readonly endpoint: string;
  readonly connected_at: string;
  readonly seen_at: string;
  readonly products: {
    readonly listed: number;
    readonly paused: number;
    readonly problem: string | null;
    readonly synced_at: string | null;
  };
  readonly messages: { readonly waiting: number; readonly failed: number };
  readonly unanswered: ShopSilence | null;
}

interface Flags {
  readonly json?: boolean;
}

/** The site that is named, and calls about its connection. */
async function connectionOf(terminal: Terminal, text: string) {
  const client = adminClient(terminal);
  const site = await findSite(client, text);
  const missing = {
    says: `${site.domain} is not connected to a shop system.`,
    hint: `Create a code for it: gatehouse connector code ${site.domain}`,
  };
  const path = `/v1/admin/sites/${site.site_key_hash}/shop-connection`;
  const call = <T>(method: string, below = "", body?: unknown) =>
    client.callAbout<T>(missing, method, path + below, body);
  return { site, call };
}

async function code(terminal: Terminal, text: string, { json }: Flags): Promise<void> {
  const { site, call } = await connectionOf(terminal, text);
  const created = await call<{ connect_code: string; expires_at: string }>("POST", "/codes", {});
  if (json) return terminal.out(plainJson(created));
  terminal.out(created.connect_code);
  terminal.err(
    `Paste this code into the shop system of ${site.domain}. It works once, within 10 minutes, and only there.`,
  );
}

async function show(terminal: Terminal, text: string, { json }: Flags): Promise<void> {
  const { call } = await connectionOf(terminal, text);
  const connection = await call<ConnectionBody>("GET");
  if (json) return terminal.out(plainJson(connection));
  const { system, sells, endpoint, connected_at, seen_at, products, messages, unanswered } =
    connection;
  terminal.out(
    card({
      system: plainText(system),
      endpoint,
      connected_at,
      seen_at,
      ...(sells && {
        products: `${products.listed} for sale, ${products.paused} paused`,
        synced_at: products.synced_at ?? "not yet",
        messages: `${messages.waiting} waiting, ${messages.failed} failed`,
      }),
    }),
  );
  if (unanswered !== null) terminal.err(silenceText(unanswered));
  if (products.problem !== null) terminal.err(products.problem);
}

async function confirm(terminal: Terminal, text: string, { json }: Flags): Promise<void> {
  const { site, call } = await connectionOf(terminal, text);
  const { paused } = await call<{ paused: number }>("POST", "/confirm-list");
  const says = `Paused ${counted(paused, "product")} of ${site.domain}.`;
  terminal.out(json ? plainJson({ paused }) : says);
}

async function disconnect(terminal: Terminal, text: string, { json }: Flags): Promise<void> {
  const { site, call } = await connectionOf(terminal, text);
  await call("DELETE");
  const says = `Disconnected ${site.domain} from its shop system. Its products are paused.`;
  terminal.out(json ? plainJson({ domain: site.domain, disconnected: true }) : says);
}

const COMMANDS = {
  code: { run: code, says: "create a code that connects a shop system once" },
  show: { run: show, says: "show the connection of a site" },
  confirm: { run: confirm, says: "pause the products that the shop no longer lists" },
  disconnect: { run: disconnect, says: "end the connection of a site and pause its products" },
} as const;

/** The commands about the connection of a site. */
export function siteConnectorCommands(connector: Command, terminal: Terminal): void {
  for (const [name, { run, says }] of Object.entries(COMMANDS)) {
    connector
      .command(name)
      .argument("<site>", "domain, site key or site key hash")
      .description(says)
      .option("--json", "print JSON")
      .action((text: string, flags: Flags) => run(terminal, text, flags));
  }
}
