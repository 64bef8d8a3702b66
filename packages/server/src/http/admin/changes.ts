import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "../../context.js";
import { ORDER_TOPIC } from "../../domain/orders/order.js";
import { REVIEW_TOPIC } from "../../domain/reviews/review.js";
import { ANY_CHANGE, type Change } from "../../infra/db/database.js";
import { MINUTE_MS } from "../../infra/time.js";
import { Problem } from "../server/problem.js";
import { errors } from "../server/schemas.js";
import { type AdminEnv, requireSite, whoAsks } from "./access.js";
import { SiteParams } from "./schemas.js";

/** How often something is said where there is nothing to say, and it is looked who listens. */
const BEAT_MS = 15_000;
/** A stream ends after this, and whoever listens asks again. */
const STREAM_MS_MAX = 15 * MINUTE_MS;
/** Bytes that may wait for a listener who does not read. */
const WAITING_BYTES_MAX = 65_536;
const RETRY_AFTER_S = "30";

/** What is told of. That something changed is told, not what: it is asked for like always. */
const TOPICS: readonly string[] = [REVIEW_TOPIC, ORDER_TOPIC];

/** The topics a change is about, of those that a site's people follow. */
function topicsOf({ topic, id }: Change, siteKeyHash: string): readonly string[] {
  if (topic === ANY_CHANGE.topic) return TOPICS;
  return TOPICS.includes(topic) && id === siteKeyHash ? [topic] : [];
}

interface Listening {
  readonly siteKeyHash: string;
  readonly tokenId: string;
  /** Whether whoever listens still may. */
  mayListen(): Promise<boolean>;
}

/** Server-sent events of one site; undefined where too many listen. */
function streamOf(
  { clock, db, streams, log }: Context,
  { siteKeyHash, tokenId, mayListen }: Listening,
): ReadableStream<Uint8Array> | undefined {
  const encoder = new TextEncoder();
  const until = clock.now() + STREAM_MS_MAX;
  let end = () => {};
  const leave = streams.add(tokenId, () => end());
  if (leave === undefined) return undefined;
  let cancelBeat = () => {};
  let unsubscribe = () => {};
  const over = () => {
    cancelBeat();
    unsubscribe();
    leave();
  };
  const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const say = (text: string) => {
      controller.enqueue(encoder.encode(text));
      // Nobody reads it any more, or not as fast as it happens: it is asked for anew.
      if ((controller.desiredSize ?? 0) <= 0) end();
    };
    end = () => {
      over();
      controller.close();
      end = () => {};
    };
    unsubscribe = db.changes.subscribe((change) => {
      for (const topic of topicsOf(change, siteKeyHash)) say(`data: ${topic}\n\n`);
    });
    const beat = async () => {
      const goesOn = clock.now() < until && (await mayListen());
      if (!goesOn) return end();
      say(": still here\n\n");
      cancelBeat = clock.after(BEAT_MS, later);
    };
    const later = () =>
      void beat().catch((error: unknown) => {
        log.warn({ error }, "console.stream_failed");
        end();
      });
    cancelBeat = clock.after(BEAT_MS, later);
    say(": listening\n\n");
  };
  const strategy = new ByteLengthQueuingStrategy({ highWaterMark: WAITING_BYTES_MAX });
  return new ReadableStream({ start, cancel: over }, strategy);
}

const follow = createRoute({
  method: "get",
  path: "/v1/admin/sites/{site_key_hash}/changes",
  tags: ["Console"],
  summary: "Follow what changes at a site",
  description:
    "Server-sent events: `data: reviews` or `data: orders` whenever there is something new of these. " +
    "A stream ends after a quarter of an hour, and with the token.",
  request: { params: SiteParams },
  responses: {
    200: { description: "Events.", content: { "text/event-stream": { schema: z.string() } } },
    ...errors("not_found"),
  },
});

export function changesRoute(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(follow, async (c) => {
    const { site_key_hash: siteKeyHash } = c.req.valid("param");
    await requireSite(context, c, siteKeyHash, "auditor");
    const { tokenId } = c.get("principal");
    const mayListen = async () => (await whoAsks(context, c))?.tokenId === tokenId;
    const stream = streamOf(context, { siteKeyHash, tokenId, mayListen });
    if (stream === undefined) {
      throw new Problem("unavailable", { headers: { "retry-after": RETRY_AFTER_S } });
    }
    c.header("content-type", "text/event-stream; charset=utf-8");
    c.header("cache-control", "no-store");
    // Proxies that gather what they pass on would hold it back.
    c.header("x-accel-buffering", "no");
    return c.body(stream, 200) as never;
  });
}
