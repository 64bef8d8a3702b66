import { type Command, Option } from "commander";
import { adminClient } from "../admin-client.js";
import { findSite } from "../find-site.js";
import { type Terminal, table } from "../terminal.js";

interface TokenBody {
  readonly token_id: string;
  readonly name: string;
  readonly role: string;
  readonly sites: readonly string[] | null;
  readonly created_at: string;
  readonly revoked_at: string | null;
}

interface Flags {
  readonly json?: boolean;
}

export function tokenCommands(program: Command, terminal: Terminal): void {
  const token = program.command("token").description("admin tokens and their roles");
  token
    .command("create")
    .description("make a token; it is shown once")
    .requiredOption("--name <name>", "who or what it is for")
    .addOption(
      new Option("--role <role>", "what it may do")
        .choices(["operator", "owner", "reviewer", "auditor"])
        .makeOptionMandatory(),
    )
    .option("--site <site...>", "sites it is limited to (domain, key or hash); not for operators")
    .option("--json", "print JSON")
    .action(async (flags: Flags & { name: string; role: string; site?: string[] }) => {
      const { name, role, site = [], json } = flags;
      const client = adminClient(terminal);
      const sites: string[] = [];
      for (const text of site) sites.push((await findSite(client, text)).site_key_hash);
      // Owners make tokens for one site of theirs; only operators make any other.
      const [path, body] =
        sites.length === 1 && role !== "operator"
          ? [`/v1/admin/sites/${sites[0]}/tokens`, { name, role }]
          : ["/v1/admin/tokens", { name, role, ...(sites.length === 0 ? {} : { sites }) }];
      const made = await client.call<TokenBody & { token: string }>("POST", path, body);
      if (json) return terminal.out(JSON.stringify(made, null, 2));
      terminal.out(made.token);
      terminal.err(`Token ${made.token_id} (${made.role}). It is not shown again.`);
    });

  token
    .command("list")
    .description("list tokens, revoked ones included")
    .option("--site <site>", "only those of one site, as its owner may see")
    .option("--json", "print JSON")
    .action(async ({ site, json }: Flags & { site?: string }) => {
      const client = adminClient(terminal);
      const of = site === undefined ? undefined : await findSite(client, site);
      const path = of === undefined ? "/v1/admin" : `/v1/admin/sites/${of.site_key_hash}`;
      const tokens: TokenBody[] = [];
      for await (const one of client.pages<TokenBody>(`${path}/tokens?limit=200`)) {
        tokens.push(one);
      }
      if (json) return terminal.out(JSON.stringify({ items: tokens }, null, 2));
      if (tokens.length === 0) {
        return terminal.out(
          "No tokens besides the operator's own. Make one: gatehouse token create",
        );
      }
      const rows = tokens.map(({ token_id, name, role, sites, revoked_at }) => ({
        token_id,
        name,
        role,
        sites: sites === null ? "all" : String(sites.length),
        state: revoked_at === null ? "live" : `revoked ${revoked_at}`,
      }));
      terminal.out(table(rows));
    });

  token
    .command("revoke")
    .argument("<token_id>", "the id `token list` shows")
    .description("revoke a token at once, on every node")
    .action(async (tokenId: string) => {
      const path = `/v1/admin/tokens/${encodeURIComponent(tokenId)}`;
      await adminClient(terminal).call("DELETE", path);
      terminal.out(`Revoked ${tokenId}.`);
    });
}
