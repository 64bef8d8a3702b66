import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { fetchFeed } from "../../actions/product-feeds/fetch-feed.js";
import { removeFeed, setFeed, showFeed } from "../../actions/product-feeds/set-feed.js";
import type { Context } from "../../context.js";
import {
  FEED_FORMATS,
  FEED_HOURS,
  FEED_OUTCOMES,
  type ProductFeed,
} from "../../domain/product-feeds/product-feed.js";
import { isoTime } from "../../infra/clock.js";
import { requireOk } from "../server/require-ok.js";
import { json, Timestamp, timeOrNull } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, actorOf, requireSite } from "./access.js";
import { siteRoute } from "./describe.js";

const URL_CHARS_MAX = 2048;

const Url = z.string().min(1).max(URL_CHARS_MAX);
const EveryHours = z.literal([...FEED_HOURS]);
const Currency = z
  .string()
  .regex(/^[A-Z]{3}$/, "must be three capital letters, such as EUR")
  .nullable();

const ResultBody = z.object({
  fetched_at: Timestamp,
  outcome: z.enum(FEED_OUTCOMES).openapi({
    description:
      "`unchanged`: nothing had to be changed. `not_applied`: the feed is empty, has too many errors, or lists less " +
      "than half of the products it had. `failed`: it could not be fetched or read.",
  }),
  message: z.string().nullable().openapi({
    description:
      "Why it failed or was not applied, or why products that it does not list were not paused, or only after 24 hours.",
  }),
  listed: z.int().openapi({ description: "How many valid products the feed lists." }),
  added: z.int(),
  changed: z.int(),
  paused: z.int().openapi({ description: "Paused, because the feed no longer lists them." }),
  removed: z.int().openapi({ description: "Removed after 30 days in which they were paused." }),
  refused: z.int(),
  problems: z
    .array(z.object({ line: z.int(), problem: z.string() }))
    .openapi({ description: "The first hundred refused items, by line or number." }),
});

const FeedBody = z
  .object({
    url: z.string(),
    every_hours: EveryHours,
    currency: z.string().nullable(),
    format: z.enum(FEED_FORMATS).nullable(),
    next_fetch_at: Timestamp,
    fetching_until: Timestamp.nullable().openapi({
      description: "Set while the feed is being fetched.",
    }),
    last_result: ResultBody.nullable(),
  })
  .openapi("ProductFeed");

const show = siteRoute("get", "/product-feed", {
  tags: ["Selling"],
  summary: "Show the product feed",
  answer: json(FeedBody, "The feed, and what the last fetch came to."),
});

const replace = siteRoute("put", "/product-feed", {
  tags: ["Selling"],
  summary: "Set the product feed",
  description:
    "Products are read from this address on a schedule. It is a Google feed (RSS 2.0, Atom or TSV), Shopify's " +
    "`products.json`, or one JSON object per line. It must be a public https address.",
  body: strict({
    url: Url.openapi({ example: "https://shop.example.com/products.xml" }),
    every_hours: EveryHours.default(FEED_HOURS[FEED_HOURS.length - 1] as 24),
    currency: Currency.default(null).openapi({
      description: "The currency of prices that do not name one, as in Shopify's feed.",
    }),
  }),
  answer: json(FeedBody, "The feed."),
  errors: ["conflict"],
});

const fetchNow = siteRoute("post", "/product-feed/fetch", {
  tags: ["Selling"],
  summary: "Fetch the product feed now",
  description:
    "Answers when the feed was fetched and applied, which can take minutes. With `accept_fewer`, a feed that lists " +
    "less than half of the products it had is applied too.",
  body: strict({ accept_fewer: z.boolean().default(false) }),
  answer: json(FeedBody, "The feed, and what the fetch came to."),
  errors: ["conflict"],
});

const remove = siteRoute("delete", "/product-feed", {
  tags: ["Selling"],
  summary: "Remove the product feed",
  description: "The products stay as they are.",
  noContent: "The feed was removed.",
});

function render(feed: ProductFeed): z.infer<typeof FeedBody> {
  const { url, currency, format, result } = feed;
  return {
    url,
    every_hours: feed.everyHours,
    currency,
    format,
    next_fetch_at: isoTime(feed.nextAt),
    fetching_until: timeOrNull(feed.claimedUntil),
    last_result: result && renderResult(result),
  };
}

function renderResult({ at, problems, hold: _, ...counts }: NonNullable<ProductFeed["result"]>) {
  return { fetched_at: isoTime(at), ...counts, problems: [...problems] };
}

/** Only owners see the feed, because its address often contains a secret. */
export function productFeedRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(show, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    return c.json(render(requireOk(await showFeed(context, siteKeyHash))), 200);
  });

  app.openapi(replace, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const { url, every_hours: everyHours, currency } = c.req.valid("json");
    const settings = { url, everyHours, currency };
    const feed = requireOk(await setFeed(context, siteKeyHash, settings, actorOf(c)));
    return c.json(render(feed), 200);
  });

  app.openapi(fetchNow, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const { accept_fewer: acceptFewer } = c.req.valid("json");
    const options = { actor: actorOf(c), onlyIfDue: false, acceptFewer };
    return c.json(render(requireOk(await fetchFeed(context, siteKeyHash, options))), 200);
  });

  app.openapi(remove, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    requireOk(await removeFeed(context, siteKeyHash, actorOf(c)));
    return c.body(null, 204);
  });
}
