import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { changePlatform, removePlatform } from "../../actions/platforms/change-platform.js";
import {
  listPlatforms,
  type PlatformWithCount,
  withRecentDecisions,
} from "../../actions/platforms/read-platforms.js";
import type { Context } from "../../context.js";
import {
  LISTED_STATUSES,
  PLATFORM_NAME_CHARS_MAX,
  PLATFORM_NOTE_CHARS_MAX,
  PLATFORM_STATUSES,
} from "../../domain/platforms/platform.js";
import { isoTime } from "../../infra/clock.js";
import { lineOrNull } from "../server/fields.js";
import { requireOk } from "../server/require-ok.js";
import { json, Timestamp, timeOrNull } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, actorOf, requireSite } from "./access.js";
import { pageOf, siteRoute } from "./describe.js";
import { PageQuery, PlatformParams, pageBody, Search } from "./schemas.js";

const PlatformBody = z
  .object({
    platform: z.string().openapi({
      description: "The domain of the platform, or one host that you listed.",
      example: "platform.example",
    }),
    status: z
      .enum(PLATFORM_STATUSES)
      .openapi({ description: "seen: it has called, and you have not admitted or suspended it." }),
    name: z.string().nullable(),
    note: z.string().nullable(),
    profile_url: z.string().nullable().openapi({ description: "The profile that it sent last." }),
    first_seen_at: Timestamp.nullable(),
    last_seen_at: Timestamp.nullable(),
    recent_decisions: z.int().openapi({ description: "Decisions in the last 30 days." }),
    created_at: Timestamp,
    changed_at: Timestamp.nullable(),
  })
  .openapi("Platform");

const list = siteRoute("get", "/platforms", {
  tags: ["Platforms"],
  summary: "List platforms",
  description: "Platforms that you admitted or suspended, and platforms that called.",
  query: PageQuery.extend({
    status: z.enum(PLATFORM_STATUSES).optional(),
    q: Search.optional().openapi({ description: "Part of the name or domain." }),
  }),
  answer: pageOf(PlatformBody, "The platforms, newest first."),
});

const set = siteRoute("put", "/platforms/{platform}", {
  tags: ["Platforms"],
  summary: "Admit or suspend a platform",
  description:
    "Applies from the next decision on, on every node. Use a domain or one of its hosts.",
  params: PlatformParams,
  body: strict({
    status: z.enum(LISTED_STATUSES),
    name: lineOrNull(PLATFORM_NAME_CHARS_MAX).optional(),
    note: lineOrNull(PLATFORM_NOTE_CHARS_MAX).optional(),
  }),
  answer: json(PlatformBody, "The platform."),
  errors: ["conflict"],
});

const remove = siteRoute("delete", "/platforms/{platform}", {
  tags: ["Platforms"],
  summary: "Remove a platform from the list",
  description:
    "Its API keys and OAuth clients are revoked. If it calls again, it is listed as a new platform with the status " +
    "`seen`.",
  params: PlatformParams,
  noContent: "The platform was removed.",
});

function render({ platform, recentDecisions }: PlatformWithCount): z.infer<typeof PlatformBody> {
  return {
    platform: platform.identity,
    status: platform.status,
    name: platform.name,
    note: platform.note,
    profile_url: platform.profileUrl,
    first_seen_at: timeOrNull(platform.firstSeenAt),
    last_seen_at: timeOrNull(platform.lastSeenAt),
    recent_decisions: recentDecisions,
    created_at: isoTime(platform.createdAt),
    changed_at: timeOrNull(platform.changedAt),
  };
}

export function platformRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(list, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "auditor");
    const { status, q, ...query } = c.req.valid("query");
    const page = await listPlatforms(context, siteKeyHash, { status, search: q }, query);
    return c.json(pageBody(page, render), 200);
  });

  app.openapi(set, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const { platform } = c.req.valid("param");
    const change = c.req.valid("json");
    const changed = requireOk(
      await changePlatform(context, siteKeyHash, platform, change, actorOf(c)),
    );
    const counted = await withRecentDecisions(context, siteKeyHash, changed);
    return c.json(render(counted), 200);
  });

  app.openapi(remove, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const { platform } = c.req.valid("param");
    requireOk(await removePlatform(context, siteKeyHash, platform, actorOf(c)));
    return c.body(null, 204);
  });
}
