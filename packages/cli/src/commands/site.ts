import { isSiteKey, siteKeyHash } from "@gatehouse/protocol";
import type { Command } from "commander";
import { type AdminClient, adminClient } from "../admin-client.js";
import { CommandError, EXIT } from "../exit.js";
import { card, type Terminal, table } from "../terminal.js";

interface SiteBody {
  readonly site_key: string;
  readonly site_key_hash: string;
  readonly domain: string;
  readonly name: string;
  readonly description: string;
  readonly status: string;
  readonly verification: {
    readonly method: string | null;
    readonly verified_at: string | null;
    readonly problem: string | null;
    readonly dns: { readonly name: string; readonly value: string };
    readonly file: { readonly url: string; readonly content: string };
    readonly meta: { readonly tag: string };
  };
  readonly created_at: string;
}

interface Flags {
  readonly json?: boolean;
}

/** Accepts what a person has at hand: a domain, a site key, or a site key hash. */
async function findSite(client: AdminClient, text: string): Promise<SiteBody> {
  if (isSiteKey(text)) {
    return client.call("GET", `/v1/admin/sites/${await siteKeyHash(text)}`);
  }
  if (/^[A-Za-z0-9_-]{43}$/.test(text)) return client.call("GET", `/v1/admin/sites/${text}`);
  const domain = encodeURIComponent(text.toLowerCase());
  const { items } = await client.call<{ items: SiteBody[] }>(
    "GET",
    `/v1/admin/sites?domain=${domain}`,
  );
  const [site, second] = items;
  if (site === undefined) {
    const hint = "`gatehouse site list` shows the sites there are.";
    throw new CommandError(`There is no site for ${text}.`, EXIT.failed, hint);
  }
  if (second === undefined) return site;
  throw new CommandError(
    `There are ${items.length} sites for ${text}.`,
    EXIT.failed,
    `Name one by its key: ${items.map((item) => item.site_key).join(", ")}`,
  );
}

function describe(site: SiteBody): string {
  const { verification: proof } = site;
  const facts = {
    name: site.name,
    domain: site.domain,
    status: site.status + (proof.method === null ? "" : ` (${proof.method})`),
    site_key: site.site_key,
    site_key_hash: site.site_key_hash,
    created_at: site.created_at,
    ...(proof.problem === null ? {} : { problem: proof.problem }),
  };
  return site.status === "verified" ? card(facts) : `${card(facts)}\n\n${howToVerify(site)}`;
}

function howToVerify({ domain, verification: { dns, file, meta } }: SiteBody): string {
  return [
    "Prove control of the domain in one of these ways:",
    `  dns   TXT record ${dns.name} with the value ${dns.value}`,
    `  file  ${file.url} holding ${file.content}`,
    `  meta  in the head of https://${domain}/: ${meta.tag}`,
    `then run: gatehouse site verify ${domain} --method dns`,
  ].join("\n");
}

function print(terminal: Terminal, { json }: Flags, site: SiteBody): void {
  terminal.out(json ? JSON.stringify(site, null, 2) : describe(site));
}

function readCommands(site: Command, terminal: Terminal): void {
  site
    .command("list")
    .description("list sites")
    .option("--json", "print JSON")
    .action(async ({ json }: Flags) => {
      const sites: SiteBody[] = [];
      for await (const one of adminClient(terminal).pages<SiteBody>("/v1/admin/sites?limit=200")) {
        sites.push(one);
      }
      if (json) return terminal.out(JSON.stringify({ items: sites }, null, 2));
      if (sites.length === 0) {
        return terminal.out("No sites yet. Add one: gatehouse site create <domain> --name <name>");
      }
      const rows = sites.map(({ domain, name, status, site_key }) => ({
        domain,
        name,
        status,
        site_key,
      }));
      terminal.out(table(rows));
    });

  site
    .command("show")
    .argument("<site>", "domain, site key or site key hash")
    .description("show a site and how to verify it")
    .option("--json", "print JSON")
    .action(async (text: string, flags: Flags) => {
      print(terminal, flags, await findSite(adminClient(terminal), text));
    });
}

interface Fields extends Flags {
  readonly domain?: string;
  readonly name?: string;
  readonly description?: string;
  readonly siteKey?: string;
}

function changeCommands(site: Command, terminal: Terminal): void {
  site
    .command("create")
    .argument("<domain>", "the site's domain")
    .description("take a site on")
    .requiredOption("--name <name>", "what people call it")
    .option("--description <text>", "one sentence about it")
    .option("--site-key <key>", "keep using an older key (sk_…)")
    .option("--json", "print JSON")
    .action(async (domain: string, { name, description, siteKey, ...flags }: Fields) => {
      const body = { domain, name, description, site_key: siteKey };
      print(terminal, flags, await adminClient(terminal).call("POST", "/v1/admin/sites", body));
    });

  site
    .command("change")
    .argument("<site>", "domain, site key or site key hash")
    .description("change a site; another domain must be verified again")
    .option("--domain <domain>", "move it to this domain")
    .option("--name <name>", "what people call it")
    .option("--description <text>", "one sentence about it")
    .option("--json", "print JSON")
    .action(async (text: string, { domain, name, description, ...flags }: Fields) => {
      const client = adminClient(terminal);
      const { site_key_hash } = await findSite(client, text);
      const body = { domain, name, description };
      print(terminal, flags, await client.call("PATCH", `/v1/admin/sites/${site_key_hash}`, body));
    });

  site
    .command("delete")
    .argument("<site>", "domain, site key or site key hash")
    .description("delete a site; its key is never given out again")
    .requiredOption("--yes", "say that you mean it")
    .action(async (text: string) => {
      const client = adminClient(terminal);
      const { site_key_hash, domain } = await findSite(client, text);
      await client.call("DELETE", `/v1/admin/sites/${site_key_hash}`);
      terminal.out(`Deleted ${domain}.`);
    });
}

export function siteCommands(program: Command, terminal: Terminal): void {
  const site = program.command("site").description("sites this installation stands before");
  readCommands(site, terminal);
  changeCommands(site, terminal);
  site
    .command("verify")
    .argument("<site>", "domain, site key or site key hash")
    .description("look for the proof of the domain now")
    .requiredOption("--method <method>", "dns, file, meta or operator")
    .option("--reason <text>", "why you vouch for the domain (operator)")
    .option("--json", "print JSON")
    .action(async (text: string, flags: Flags & { method: string; reason?: string }) => {
      const client = adminClient(terminal);
      const { site_key_hash } = await findSite(client, text);
      const { method, reason } = flags;
      const path = `/v1/admin/sites/${site_key_hash}/verify`;
      print(terminal, flags, await client.call("POST", path, { method, reason }));
    });
}
