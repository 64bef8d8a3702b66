import { type Command, InvalidArgumentError, Option } from "commander";
import { noPlatform, pathToPlatform } from "../platform-path.js";
import { card, plainJson, type Terminal, table } from "../terminal.js";

interface CredentialBody {
  readonly credential_id: string;
  readonly kind: string;
  readonly token_url: string | null;
  readonly created_at: string;
  readonly expires_at: string;
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
}

interface CreatedBody extends CredentialBody {
  readonly secret: string;
}

interface Flags {
  readonly json?: boolean;
}

const SITE = ["<site>", "domain, site key or site key hash"] as const;
const PLATFORM = ["<platform>", "name from `platform list`"] as const;
const KINDS: Readonly<Record<string, string>> = {
  api_key: "API key",
  oauth_client: "OAuth client",
};

function readDays(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Use a whole number of days, such as 90.");
}

const row = (credential: CredentialBody) => ({
  id: credential.credential_id,
  kind: KINDS[credential.kind] ?? credential.kind,
  created: credential.created_at,
  expires: credential.expires_at,
  last_used: credential.last_used_at ?? "never",
  revoked: credential.revoked_at ?? "",
});

/** What the owner passes on to the platform. */
function describe({ kind, credential_id, secret, token_url, expires_at }: CreatedBody): string {
  const given =
    kind === "api_key"
      ? { "X-API-Key": secret, id: credential_id }
      : { "client id": credential_id, "client secret": secret, "token URL": token_url ?? "" };
  return [
    card({ ...given, expires: expires_at }),
    "Give this to the platform. The secret is shown only once.",
  ].join("\n");
}

const CREATED: readonly (readonly [verb: string, kind: string, description: string])[] = [
  ["create-key", "api_key", "create an API key, which an admitted platform sends as X-API-Key"],
  ["create-client", "oauth_client", "create an OAuth client for an admitted platform"],
];

function createCommands(platform: Command, terminal: Terminal): void {
  for (const [verb, kind, description] of CREATED) {
    platform
      .command(verb)
      .argument(...SITE)
      .argument(...PLATFORM)
      .description(description)
      .addOption(
        new Option(
          "--days <days>",
          "how many days it is valid (default: 365, at most 730)",
        ).argParser(readDays),
      )
      .option("--json", "print JSON")
      .action(async (site: string, named: string, flags: Flags & { readonly days?: number }) => {
        const { client, path } = await pathToPlatform(terminal, site, named, "/credentials");
        const body = { kind, expires_in_days: flags.days };
        const created = await client.callAbout<CreatedBody>(noPlatform(site), "POST", path, body);
        terminal.out(flags.json ? plainJson(created) : describe(created));
      });
  }
}

/** `platform create-key`, `create-client`, `keys` and `revoke-key`: how a platform proves itself without signing. */
export function platformCredentialCommands(platform: Command, terminal: Terminal): void {
  createCommands(platform, terminal);

  platform
    .command("keys")
    .argument(...SITE)
    .argument(...PLATFORM)
    .description("list the API keys and OAuth clients of a platform")
    .option("--json", "print JSON")
    .action(async (site: string, named: string, { json }: Flags) => {
      const { client, path } = await pathToPlatform(terminal, site, named, "/credentials");
      const listed = await client.callAbout<{ items: CredentialBody[] }>(
        noPlatform(site),
        "GET",
        path,
      );
      const none = `No API keys or OAuth clients. Create one: gatehouse platform create-key ${site} ${named}`;
      terminal.out(json ? plainJson(listed) : table(listed.items.map(row), none));
    });

  platform
    .command("revoke-key")
    .argument(...SITE)
    .argument(...PLATFORM)
    .argument("<id>", "id from `platform keys`")
    .description("revoke an API key or OAuth client and its tokens immediately")
    .option("--json", "print JSON")
    .action(async (site: string, named: string, id: string, { json }: Flags) => {
      const rest = `/credentials/${encodeURIComponent(id)}`;
      const { client, path } = await pathToPlatform(terminal, site, named, rest);
      const none = {
        says: "This platform has no such key or client.",
        hint: `\`gatehouse platform keys ${site} ${named}\` lists them.`,
      };
      await client.callAbout(none, "DELETE", path);
      const revoked = { credential_id: id, status: "revoked" };
      terminal.out(json ? plainJson(revoked) : `${id} is revoked.`);
    });
}
