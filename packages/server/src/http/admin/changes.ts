import { type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "../../context.js";
import { ORDER_TOPIC } from "../../domain/orders/order.js";
import { QUESTION_TOPIC } from "../../domain/questions/question.js";
import { REVIEW_TOPIC } from "../../domain/reviews/review.js";
import { ANY_CHANGE, type Change } from "../../infra/db/database.js";
import { MINUTE_MS } from "../../infra/time.js";
import { Problem } from "../server/problem.js";
import { RECHECK_MS } from "../server/streaming.js";
import { type AdminEnv, mayStill, requireSite } from "./access.js";
import { siteRoute } from "./describe.js";

/** How often an idle stream sends a comment, so that proxies keep it open. */
const HEARTBEAT_MS = 15_000;
/** A stream ends after this time, and the console opens another one. */
const STREAM_MS_MAX = 15 * MINUTE_MS;
/** Bytes that may wait for a client that does not read. */
const WAITING_BYTES_MAX = 65_536;
/** For a caller with too many open streams. */
const STREAM_RETRY_AFTER_S = "30";

/** The topics of events. An event says that something changed; the console then reads it as usual. */
const TOPICS: readonly string[] = [REVIEW_TOPIC, ORDER_TOPIC, QUESTION_TOPIC];

/** The topics of this site that a change belongs to. */
function topicsOf({ topic, id }: Change, siteKeyHash: string): readonly string[] {
  if (topic === ANY_CHANGE.topic) return TOPICS;
  return TOPICS.includes(topic) && id === siteKeyHash ? [topic] : [];
}

interface Listener {
  readonly siteKeyHash: string;
  readonly principalId: string;
  /** Whether the token or session is still valid. */
  mayListen(): Promise<boolean>;
}

/** The events of one site; undefined if too many streams are open. */
function streamOf(
  { clock, db, streams, log }: Context,
  { siteKeyHash, principalId, mayListen }: Listener,
): ReadableStream<Uint8Array> | undefined {
  const encoder = new TextEncoder();
  const until = clock.now() + STREAM_MS_MAX;
  let end = () => {};
  const leave = streams.add({ principalId, siteKeyHash, end: () => end() });
  if (leave === undefined) return undefined;
  let cancelCheck = () => {};
  let unsubscribe = () => {};
  let released = false;
  const release = () => {
    released = true;
    cancelCheck();
    unsubscribe();
    leave();
  };
  const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const send = (text: string) => {
      controller.enqueue(encoder.encode(text));
      // The client reads too slowly or not at all. If it is still there, it connects again.
      if ((controller.desiredSize ?? 0) <= 0) end();
    };
    end = () => {
      release();
      controller.close();
      end = () => {};
    };
    unsubscribe = db.changes.subscribe((change) => {
      for (const topic of topicsOf(change, siteKeyHash)) send(`data: ${topic}\n\n`);
    });
    let saidAt = clock.now();
    const check = async () => {
      const continues = clock.now() < until && (await mayListen());
      // The client left meanwhile.
      if (released) return;
      if (!continues) return end();
      if (clock.now() - saidAt >= HEARTBEAT_MS) {
        saidAt = clock.now();
        send(": still here\n\n");
      }
      cancelCheck = clock.after(RECHECK_MS, nextCheck);
    };
    const nextCheck = () =>
      void check().catch((error: unknown) => {
        log.warn({ error }, "console.stream_failed");
        end();
      });
    cancelCheck = clock.after(RECHECK_MS, nextCheck);
    send(": listening\n\n");
  };
  const strategy = new ByteLengthQueuingStrategy({ highWaterMark: WAITING_BYTES_MAX });
  return new ReadableStream({ start, cancel: release }, strategy);
}

const follow = siteRoute("get", "/changes", {
  tags: ["Console"],
  summary: "Follow changes of a site",
  description:
    "Sends `data: reviews`, `data: orders` or `data: questions` as server-sent events when there are new ones. " +
    "The stream ends after 15 minutes, or within a second after the token was revoked or the session ended.",
  answer: { description: "The events.", content: { "text/event-stream": { schema: z.string() } } },
});

export function changesRoute(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(follow, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "auditor");
    const { id: principalId } = c.get("principal");
    const mayListen = mayStill(context, c, "auditor");
    const stream = streamOf(context, { siteKeyHash, principalId, mayListen });
    if (stream === undefined) {
      throw new Problem("unavailable", { headers: { "retry-after": STREAM_RETRY_AFTER_S } });
    }
    c.header("content-type", "text/event-stream; charset=utf-8");
    c.header("cache-control", "no-store");
    // Some proxies buffer answers and would delay events.
    c.header("x-accel-buffering", "no");
    return c.body(stream, 200) as never;
  });
}
