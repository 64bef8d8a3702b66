import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import { withdrawReview } from "../../actions/reviews/withdraw-review.js";
import type { Context } from "../../context.js";
import type { Review } from "../../domain/reviews/review.js";
import { reviewById } from "../../domain/reviews/store.js";
import { findSite } from "../../domain/sites/find.js";
import { isoTime } from "../../infra/clock.js";
import type { HttpEnv } from "../server/env.js";
import { Problem } from "../server/problem.js";
import { answer, answering, readBody, requireKnownSite } from "./answering.js";
import { MandateRefusal } from "./refusal.js";
import { Waiting } from "./waiting.js";

const WAIT_S_MAX = 20;
const LOOK_EVERY_MS = 500;
const ESCALATION = ":escalation{esc_[\\w-]+}";

/** Whether its outcome is still open; a review that is being paid for has no outcome yet. */
function isOpen({ status, expiresAt }: Review, now: number): boolean {
  return status === "paying" || (status === "pending" && now < expiresAt);
}

function render(review: Review, now: number) {
  const { status, expiresAt, decidedAt, reasonCode, decidedRecordId } = review;
  // Late ones are ended by a job; until it comes they are over all the same.
  const late = status === "pending" && now >= expiresAt;
  return {
    status: late ? "expired" : status,
    expires_at: isoTime(expiresAt),
    ...(decidedAt === null ? {} : { decided_at: isoTime(decidedAt) }),
    ...(reasonCode === null ? {} : { reason_code: reasonCode }),
    ...(decidedRecordId === null ? {} : { record_id: decidedRecordId }),
  };
}

/** How long a client wants to wait for news (RFC 7240); 0 for not at all. */
function waitOf(prefer: string | undefined): number {
  const [, seconds = "0"] = /(?:^|[\s,])wait=(\d{1,4})(?:[\s,;]|$)/i.exec(prefer ?? "") ?? [];
  return Math.min(Number(seconds), WAIT_S_MAX) * 1000;
}

/** What became of an escalation. Its id is known to the agent and the owner alone: 144 random bits. */
export function escalationRoutes(routes: OpenAPIHono<HttpEnv>, context: Context): void {
  const { clock, db, streams } = context;
  const waiting = new Waiting();

  const find = async (c: HonoContext<HttpEnv>) => {
    // The agent gets its answer even if the site's domain is no longer verified.
    const site = await findSite(db, c.req.param("site") ?? "", "key");
    const review =
      site && (await reviewById(db, site.siteKeyHash, c.req.param("escalation") ?? ""));
    if (review === undefined) throw new Problem("not_found");
    return review;
  };

  /** Checks repeatedly until the review has ended, the time is up, or the process stops. */
  const changed = async (first: Review, waitMs: number): Promise<Review> => {
    const { siteKeyHash, escalationId } = first;
    const until = clock.now() + waitMs;
    let review = first;
    let waits = true;
    while (waits && isOpen(review, clock.now()) && clock.now() < until) {
      waits = await streams.pause(clock, LOOK_EVERY_MS);
      review = (await reviewById(db, siteKeyHash, escalationId)) ?? review;
    }
    return review;
  };

  routes.get(`/v1/m/:site/escalations/${ESCALATION}`, async (c) => {
    const review = await find(c);
    const waitMs = waitOf(c.req.header("prefer"));
    const address = c.get("caller").networks[0];
    const leave = waitMs === 0 ? undefined : waiting.enter(review.siteKeyHash, address);
    if (leave === undefined) return c.json(render(review, clock.now()));
    try {
      c.header("preference-applied", `wait=${waitMs / 1000}`);
      return c.json(render(await changed(review, waitMs), clock.now()));
    } finally {
      leave();
    }
  });

  const withdraw = answering(context, async (c) => {
    const site = await requireKnownSite(context, c);
    const body = await readBody(context, c);
    const result = await withdrawReview(context, site, c.req.param("escalation") ?? "", body);
    if (!result.ok) throw new MandateRefusal(result.reason);
    return answer(c, 200, render(result.value, clock.now()));
  });
  routes.post(`/v1/m/:site/escalations/${ESCALATION}/withdraw`, withdraw);
}
