import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { setNotifications } from "../../actions/notifications/set-notifications.js";
import { testNotifications } from "../../actions/notifications/test-notifications.js";
import { showNotifySettings } from "../../actions/sites/read-sites.js";
import type { Context } from "../../context.js";
import { EMAILS_MAX, type NotifySettings } from "../../domain/notify-settings/notify-settings.js";
import { strict } from "../server/faults.js";
import { Problem } from "../server/problem.js";
import { body, errors, json } from "../server/schemas.js";
import { type AdminEnv, actorOf, requireSite } from "./access.js";
import { refused, SiteParams } from "./schemas.js";

const URL_CHARS_MAX = 2048;
const EMAIL_CHARS_MAX = 254;
const WAIT_S = "60";

const NotificationsBody = z
  .object({
    webhook_url: z.string().nullable().openapi({ example: "https://shop.example.com/hooks/gate" }),
    emails: z.array(z.string()),
  })
  .openapi("Notifications");

const TestedBody = z.object({
  kind: z.enum(["webhook", "mail"]),
  destination: z.string(),
  delivered: z.boolean(),
  says: z.string().openapi({ example: "It was delivered." }),
});

const show = createRoute({
  method: "get",
  path: "/v1/admin/sites/{site_key_hash}/notifications",
  tags: ["Notifications"],
  summary: "Show where the owner is told",
  request: { params: SiteParams },
  responses: { 200: json(NotificationsBody, "The settings."), ...errors("forbidden", "not_found") },
});

const set = createRoute({
  method: "put",
  path: "/v1/admin/sites/{site_key_hash}/notifications",
  tags: ["Notifications"],
  summary: "Set where the owner is told",
  description:
    "Told is what the rules leave to a person, what is bought, and what becomes of it. What is left out stays as it is; null and an " +
    "empty list switch off.",
  request: {
    params: SiteParams,
    body: body(
      strict({
        webhook_url: z
          .string()
          .max(URL_CHARS_MAX)
          .nullable()
          .optional()
          .openapi({ description: "https, on port 443, at a public address." }),
        emails: z.array(z.string().max(EMAIL_CHARS_MAX)).max(EMAILS_MAX).optional(),
      }),
    ),
  },
  responses: {
    200: json(NotificationsBody, "The settings."),
    ...errors("invalid_request", "forbidden", "not_found"),
  },
});

const test = createRoute({
  method: "post",
  path: "/v1/admin/sites/{site_key_hash}/notifications/test",
  tags: ["Notifications"],
  summary: "Send a test message now",
  description: "Tried once, at every place that is set.",
  request: { params: SiteParams, body: body(strict({})) },
  responses: {
    200: json(z.object({ results: z.array(TestedBody) }), "How it went."),
    ...errors("invalid_request", "forbidden", "not_found", "conflict"),
  },
});

function render({ webhookUrl, emails }: NotifySettings): z.infer<typeof NotificationsBody> {
  return { webhook_url: webhookUrl, emails: [...emails] };
}

export function notificationRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(show, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "owner");
    return c.json(render(await showNotifySettings(context, site_key_hash)), 200);
  });

  app.openapi(set, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "owner");
    const { webhook_url: webhookUrl, emails } = c.req.valid("json");
    const changes = { webhookUrl, emails };
    const result = await setNotifications(context, site_key_hash, changes, actorOf(c));
    return result.ok ? c.json(render(result.value), 200) : refused(result);
  });

  app.openapi(test, async (c) => {
    const site = await requireSite(context, c, c.req.valid("param").site_key_hash, "owner");
    const tested = await testNotifications(context, site);
    if (tested.ok) return c.json({ results: [...tested.value] }, 200);
    const headers = tested.reason === "rate_limited" ? { "retry-after": WAIT_S } : {};
    throw new Problem(tested.reason, { message: tested.detail, headers });
  });
}
