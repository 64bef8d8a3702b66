import {
  CLOCK_SKEW_MS,
  type JsonValue,
  ok,
  type Result,
  readWithdrawal,
  refuse,
  verifyTagged,
} from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { keyByKid } from "../../domain/agents/keys/store.js";
import { agentActor } from "../../domain/audit/drafts.js";
import type { Review } from "../../domain/reviews/review.js";
import { reviewById } from "../../domain/reviews/store.js";
import type { Site } from "../../domain/sites/site.js";
import { MINUTE_MS } from "../../infra/time.js";
import { endReview } from "../../purchase/commit-review.js";
import { keyFault } from "../mandates/agent-standing.js";
import { expireIfLate } from "./decide-review.js";

const LIFE_MS = 15 * MINUTE_MS;

type Fault =
  | ("schema_invalid" | "unsupported_version" | "audience_mismatch" | "mandate_expired")
  | ("signature_invalid" | "identity_check_failed" | "not_found");

/** An agent takes its own request back, by its own signature. Safe to repeat; what is over stays. */
export async function withdrawReview(
  context: Context,
  site: Site,
  escalationId: string,
  body: JsonValue,
): Promise<Result<Review, Fault>> {
  const { audit, clock, db } = context;
  const { siteKeyHash } = site;
  const read = readWithdrawal(body);
  if (!read.ok) return read;
  const { agentId, siteKey, envelope, signed, issuedAt } = read.value;
  if (siteKey !== site.siteKey || read.value.escalationId !== escalationId) {
    return refuse("audience_mismatch", "signed for another escalation");
  }
  const now = clock.now();
  if (issuedAt > now + CLOCK_SKEW_MS || issuedAt < now - LIFE_MS) {
    return refuse("mandate_expired", "signed too long ago");
  }
  const key = await keyByKid(db, siteKeyHash, envelope.kid);
  const unknown = keyFault(key, agentId, now);
  if (unknown !== undefined || key === undefined) return refuse("identity_check_failed", "unknown");
  if (!(await verifyTagged("withdrawal", signed, envelope.signature, key.jwk))) {
    return refuse("signature_invalid", "the signature does not verify");
  }
  const { answer } = await audit.commit<Result<Review, Fault>>(siteKeyHash, async (tx) => {
    const review = await reviewById(tx, siteKeyHash, escalationId);
    if (review === undefined || review.actorId !== agentId) {
      return { records: [], answer: refuse("not_found", "no such escalation") };
    }
    if (review.status !== "pending") return { records: [], answer: ok(review) };
    const end = { status: "withdrawn", actor: agentActor(agentId) } as const;
    const late = await expireIfLate(context, tx, review, clock.now());
    const ended = late ?? (await endReview(context, tx, review, end, clock.now()));
    return { records: ended.records, answer: ok(ended.review) };
  });
  return answer;
}
