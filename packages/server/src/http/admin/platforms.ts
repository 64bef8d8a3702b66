import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
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
import { strict } from "../server/faults.js";
import { body, errors, json, Timestamp } from "../server/schemas.js";
import { type AdminEnv, actorOf, requireSite } from "./access.js";
import { line } from "./fields.js";
import { NextCursor, PageQuery, pageBody, refused, Search, SiteParams } from "./schemas.js";

const HOST_CHARS_MAX = 253;

const PlatformBody = z
  .object({
    platform: z.string().openapi({
      description: "The domain it is counted by, or one host of it that you named.",
      example: "platform.example",
    }),
    status: z
      .enum(PLATFORM_STATUSES)
      .openapi({ description: "seen: it has called, and you have not decided about it." }),
    name: z.string().nullable(),
    note: z.string().nullable(),
    profile_url: z.string().nullable().openapi({ description: "The profile it named last." }),
    first_seen_at: Timestamp.nullable(),
    last_seen_at: Timestamp.nullable(),
    recent_decisions: z.int().openapi({ description: "Decisions of the last 30 days." }),
    created_at: Timestamp,
    changed_at: Timestamp.nullable(),
  })
  .openapi("Platform");

const PlatformParams = SiteParams.extend({
  platform: z
    .string()
    .max(HOST_CHARS_MAX)
    .openapi({ param: { name: "platform", in: "path" }, example: "platform.example" }),
});

const listRoute = {
  path: "/v1/admin/sites/{site_key_hash}/platforms" as const,
  tags: ["Platforms"],
};
const platformRoute = {
  path: "/v1/admin/sites/{site_key_hash}/platforms/{platform}" as const,
  tags: ["Platforms"],
};

const list = createRoute({
  method: "get",
  ...listRoute,
  summary: "List platforms",
  description: "Platforms you have admitted or suspended, and platforms that have called.",
  request: {
    params: SiteParams,
    query: PageQuery.extend({
      status: z.enum(PLATFORM_STATUSES).optional(),
      q: Search.optional().openapi({ description: "Part of the name or domain." }),
    }),
  },
  responses: {
    200: json(z.object({ items: z.array(PlatformBody), next_cursor: NextCursor }), "Newest first."),
    ...errors("invalid_request", "not_found"),
  },
});

const set = createRoute({
  method: "put",
  ...platformRoute,
  summary: "Admit or suspend a platform",
  description: "Applies to the very next decision, on every node. Name a domain or one host of it.",
  request: {
    params: PlatformParams,
    body: body(
      strict({
        status: z.enum(LISTED_STATUSES),
        name: line(PLATFORM_NAME_CHARS_MAX).nullable().optional(),
        note: line(PLATFORM_NOTE_CHARS_MAX).nullable().optional(),
      }),
    ),
  },
  responses: {
    200: json(PlatformBody, "The platform."),
    ...errors("invalid_request", "forbidden", "not_found", "conflict"),
  },
});

const remove = createRoute({
  method: "delete",
  ...platformRoute,
  summary: "Remove a platform from the list",
  description: "Its next call makes it a new platform that you have not decided about.",
  request: { params: PlatformParams },
  responses: { 204: { description: "Removed." }, ...errors("forbidden", "not_found") },
});

const timeOf = (at: number | null) => (at === null ? null : isoTime(at));

function render({ platform, recentDecisions }: PlatformWithCount): z.infer<typeof PlatformBody> {
  return {
    platform: platform.identity,
    status: platform.status,
    name: platform.name,
    note: platform.note,
    profile_url: platform.profileUrl,
    first_seen_at: timeOf(platform.firstSeenAt),
    last_seen_at: timeOf(platform.lastSeenAt),
    recent_decisions: recentDecisions,
    created_at: isoTime(platform.createdAt),
    changed_at: timeOf(platform.changedAt),
  };
}

export function platformRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(list, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "auditor");
    const { status, q, ...query } = c.req.valid("query");
    const page = await listPlatforms(context, site_key_hash, { status, search: q }, query);
    return c.json(pageBody(page, render), 200);
  });

  app.openapi(set, async (c) => {
    const { site_key_hash, platform } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "owner");
    const change = c.req.valid("json");
    const result = await changePlatform(context, site_key_hash, platform, change, actorOf(c));
    if (!result.ok) return refused(result);
    const counted = await withRecentDecisions(context, site_key_hash, result.value);
    return c.json(render(counted), 200);
  });

  app.openapi(remove, async (c) => {
    const { site_key_hash, platform } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "owner");
    const result = await removePlatform(context, site_key_hash, platform, actorOf(c));
    return result.ok ? c.body(null, 204) : refused(result);
  });
}
