import { UCP_VERSIONS } from "@gatehouse/protocol";
import type { Command } from "commander";
import { type AdminClient, adminClient } from "../admin-client.js";
import { choice } from "../choice.js";
import { runnable } from "../command-name.js";
import { CommandError, EXIT } from "../exit.js";
import { cardAddress, findSite, profileAddress, type SiteBody, scriptTag } from "../find-site.js";
import { card, plainJson, type Terminal, table } from "../terminal.js";
import { previewCommand } from "./preview.js";
import { siteCheckCommand } from "./site-check.js";
import { siteConnectCommands } from "./site-connect.js";
import { siteDeclinesCommand } from "./site-declines.js";
import { siteMandatesCommand } from "./site-mandates.js";
import { siteNotifyCommands } from "./site-notify.js";
import { sitePauseCommands } from "./site-pause.js";
import { sitePictureCommand } from "./site-picture.js";
import { sitePlatformsCommand } from "./site-platforms.js";
import { siteShopCommand } from "./site-shop.js";
import { howToVerify, proofLines } from "./site-text.js";

interface Flags {
  readonly json?: boolean;
}

function describe(site: SiteBody): string {
  const { verification: proof } = site;
  const facts = {
    name: site.name,
    ...(site.description === "" ? {} : { description: site.description }),
    domain: site.domain,
    ...(site.picture_url === null ? {} : { picture: site.picture_url }),
    status: site.status + (proof.method === null ? "" : ` (${proof.method})`),
    ...(site.paused_at === null ? {} : { sales: `paused since ${site.paused_at}` }),
    ...(proof.reason === null ? {} : { reason: proof.reason }),
    ...(proof.verified_at === null ? {} : { verified_at: proof.verified_at }),
    ...(proof.checked_at === null ? {} : { checked_at: proof.checked_at }),
    ...(proof.problem === null ? {} : { problem: proof.problem }),
    ...(site.status === "verified"
      ? {
          card: cardAddress(site),
          agent_page: site.agent_page_url,
          mcp: site.mcp_url,
          ucp_profile: profileAddress(site),
          ucp_version: site.ucp_version,
        }
      : {}),
    site_key: site.site_key,
    site_key_hash: site.site_key_hash,
    created_at: site.created_at,
  };
  return `${card(facts)}\n\n${site.status === "verified" ? keepProof(site) : howToVerify(site)}`;
}

/** The proof is looked at again every day, so it must stay where it is. */
function keepProof(site: SiteBody): string {
  const line = proofLines(site)[site.verification.method ?? ""];
  const proof =
    line === undefined ? "An operator confirmed the domain." : `Keep the proof published: ${line}`;
  return [
    proof,
    `What it offers agents:    gatehouse skill list ${site.domain}`,
    `What agents find on it:   gatehouse site check ${site.domain}`,
    `Whether agents can buy:   gatehouse site gates ${site.domain}`,
    `For its pages:            ${scriptTag(site)}`,
  ].join("\n");
}

function print(terminal: Terminal, { json }: Flags, site: SiteBody): void {
  terminal.out(json ? plainJson(site) : runnable(describe(site)));
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
      if (json) return terminal.out(plainJson({ items: sites }));
      const rows = sites.map(({ domain, name, status, site_key }) => ({
        domain,
        name,
        status,
        site_key,
      }));
      const none = "No sites yet. Add one: gatehouse site create <domain> --name <name>";
      terminal.out(table(rows, none));
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
  readonly auditPublic?: string;
  readonly ucpVersion?: string;
  readonly again?: boolean;
}

/** A second site of a domain is seldom meant: it takes the domain from the first once verified. */
async function refuseSecond(client: AdminClient, domain: string): Promise<void> {
  const path = `/v1/admin/sites?domain=${encodeURIComponent(domain.toLowerCase())}`;
  const { items } = await client.call<{ items: SiteBody[] }>("GET", path);
  const [first] = items;
  if (first === undefined) return;
  throw new CommandError(
    `There is already a site for ${first.domain}: ${first.site_key}`,
    EXIT.failed,
    "To add another site with the same domain, use --again.",
  );
}

function changeCommands(site: Command, terminal: Terminal): void {
  site
    .command("create")
    .argument("<domain>", "domain of the site")
    .description("add a site")
    .requiredOption("--name <name>", "name of the site")
    .option("--description <text>", "description in one sentence")
    .option("--site-key <key>", "use an existing site key (sk_…)")
    .option("--again", "add it even if there is already a site with this domain")
    .option("--json", "print JSON")
    .action(async (domain: string, { name, description, siteKey, again, ...flags }: Fields) => {
      const body = { domain, name, description, site_key: siteKey };
      const client = adminClient(terminal);
      if (again !== true) await refuseSecond(client, domain);
      const created = await client.call<SiteBody>("POST", "/v1/admin/sites", body);
      print(terminal, flags, created);
      const path = `/v1/admin/sites?domain=${encodeURIComponent(created.domain)}`;
      const { items } = await client.call<{ items: SiteBody[] }>("GET", path);
      if (items.length > 1) {
        terminal.err(
          `Note: there are ${items.length} sites for ${created.domain}. The newest verified one is used.`,
        );
      }
    });

  site
    .command("change")
    .argument("<site>", "domain, site key or site key hash")
    .description("change a site; a new domain must be verified again")
    .option("--domain <domain>", "new domain")
    .option("--name <name>", "name of the site")
    .option("--description <text>", "description in one sentence")
    .addOption(
      choice("--audit-public <who>", "who can see the audit log's checkpoints", [
        "full",
        "hourly",
        "owner",
      ]),
    )
    .addOption(
      choice(
        "--ucp-version <version>",
        "version of the UCP profile at the root of its domain",
        UCP_VERSIONS,
      ),
    )
    .option("--json", "print JSON")
    .action(async (text: string, { domain, name, description, ...fields }: Fields) => {
      const { auditPublic, ucpVersion, ...flags } = fields;
      const settings = { audit_public: auditPublic, ucp_version: ucpVersion };
      const body = { domain, name, description, ...settings };
      if (Object.values(body).every((value) => value === undefined)) {
        throw new CommandError(
          "There is nothing to change.",
          EXIT.usage,
          "Use --domain, --name, --description, --audit-public or --ucp-version.",
        );
      }
      const client = adminClient(terminal);
      const { site_key_hash } = await findSite(client, text);
      print(terminal, flags, await client.call("PATCH", `/v1/admin/sites/${site_key_hash}`, body));
    });

  site
    .command("delete")
    .argument("<site>", "domain, site key or site key hash")
    .description("delete a site; its key is never used again")
    .requiredOption("--yes", "confirm the deletion")
    .option("--json", "print JSON")
    .action(async (text: string, { json }: Flags) => {
      const client = adminClient(terminal);
      const { site_key, site_key_hash, domain } = await findSite(client, text);
      await client.call("DELETE", `/v1/admin/sites/${site_key_hash}`);
      const done = { site_key, site_key_hash, domain, deleted: true };
      terminal.out(json ? plainJson(done) : `Deleted ${domain}.`);
      if (!json) terminal.err(`Its audit log is kept: gatehouse audit tail ${site_key_hash}`);
    });
}

export function siteCommands(program: Command, terminal: Terminal): void {
  const site = program.command("site").description("sites of this installation");
  readCommands(site, terminal);
  changeCommands(site, terminal);
  previewCommand(site, terminal);
  siteCheckCommand(site, terminal);
  siteConnectCommands(site, terminal);
  siteMandatesCommand(site, terminal);
  sitePauseCommands(site, terminal);
  sitePictureCommand(site, terminal);
  sitePlatformsCommand(site, terminal);
  siteDeclinesCommand(site, terminal);
  siteShopCommand(site, terminal);
  siteNotifyCommands(site, terminal);
  site
    .command("verify")
    .argument("<site>", "domain, site key or site key hash")
    .description("check the proof of the domain now")
    .addOption(
      choice("--method <method>", "where the proof is; operator: you confirm the domain yourself", [
        "dns",
        "file",
        "meta",
        "operator",
      ]).makeOptionMandatory(),
    )
    .option("--reason <text>", "why you confirm the domain (with --method operator)")
    .option("--json", "print JSON")
    .action(async (text: string, flags: Flags & { method: string; reason?: string }) => {
      const client = adminClient(terminal);
      const { site_key_hash } = await findSite(client, text);
      const { method, reason } = flags;
      const path = `/v1/admin/sites/${site_key_hash}/verify`;
      print(terminal, flags, await client.call("POST", path, { method, reason }));
    });
}
