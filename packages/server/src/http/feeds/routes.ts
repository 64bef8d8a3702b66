import { type PublishedFeed, SITE_PATHS } from "@gatehouse/protocol";
import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import {
  type PublishedProducts,
  publishedProducts,
} from "../../actions/products/published-products.js";
import type { Context } from "../../context.js";
import { pendingAnswer } from "../server/errors.js";
import { etagOf, isFresh } from "../server/etag.js";
import type { HonoGroup, HttpEnv } from "../server/hono-group.js";
import { Problem } from "../server/problem.js";
import { SiteKeyHash } from "../server/schemas.js";
import { streamOf } from "../server/streaming.js";
import { acpFeed } from "./acp-feed.js";
import { googleFeed } from "./google-feed.js";

/** Readers that fetch a feed every few minutes do not make it anew. */
const CACHE_CONTROL = "public, max-age=300";
const ABSENT =
  "There is no such site, it does not publish this feed, or its domain is not verified yet.";

interface FeedKind {
  readonly path: string;
  readonly summary: string;
  readonly type: string;
  make(products: PublishedProducts): AsyncGenerator<string>;
}

const FEEDS: Readonly<Record<PublishedFeed, FeedKind>> = {
  google: {
    path: SITE_PATHS.googleFeed,
    summary: "The products of a site as a Google product feed",
    type: "application/rss+xml; charset=utf-8",
    make: googleFeed,
  },
  acp: {
    path: SITE_PATHS.acpFeed,
    summary: "The products of a site as an ACP product feed",
    type: "application/x-ndjson; charset=utf-8",
    make: acpFeed,
  },
};

function describe({ path, summary, type }: FeedKind) {
  return createRoute({
    method: "get",
    path,
    tags: ["Discovery"],
    summary,
    description:
      "Available after the owner has published it. It lists the products that are not paused.",
    security: [],
    request: { params: z.object({ site_key_hash: SiteKeyHash }) },
    responses: {
      200: {
        description: "The feed.",
        content: { [type.split(";")[0] as string]: { schema: z.string() } },
      },
      304: { description: "The feed has not changed since the ETag in If-None-Match." },
      404: { description: ABSENT },
    },
  });
}

/** The product feeds that sites publish. */
export function feedRoutes(context: Context): HonoGroup {
  const routes = new OpenAPIHono<HttpEnv>({
    defaultHook: (result) => {
      if (!result.success) throw new Problem("not_found");
    },
  });
  for (const [name, kind] of Object.entries(FEEDS)) {
    routes.openapi(describe(kind), async (c) => {
      const { site_key_hash } = c.req.valid("param");
      const feed = await publishedProducts(context, site_key_hash, name as PublishedFeed);
      if (!feed.ok && feed.reason === "pending_verification") {
        const { status, body } = pendingAnswer(context.config.baseUrl, feed.detail);
        return c.body(body as string, status as 404, { "content-type": "application/json" });
      }
      if (!feed.ok) throw new Problem("not_found", { message: feed.detail });
      const etag = etagOf(feed.value.version, kind.type);
      // Weak: the bytes are made while they are sent.
      c.header("etag", `W/${etag}`);
      c.header("cache-control", CACHE_CONTROL);
      if (isFresh(c.req.header("if-none-match"), etag)) return c.body(null, 304);
      return c.body(streamOf(kind.make(feed.value)), 200, { "content-type": kind.type });
    });
  }
  return { name: "feeds", cors: "open", routes };
}
