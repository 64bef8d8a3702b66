import type { JsonObject } from "@gatehouse/protocol";
import type { WebhookFormat } from "../../domain/notify-settings/notify-settings.js";
import type { MailWords } from "../../infra/mail/html.js";

/** A notice in words, for people. */
export interface NoticeWords {
  readonly subject: string;
  readonly text: string;
  /** What a mail says instead, with what only the owner's mailbox may hold. */
  readonly mailText?: string;
  /** The sum that a person decides on or acts for, which a mail shows large. */
  readonly amount?: string | undefined;
  /** The page where the person can act. */
  readonly link?: string | undefined;
}

/** A notice as a mail of a shop. */
export function mailOf(
  { subject, text, mailText = text, amount }: NoticeWords,
  shop: string | undefined,
): MailWords {
  return { subject, text: mailText, shop, amount };
}

/** What is posted, and where. */
interface Posted {
  readonly destination: string;
  readonly body: JsonObject;
}

/** A text in Slack's own markup. Strangers' words must not become links or mentions. */
const slackText = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/**
 * Writes a notice for a chat. Slack and what imitates it read `text`. ntfy takes JSON at its root, with the
 * topic that the address names.
 */
export function chatMessage(
  format: Exclude<WebhookFormat, "json">,
  url: string,
  { subject, text, link }: NoticeWords,
): Posted {
  if (format === "slack") {
    const button = link === undefined ? "" : `\n<${link}|Open in the console>`;
    return { destination: url, body: { text: `*${slackText(subject)}*${button}` } };
  }
  const { origin, pathname } = new URL(url);
  const topic = pathname.split("/").filter(Boolean).at(-1) ?? "";
  const body = { topic, title: subject, message: text.trim() };
  return { destination: `${origin}/`, body: link === undefined ? body : { ...body, click: link } };
}
