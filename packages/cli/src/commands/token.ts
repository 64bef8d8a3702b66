import { isSiteKey, siteKeyHash } from "@gatehouse/protocol";
import type { Command } from "commander";
import { adminClient } from "../admin-client.js";
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

async function hashOf(site: string): Promise<string> {
  return isSiteKey(site) ? siteKeyHash(site) : site;
}

export function tokenCommands(program: Command, terminal: Terminal): void {
  const token = program.command("token").description("admin tokens and their roles");
  token
    .command("create")
    .description("make a token; it is shown once")
    .requiredOption("--name <name>", "who or what it is for")
    .requiredOption("--role <role>", "operator, owner, reviewer or auditor")
    .option("--site <key...>", "site keys (or hashes) it is limited to; not for operators")
    .option("--json", "print JSON")
    .action(async (flags: Flags & { name: string; role: string; site?: string[] }) => {
      const { name, role, site, json } = flags;
      const sites = site && (await Promise.all(site.map(hashOf)));
      const made = await adminClient(terminal).call<TokenBody & { token: string }>(
        "POST",
        "/v1/admin/tokens",
        { name, role, sites },
      );
      if (json) return terminal.out(JSON.stringify(made, null, 2));
      terminal.out(made.token);
      terminal.err(`Token ${made.token_id} (${made.role}). It is not shown again.`);
    });

  token
    .command("list")
    .description("list tokens, revoked ones included")
    .option("--json", "print JSON")
    .action(async ({ json }: Flags) => {
      const tokens: TokenBody[] = [];
      for await (const one of adminClient(terminal).pages<TokenBody>(
        "/v1/admin/tokens?limit=200",
      )) {
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
