import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { setConnection, showConnection } from "../../actions/platforms/set-connection.js";
import {
  HEADER_NAME_CHARS_MAX,
  HEADER_VALUE_CHARS_MAX,
  MASKED,
  WEBHOOK_HEADERS_MAX,
} from "../../actions/platforms/webhook-headers.js";
import type { Context } from "../../context.js";
import {
  ERROR_CODES,
  PRESET_NAMES,
  WEBHOOK_IDS,
  WEBHOOK_TIMESTAMPS,
} from "../../domain/platforms/connection.js";
import type { Platform } from "../../domain/platforms/platform.js";
import { requireOk } from "../server/require-ok.js";
import { json } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, actorOf, requireConfirmed, requireSite } from "./access.js";
import { siteRoute } from "./describe.js";
import { PlatformParams } from "./schemas.js";

const URL_CHARS_MAX = 2048;

const ErrorCodes = z.enum(ERROR_CODES).openapi({
  description: "google: messages only use codes from Google's list.",
});
const Url = z.string().max(URL_CHARS_MAX).nullable().openapi({
  description:
    "An https address on port 443 of a public host. null: the address in the platform's profile.",
  example: "https://platform.example/orders?partner=7",
});
const HeaderName = z.string().min(1).max(HEADER_NAME_CHARS_MAX);
const TIMESTAMP = z
  .enum(WEBHOOK_TIMESTAMPS)
  .openapi({ description: "unix: seconds, as specified by UCP." });
const ID = z
  .enum(WEBHOOK_IDS)
  .openapi({ description: "event: the id of the order, shipment or adjustment." });

const ConnectionBody = z
  .object({
    platform: z.string(),
    error_codes: ErrorCodes,
    webhook: z.object({
      url: Url,
      headers: z.record(z.string(), z.string()).openapi({ description: "Values are not shown." }),
      timestamp: TIMESTAMP,
      id: ID,
    }),
  })
  .openapi("PlatformConnection");

const show = siteRoute("get", "/platforms/{platform}/connection", {
  tags: ["Platforms"],
  summary: "Show how a platform is connected",
  params: PlatformParams,
  answer: json(ConnectionBody, "The connection."),
  errors: ["forbidden"],
});

const change = siteRoute("patch", "/platforms/{platform}/connection", {
  tags: ["Platforms"],
  summary: "Change how a platform is connected",
  description:
    "For a platform that needs different error codes or webhooks than UCP specifies. Members that you leave out do " +
    "not change. `preset` sets formats that belong together. Other members override it.",
  params: PlatformParams,
  body: strict({
    preset: z.enum(PRESET_NAMES).optional(),
    error_codes: ErrorCodes.optional(),
    webhook: strict({
      url: Url.optional(),
      headers: z
        .record(HeaderName, z.string().min(1).max(HEADER_VALUE_CHARS_MAX))
        .refine(
          (headers) => Object.keys(headers).length <= WEBHOOK_HEADERS_MAX,
          "has too many headers",
        )
        .optional()
        .openapi({
          description:
            "Sent with every webhook to `url`, for example a key. They replace the existing headers. A new `url` " +
            "starts without headers. They are stored encrypted and never shown.",
          example: { "X-Goog-Api-Key": "…" },
        }),
      timestamp: TIMESTAMP.optional(),
      id: ID.optional(),
    }).optional(),
  }),
  answer: json(ConnectionBody, "The connection."),
});

function render({ identity, connection }: Platform): z.infer<typeof ConnectionBody> {
  const { url, headerNames, timestamp, id } = connection.webhook;
  const headers = Object.fromEntries(headerNames.map((name) => [name, MASKED]));
  return {
    platform: identity,
    error_codes: connection.errorCodes,
    webhook: { url, headers, timestamp, id },
  };
}

export function platformConnectionRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(show, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const { platform } = c.req.valid("param");
    return c.json(render(requireOk(await showConnection(context, siteKeyHash, platform))), 200);
  });

  app.openapi(change, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    requireConfirmed(context, c);
    const { platform } = c.req.valid("param");
    const { error_codes: errorCodes, ...rest } = c.req.valid("json");
    const changed = requireOk(
      await setConnection(context, siteKeyHash, platform, { ...rest, errorCodes }, actorOf(c)),
    );
    return c.json(render(changed), 200);
  });
}
