import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { setNotifications } from "../../actions/notifications/set-notifications.js";
import { testNotifications } from "../../actions/notifications/test-notifications.js";
import { showNotifySettings } from "../../actions/sites/read-sites.js";
import type { Context } from "../../context.js";
import {
  EMAILS_MAX,
  type NotifySettings,
  WEBHOOK_FORMATS,
} from "../../domain/notify-settings/notify-settings.js";
import { isoTime } from "../../infra/clock.js";
import { requireOk } from "../server/require-ok.js";
import { json, Timestamp } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, actorOf, requireSite } from "./access.js";
import { siteRoute } from "./describe.js";

const URL_CHARS_MAX = 2048;
const EMAIL_CHARS_MAX = 254;
const TEST_RETRY_AFTER_S = 60;

const NotificationsBody = z
  .object({
    webhook_url: z.string().nullable().openapi({ example: "https://shop.example.com/hooks/gate" }),
    webhook_format: z.enum(WEBHOOK_FORMATS),
    emails: z.array(z.string()),
    mail_available: z.boolean().openapi({
      description: "Whether this service can send email. Its operator connects a mail server.",
    }),
    questions: z
      .boolean()
      .openapi({ description: "Whether the owner is notified about new questions from agents." }),
    delivered_at: Timestamp.nullable().openapi({
      description:
        "When a message was first delivered to one of these addresses. null: none was since they were set.",
    }),
  })
  .openapi("Notifications");

const TestedBody = z.object({
  kind: z.enum(["webhook", "mail"]),
  destination: z.string(),
  delivered: z.boolean(),
  says: z.string().openapi({ example: "The message was delivered." }),
});

const show = siteRoute("get", "/notifications", {
  tags: ["Notifications"],
  summary: "Show where the owner is notified",
  answer: json(NotificationsBody, "The settings."),
  errors: ["forbidden"],
});

const set = siteRoute("put", "/notifications", {
  tags: ["Notifications"],
  summary: "Set where the owner is notified",
  description:
    "The owner is notified about requests that need review, about orders, and about new questions. Members that you leave out do not change. null or an " +
    "empty list turns the notifications off.",
  body: strict({
    webhook_url: z
      .string()
      .max(URL_CHARS_MAX)
      .nullable()
      .optional()
      .openapi({ description: "An https address on port 443 of a public host." }),
    webhook_format: z
      .enum(WEBHOOK_FORMATS)
      .optional()
      .openapi({
        description:
          "`json`: events for programs. `slack`: messages for Slack, Mattermost and others with the same format. " +
          "`ntfy`: messages for ntfy, where the address ends with the topic.",
      }),
    emails: z.array(z.string().max(EMAIL_CHARS_MAX)).max(EMAILS_MAX).optional(),
    questions: z.boolean().optional(),
  }),
  answer: json(NotificationsBody, "The settings."),
});

const test = siteRoute("post", "/notifications/test", {
  tags: ["Notifications"],
  summary: "Send a test message now",
  description: "Tries every address once.",
  body: strict({}),
  answer: json(z.object({ results: z.array(TestedBody) }), "The result for each address."),
  errors: ["conflict"],
});

function render(
  { mailer }: Context,
  { webhookUrl, webhookFormat, emails, questions, reachedAt }: NotifySettings,
): z.infer<typeof NotificationsBody> {
  return {
    webhook_url: webhookUrl,
    webhook_format: webhookFormat,
    emails: [...emails],
    mail_available: mailer.configured,
    questions,
    delivered_at: reachedAt === null ? null : isoTime(reachedAt),
  };
}

export function notificationRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(show, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    return c.json(render(context, await showNotifySettings(context, siteKeyHash)), 200);
  });

  app.openapi(set, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const { webhook_url: webhookUrl, webhook_format, emails, questions } = c.req.valid("json");
    const changes = { webhookUrl, webhookFormat: webhook_format, emails, questions };
    const settings = requireOk(await setNotifications(context, siteKeyHash, changes, actorOf(c)));
    return c.json(render(context, settings), 200);
  });

  app.openapi(test, async (c) => {
    const site = await requireSite(context, c, "owner");
    const results = requireOk(await testNotifications(context, site), TEST_RETRY_AFTER_S);
    return c.json({ results: [...results] }, 200);
  });
}
