import type { Command } from "commander";
import { adminClient } from "../admin-client.js";
import { choice } from "../choice.js";
import { runnable } from "../command-name.js";
import { CommandError, EXIT } from "../exit.js";
import { findSite } from "../find-site.js";
import { card, plainJson, plainText, type Terminal, table } from "../terminal.js";

/** What switches a way of telling off, in place of an address. */
const NONE = "none";

interface NotificationsBody {
  readonly webhook_url: string | null;
  readonly webhook_format: string;
  readonly emails: readonly string[];
  readonly questions: boolean;
}

interface TestedBody {
  readonly kind: string;
  readonly destination: string;
  readonly delivered: boolean;
  readonly says: string;
}

interface MessageBody {
  readonly message_id: string;
  readonly kind: string;
  readonly audience: string;
  readonly about: string | null;
  readonly topic: string;
  readonly destination: string;
  readonly state: string;
  readonly attempts: number;
  readonly created_at: string;
  readonly next_at: string | null;
  readonly last_problem: string | null;
}

async function pathTo(terminal: Terminal, site: string, rest: string) {
  const client = adminClient(terminal);
  const { site_key_hash } = await findSite(client, site);
  return { client, path: `/v1/admin/sites/${site_key_hash}${rest}` };
}

interface NotifyFlags {
  readonly webhook?: string;
  readonly format?: string;
  readonly email?: readonly string[];
  readonly questions?: string;
  readonly test?: boolean;
  readonly json?: boolean;
}

function changesOf({ webhook, format, email, questions }: NotifyFlags) {
  const emails = email?.length === 1 && email[0] === NONE ? [] : email;
  return {
    webhook_url: webhook === NONE ? null : webhook,
    webhook_format: format,
    emails,
    questions: questions === undefined ? undefined : questions === "on",
  };
}

function notifyCommand(site: Command, terminal: Terminal): void {
  site
    .command("notify")
    .argument("<site>", "domain, site key or site key hash")
    .description("set where you receive notifications about orders, reviews and questions")
    .option("--webhook <url>", "https address for signed messages; none: turn off")
    .addOption(
      choice("--format <format>", "how the webhook is written: events, or messages for a chat", [
        "json",
        "slack",
        "ntfy",
      ]),
    )
    .option("--email <address...>", "email addresses, at most ten; none: turn off")
    .addOption(
      choice("--questions <state>", "notifications about new questions from agents", ["on", "off"]),
    )
    .option("--test", "send a test message now and show the result")
    .option("--json", "print JSON")
    .action(async (text: string, flags: NotifyFlags) => {
      const { client, path } = await pathTo(terminal, text, "/notifications");
      const changes = changesOf(flags);
      const changed = Object.values(changes).some((one) => one !== undefined);
      const settings = changed
        ? await client.call<NotificationsBody>("PUT", path, changes)
        : await client.call<NotificationsBody>("GET", path);
      const results = flags.test
        ? (await client.call<{ results: TestedBody[] }>("POST", `${path}/test`, {})).results
        : [];
      const { webhook_url, webhook_format, emails, questions } = settings;
      if (flags.json) {
        terminal.out(plainJson(flags.test ? { ...settings, results } : settings));
      } else {
        const format = webhook_url === null || webhook_format === "json" ? "" : webhook_format;
        const webhook = [webhook_url ?? NONE, format && `(${format})`].filter(Boolean).join(" ");
        const shown = { webhook, email: emails.join(", ") || NONE };
        terminal.out(card({ ...shown, questions: questions ? "on" : "off" }));
        for (const { destination, says } of results) {
          terminal.out(`${plainText(destination)}: ${plainText(says)}`);
        }
      }
      if (results.every(({ delivered }) => delivered)) return;
      const hint = "Fix the reported problem, or set another address with --webhook or --email.";
      throw new CommandError("Not every test message was delivered.", EXIT.failed, hint);
    });
}

interface MessagesFlags {
  readonly failed?: boolean;
  readonly resend?: string;
  readonly json?: boolean;
}

/** What a message waits for that nobody has tried, where something before it waits too. */
function heldBack(one: MessageBody, all: readonly MessageBody[]): string {
  const isBefore = ({ about, destination, state, created_at, message_id }: MessageBody) =>
    about === one.about &&
    destination === one.destination &&
    message_id !== one.message_id &&
    state === "waiting" &&
    created_at <= one.created_at;
  const before = all.some(isBefore);
  const held = one.about !== null && one.state === "waiting" && one.attempts === 0 && before;
  return held ? "waits for an earlier message about the same order" : "";
}

function messagesCommand(site: Command, terminal: Terminal): void {
  site
    .command("messages")
    .argument("<site>", "domain, site key or site key hash")
    .description("list sent messages and their delivery, newest first")
    .option("--failed", "only messages that could not be delivered")
    .option("--resend <message_id>", "send this message again, instead of listing")
    .option("--json", "print JSON")
    .action(async (text: string, { failed, resend, json }: MessagesFlags) => {
      if (resend !== undefined) {
        const rest = `/messages/${encodeURIComponent(resend)}/resend`;
        const { client, path } = await pathTo(terminal, text, rest);
        const missing = {
          says: "There is no such message.",
          hint: `\`gatehouse site messages ${text}\` lists the sent messages.`,
        };
        const message = await client.callAbout<MessageBody>(missing, "POST", path, {});
        // Only of an order more than one thing is told.
        const ofOrder = message.about?.startsWith("ord_") === true;
        const after = ofOrder ? ", together with later messages about its order" : "";
        const confirmation = `Message ${message.message_id} will be sent again${after}.\nCheck the delivery: gatehouse site messages ${text}`;
        return terminal.out(json ? plainJson(message) : runnable(confirmation));
      }
      const query = failed === true ? "?limit=200&state=failed" : "?limit=200";
      const { client, path } = await pathTo(terminal, text, `/messages${query}`);
      const items: MessageBody[] = [];
      for await (const one of client.pages<MessageBody>(path)) items.push(one);
      items.reverse();
      if (json) return terminal.out(plainJson({ items }));
      const rows = items.map((one) => ({
        created_at: one.created_at,
        message_id: one.message_id,
        topic: one.topic,
        about: one.about ?? "",
        for: one.audience,
        to: one.destination,
        state: one.state,
        attempts: String(one.attempts),
        next: one.next_at ?? "",
        problem: one.last_problem ?? heldBack(one, items),
      }));
      const none = failed
        ? `No failed messages. List all: gatehouse site messages ${text}`
        : `No messages yet. Check where notifications go: gatehouse site notify ${text}`;
      terminal.out(table(rows, none));
    });
}

/** `site notify` and `site messages`: where an owner is told, and what was. */
export function siteNotifyCommands(site: Command, terminal: Terminal): void {
  notifyCommand(site, terminal);
  messagesCommand(site, terminal);
}
