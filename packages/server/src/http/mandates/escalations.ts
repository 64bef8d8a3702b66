import { answerOfDecision } from "../../actions/questions/take-signed-question.js";
import { awaitReview } from "../../actions/reviews/await-review.js";
import { withdrawReview } from "../../actions/reviews/withdraw-review.js";
import type { Context } from "../../context.js";
import type { Review } from "../../domain/reviews/review.js";
import { findSite } from "../../domain/sites/live-sites.js";
import { isoTime } from "../../infra/clock.js";
import { orderLinkOfDecision } from "../../purchase/orders/order-link.js";
import { type Handler, json } from "../server/exchange.js";
import { renderMandateAnswer } from "../server/mandate-answer.js";
import { Problem } from "../server/problem.js";
import { readBody, requireKnownSite } from "./request.js";

const WAIT_S_MAX = 20;
const PER_ADDRESS_MAX = 2;
const PER_SITE_MAX = 100;

/** Limits the requests that wait for a change, because each uses memory while it waits. */
export class LongPolls {
  private readonly counts = new Map<string, number>();

  private add(key: string, by: 1 | -1): void {
    const count = (this.counts.get(key) ?? 0) + by;
    if (count === 0) this.counts.delete(key);
    else this.counts.set(key, count);
  }

  /** Returns a function that ends the wait. Undefined if too many wait already: then answer at once. */
  enter(siteKeyHash: string, address: string): (() => void) | undefined {
    const site = `site ${siteKeyHash}`;
    const source = `address ${address}`;
    if ((this.counts.get(site) ?? 0) >= PER_SITE_MAX) return undefined;
    if ((this.counts.get(source) ?? 0) >= PER_ADDRESS_MAX) return undefined;
    for (const key of [site, source]) this.add(key, 1);
    return () => {
      for (const key of [site, source]) this.add(key, -1);
    };
  }
}

/** The answer about a review; one that led to an order names it, and one of a question has its published answer. */
async function statusBody(context: Context, review: Review) {
  const body = render(review, context.clock.now());
  const { decisionId, status, request } = review;
  if (status !== "approved") return body;
  const result =
    request.questionKey === undefined
      ? await orderLinkOfDecision(context, decisionId)
      : await answerOfDecision(context, decisionId);
  return { ...body, ...result };
}

function render(review: Review, now: number) {
  const { status, expiresAt, decidedAt, reasonCode, decidedRecordId } = review;
  // A job ends late reviews. Until it runs they are shown as ended already.
  const late = status === "pending" && now >= expiresAt;
  return {
    status: late ? "expired" : status,
    expires_at: isoTime(expiresAt),
    ...(decidedAt === null ? {} : { decided_at: isoTime(decidedAt) }),
    ...(reasonCode === null ? {} : { reason_code: reasonCode }),
    ...(decidedRecordId === null ? {} : { record_id: decidedRecordId }),
  };
}

/** How long a client wants to wait for a change, in milliseconds (RFC 7240). */
function waitOf(prefer: string | undefined): number {
  const [, seconds = "0"] = /(?:^|[\s,])wait=(\d{1,4})(?:[\s,;]|$)/i.exec(prefer ?? "") ?? [];
  return Math.min(Number(seconds), WAIT_S_MAX) * 1000;
}

/** The id of an escalation has 144 random bits, so only the agent and the owner know it. */
export function escalationHandlers(
  context: Context,
): Readonly<Record<"status" | "withdraw", Handler>> {
  const { clock, db } = context;
  const longPolls = new LongPolls();

  return {
    status: async (exchange) => {
      // The agent gets its answer even if the site's domain is no longer verified.
      const site = await findSite(db, exchange.param("site"), "key");
      const read = async (waitMs: number) => {
        const id = exchange.param("escalation");
        const review = site && (await awaitReview(context, site.siteKeyHash, id, waitMs));
        if (review === undefined) throw new Problem("not_found");
        return review;
      };
      const review = await read(0);
      const waitMs = waitOf(exchange.header("prefer"));
      const address = exchange.caller.networks[0];
      const leave = waitMs === 0 ? undefined : longPolls.enter(review.siteKeyHash, address);
      if (leave === undefined) return json(200, await statusBody(context, review));
      try {
        const last = await read(waitMs);
        const headers = { "preference-applied": `wait=${waitMs / 1000}` };
        return json(200, await statusBody(context, last), headers);
      } finally {
        leave();
      }
    },

    withdraw: async (exchange) => {
      const site = await requireKnownSite(context, exchange);
      const body = await readBody(context, exchange);
      const result = await withdrawReview(context, site, exchange.param("escalation"), body);
      if (!result.ok) throw new Problem(result.reason);
      return renderMandateAnswer(exchange, {
        status: 200,
        body: render(result.value, clock.now()),
      });
    },
  };
}
