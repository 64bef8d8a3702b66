import { type Command, InvalidArgumentError, Option } from "commander";
import { type AdminClient, adminClient } from "../admin-client.js";
import { choice } from "../choice.js";
import { counted } from "../counted.js";
import { CommandError, EXIT } from "../exit.js";
import { findSite, serviceOf, siteAddress, sitesNamed } from "../find-site.js";
import { plainJson, type Terminal, table } from "../terminal.js";

interface TokenBody {
  readonly token_id: string;
  readonly name: string;
  readonly role: string;
  readonly sites: readonly string[] | null;
  readonly created_by: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

type EdgeTokenBody = Omit<TokenBody, "role" | "sites" | "expires_at"> & {
  readonly site_key_hash: string;
};

interface Flags {
  readonly json?: boolean;
}

interface CreateFlags extends Flags {
  readonly name: string;
  readonly role: string;
  readonly site?: readonly string[];
  /** In days. */
  readonly expires?: number;
}

function readLife(text: string): number {
  const [, days] = /^([1-9]\d{0,3})d$/.exec(text) ?? [];
  if (days !== undefined) return Number(days);
  throw new InvalidArgumentError("Use a number of days, such as 90d.");
}

/** A token for the site's edge worker or plugin, with the settings it goes into. */
async function createEdge(terminal: Terminal, { name, site = [], expires, json }: CreateFlags) {
  if (expires !== undefined) {
    const hint = "Leave out --expires. Revoke the token when you no longer need it.";
    throw new CommandError("An edge token does not expire.", EXIT.usage, hint);
  }
  const client = adminClient(terminal);
  const [one, second] = await sitesNamed(client, site);
  if (one === undefined || second !== undefined) {
    throw new CommandError(
      "An edge token is for one site.",
      EXIT.usage,
      "Choose the site with --site.",
    );
  }
  const path = `/v1/admin/sites/${one.site_key_hash}/edge-tokens`;
  const created = await client.call<EdgeTokenBody & { token: string }>("POST", path, { name });
  if (json) return terminal.out(plainJson(created));
  terminal.out(
    [
      `GATEHOUSE_SITE=${siteAddress(one)}`,
      `GATEHOUSE_URL=${serviceOf(one)}`,
      `GATEHOUSE_SITE_KEY_HASH=${one.site_key_hash}`,
      `GATEHOUSE_EDGE_TOKEN=${created.token}`,
    ].join("\n"),
  );
  terminal.err(
    `These are the settings for the worker or the plugin (/docs/guide/install.md of the service). Token ${created.token_id} can only report visits to ${one.domain}. It is not shown again.`,
  );
}

async function create(terminal: Terminal, flags: CreateFlags): Promise<void> {
  const { name, role, site = [], expires, json } = flags;
  if (role === "edge") return createEdge(terminal, flags);
  const client = adminClient(terminal);
  const sites = (await sitesNamed(client, site)).map(({ site_key_hash }) => site_key_hash);
  // Owners make tokens for one site of theirs; only operators make any other.
  const token = { name, role, ...(expires === undefined ? {} : { expires_in_days: expires }) };
  const [path, body] =
    sites.length === 1 && role !== "operator"
      ? [`/v1/admin/sites/${sites[0]}/tokens`, token]
      : ["/v1/admin/tokens", { ...token, ...(sites.length === 0 ? {} : { sites }) }];
  const created = await client.call<TokenBody & { token: string }>("POST", path, body);
  if (json) return terminal.out(plainJson(created));
  terminal.out(created.token);
  const until = created.expires_at === null ? "" : ` It expires at ${created.expires_at}.`;
  terminal.err(`Token ${created.token_id} (${created.role}). It is not shown again.${until}`);
  terminal.err(
    `Use it to sign in at ${client.address}/console, or as GATEHOUSE_ADMIN_TOKEN for these commands.`,
  );
}

/** Tokens of people and of edges. */
async function listed(client: AdminClient, site: string | undefined): Promise<TokenBody[]> {
  const of = site === undefined ? undefined : await findSite(client, site);
  const path = of === undefined ? "/v1/admin" : `/v1/admin/sites/${of.site_key_hash}`;
  const tokens: TokenBody[] = [];
  for await (const one of client.pages<TokenBody>(`${path}/tokens?limit=200`)) tokens.push(one);
  for await (const one of client.pages<EdgeTokenBody>(`${path}/edge-tokens?limit=200`)) {
    const { site_key_hash, ...token } = one;
    tokens.push({ ...token, role: "edge", sites: [site_key_hash], expires_at: null });
  }
  return tokens;
}

function stateOf({ expires_at, revoked_at }: TokenBody, now: number): string {
  if (revoked_at !== null) return `revoked ${revoked_at}`;
  return expires_at !== null && Date.parse(expires_at) <= now ? "expired" : "live";
}

interface RevokeFlags extends Flags {
  readonly withDescendants?: boolean;
}

/** Revokes a token, and names the live tokens made with it, because a thief may have those too. */
async function revoke(
  terminal: Terminal,
  tokenId: string,
  { withDescendants = false, json }: RevokeFlags,
): Promise<void> {
  const client = adminClient(terminal);
  const path = `/v1/admin/tokens/${encodeURIComponent(tokenId)}`;
  const missing = {
    says: `There is no token ${tokenId}.`,
    hint: "`gatehouse token list` lists the tokens.",
  };
  type Listed = { items: readonly { token_id: string }[] };
  const { items } = await client.callAbout<Listed>(missing, "GET", `${path}/descendants`);
  const query = withDescendants ? "?descendants=true" : "";
  await client.callAbout(missing, "DELETE", path + query);
  const ids = items.map(({ token_id }) => token_id);
  const descendants = withDescendants ? { revoked_descendants: ids } : { live_descendants: ids };
  if (json) return terminal.out(plainJson({ token_id: tokenId, revoked: true, ...descendants }));
  const count = counted(ids.length, "token");
  terminal.out(
    withDescendants ? `Revoked ${tokenId} and ${count} created with it.` : `Revoked ${tokenId}.`,
  );
  if (withDescendants || ids.length === 0) return;
  terminal.err(
    `${count} created with it, directly or indirectly, can still be used. To revoke them too, run ` +
      `\`gatehouse token revoke ${tokenId} --with-descendants\`.`,
  );
}

interface LinkBody {
  readonly url: string;
  readonly kind: "set_up" | "token";
  readonly expires_at: string;
}

export function tokenCommands(program: Command, terminal: Terminal): void {
  const token = program
    .command("token")
    .description("tokens for programs, and for edge workers and plugins");
  token
    .command("create")
    .description("create a token; it is shown once")
    .requiredOption("--name <name>", "who or what it is for")
    .addOption(
      choice("--role <role>", "what it can do; edge: report visits to one site", [
        "operator",
        "owner",
        "reviewer",
        "auditor",
        "edge",
      ]).makeOptionMandatory(),
    )
    .option("--site <site...>", "limit it to these sites (domain, key or hash); not for operators")
    .addOption(
      new Option(
        "--expires <days>",
        "how many days it works, such as 90d (default: it does not expire)",
      ).argParser(readLife),
    )
    .option("--json", "print JSON")
    .action((flags: CreateFlags) => create(terminal, flags));

  token
    .command("list")
    .description("list tokens, including revoked ones")
    .option("--site <site>", "only tokens of this site, including edge tokens")
    .option("--json", "print JSON")
    .action(async ({ site, json }: Flags & { site?: string }) => {
      const tokens = await listed(adminClient(terminal), site);
      if (json) return terminal.out(plainJson({ items: tokens }));
      const rows = tokens.map((token) => ({
        token_id: token.token_id,
        name: token.name,
        role: token.role,
        sites: token.sites === null ? "all" : String(token.sites.length),
        made_with: token.created_by,
        expires: token.expires_at ?? "never",
        state: stateOf(token, Date.now()),
      }));
      const none = "No tokens except the operator token. Create one: gatehouse token create";
      terminal.out(table(rows, none));
    });

  token
    .command("link")
    .description(
      "print a link to the console; the first one creates the operator's account, later ones sign in with this token",
    )
    .option("--json", "print JSON")
    .action(async ({ json }: Flags) => {
      const path = "/v1/admin/console-links";
      const link = await adminClient(terminal).call<LinkBody>("POST", path, {});
      if (json) return terminal.out(plainJson(link));
      terminal.out(link.url);
      terminal.err(
        link.kind === "set_up"
          ? `The first person who uses it becomes the operator. It works once and expires at ${link.expires_at}.`
          : `The first person who uses it is signed in with the rights of this token. It works once and expires at ${link.expires_at}.`,
      );
    });

  token
    .command("revoke")
    .argument("<token_id>", "id from `token list`")
    .description("revoke a token immediately, on every node")
    .option("--with-descendants", "also revoke every token created with it, directly or indirectly")
    .option("--json", "print JSON")
    .action((tokenId: string, flags: RevokeFlags) => revoke(terminal, tokenId, flags));
}
