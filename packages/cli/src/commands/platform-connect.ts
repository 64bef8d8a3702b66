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
  throw new InvalidArgumentError("Write a name and a file such as X-Api-Key=key.txt.");
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
    .argument("<site>", "its domain, key or hash")
    .argument("<platform>", "the name `platform list` shows")
    .description("show or change how a platform is connected: error codes and webhooks")
    .addOption(choice("--preset <name>", "set the formats that it wants", ["google", "ucp"]))
    .addOption(
      choice("--error-codes <codes>", "which codes messages to it have", ["ucp", "google"]),
    )
    .option(
      "--webhook-url <url>",
      `where it is notified of its orders; ${OF_PROFILE} for the address in its profile`,
    )
    .addOption(
      new Option(
        "--webhook-header-file <name=file...>",
        "a header of its webhooks, and the file that holds its value; replaces all there are",
      ).argParser(readHeader),
    )
    .addOption(
      choice("--webhook-timestamp <format>", "how webhooks say the time", ["unix", "iso8601"]),
    )
    .addOption(choice("--webhook-id <id>", "what webhooks are named after", ["uuid", "event"]))
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
