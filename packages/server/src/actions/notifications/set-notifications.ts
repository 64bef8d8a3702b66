import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { type Actor, actorDraft } from "../../domain/audit/drafts.js";
import type { NotifySettings } from "../../domain/notify-settings/notify-settings.js";
import { notifySettings, writeNotifySettings } from "../../domain/notify-settings/store.js";
import { isMailAddress } from "../../infra/mail/text.js";
import { readWebhookUrl } from "../webhook-url.js";

export type NotifyChanges = {
  readonly [Name in Exclude<keyof NotifySettings, "reachedAt">]?: NotifySettings[Name] | undefined;
};

function mailFault({ mailer }: Context, emails: readonly string[]): string | undefined {
  if (!emails.every(isMailAddress))
    return "emails: must be a list of addresses such as ann@example.com.";
  if (new Set(emails.map((address) => address.toLowerCase())).size !== emails.length) {
    return "emails: an address is listed twice.";
  }
  if (emails.length === 0 || mailer.configured) return undefined;
  return "emails: this service cannot send email yet. Its operator can set GATEHOUSE_SMTP_URL.";
}

const addressesOf = ({ webhookUrl, webhookFormat, emails }: NotifySettings) =>
  JSON.stringify([webhookUrl, webhookFormat, emails]);

/** Changes where the owner is notified. Absent members do not change. */
export async function setNotifications(
  context: Context,
  siteKeyHash: string,
  changes: NotifyChanges,
  actor: Actor,
): Promise<Result<NotifySettings, "invalid_request">> {
  const wrong = mailFault(context, changes.emails ?? []);
  if (wrong !== undefined) return refuse("invalid_request", wrong);
  const { webhookUrl: url } = changes;
  const webhook =
    typeof url === "string" ? await readWebhookUrl(context, url, "webhook_url") : ok(url);
  if (!webhook.ok) return webhook;
  const webhookUrl = webhook.value;
  const { answer } = await context.audit.commit(siteKeyHash, async (tx) => {
    const before = await notifySettings(tx, siteKeyHash);
    const changed: NotifySettings = {
      webhookUrl: webhookUrl === undefined ? before.webhookUrl : webhookUrl,
      webhookFormat: changes.webhookFormat ?? before.webhookFormat,
      emails: changes.emails ?? before.emails,
      questions: changes.questions ?? before.questions,
      reachedAt: before.reachedAt,
    };
    // Whether other addresses work is not known yet.
    const isSame = addressesOf(changed) === addressesOf(before);
    const after = isSame ? changed : { ...changed, reachedAt: null };
    await writeNotifySettings(tx, siteKeyHash, after);
    // Mail addresses stay out of the log, and so do paths, which may contain a secret.
    const change = {
      kind: "notifications_set",
      webhook_host: after.webhookUrl === null ? null : new URL(after.webhookUrl).host,
      webhook_format: after.webhookFormat,
      emails: after.emails.length,
      questions: after.questions,
    };
    const record = actorDraft("site.changed", actor, context.clock.now(), { change });
    return { records: [record], answer: after };
  });
  return ok(answer);
}
