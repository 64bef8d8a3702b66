import { type Command, InvalidArgumentError, Option } from "commander";
import { choice } from "../choice.js";
import { noPlatform, pathToPlatform } from "../platform-path.js";
import { readSecretFile } from "../secret-file.js";
import { card, plainJson, type Terminal } from "../terminal.js";

interface ConnectionBody {
  readonly platform: string;
  readonly error_codes: string;
  readonly webhook: {
    readonly url: string | null;
    readonly headers: Readonly<Record<string, string>>;
    readonly timestamp: string;
    readonly id: string;
  };
}

interface Flags {
  readonly preset?: string;
  readonly errorCodes?: string;
  readonly webhookUrl?: string;
  readonly webhookHeaderFile?: readonly string[];
  readonly webhookTimestamp?: string;
  readonly webhookId?: string;
  readonly json?: boolean;
}

/** What the owner types for the address in the platform's profile. */
const OF_PROFILE = "profile";

function readHeader(text: string, before: readonly string[] = []): readonly string[] {
  if (/^[^=\s]+=./.test(text)) return [...before, text];
  throw new InvalidArgumentError("Use a name and a file, such as X-Api-Key=key.txt.");
}

/** The values come from files, because arguments stand in the list of processes. */
function headersOf(texts: readonly string[] | undefined) {
  if (texts === undefined) return undefined;
  const pairs = texts.map((text) => {
    const at = text.indexOf("=");
    return [text.slice(0, at), readSecretFile(text.slice(at + 1)) ?? ""] as const;
  });
  return Object.fromEntries(pairs);
}

function changesOf(flags: Flags) {
  const { webhookUrl } = flags;
  const webhook = {
    url: webhookUrl === OF_PROFILE ? null : webhookUrl,
    headers: headersOf(flags.webhookHeaderFile),
    timestamp: flags.webhookTimestamp,
    id: flags.webhookId,
  };
  const isSet = Object.values(webhook).some((value) => value !== undefined);
  return {
    preset: flags.preset,
    error_codes: flags.errorCodes,
    webhook: isSet ? webhook : undefined,
  };
}

function describe({ platform, error_codes, webhook }: ConnectionBody): string {
  const names = Object.keys(webhook.headers);
  return card({
    platform,
    "error codes": error_codes,
    webhook: webhook.url ?? "the address in its profile",
    "webhook headers": names.length === 0 ? "none" : names.join(", "),
    "webhook timestamp": webhook.timestamp,
    "webhook id": webhook.id,
  });
}

/** `platform connect`: what a platform needs otherwise than UCP specifies. */
export function platformConnectCommand(platform: Command, terminal: Terminal): void {
  platform
    .command("connect")
    .argument("<site>", "domain, site key or site key hash")
    .argument("<platform>", "name from `platform list`")
    .description("show or change the error codes and webhooks of a platform")
    .addOption(choice("--preset <name>", "use the formats of this platform", ["google", "ucp"]))
    .addOption(choice("--error-codes <codes>", "error codes in messages to it", ["ucp", "google"]))
    .option(
      "--webhook-url <url>",
      `address for notifications about its orders; ${OF_PROFILE}: the address in its profile`,
    )
    .addOption(
      new Option(
        "--webhook-header-file <name=file...>",
        "webhook header, and the file with its value; replaces all existing headers",
      ).argParser(readHeader),
    )
    .addOption(
      choice("--webhook-timestamp <format>", "time format of its webhooks", ["unix", "iso8601"]),
    )
    .addOption(choice("--webhook-id <id>", "which id its webhooks carry", ["uuid", "event"]))
    .option("--json", "print JSON")
    .action(async (site: string, named: string, flags: Flags) => {
      const { client, path } = await pathToPlatform(terminal, site, named, "/connection");
      const changes = changesOf(flags);
      const isChanged = Object.values(changes).some((value) => value !== undefined);
      const none = noPlatform(site);
      const connection = isChanged
        ? await client.callAbout<ConnectionBody>(none, "PATCH", path, changes)
        : await client.callAbout<ConnectionBody>(none, "GET", path);
      terminal.out(flags.json ? plainJson(connection) : describe(connection));
    });
}
