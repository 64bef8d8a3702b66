import { hash } from "node:crypto";
import {
  siteKeyHash as hashOf,
  type JsonValue,
  readMandate,
  taggedBytes,
} from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { rejectedAnswer } from "../../domain/decisions/answers.js";
import { keptAnswer } from "../../domain/decisions/kept/store.js";
import { isForCall, isSignedBy, mandateAudience } from "./admit.js";
import type { MandateCall, Submitted } from "./submission.js";

/**
 * Answers a mandate that was decided before its site was deleted: it gets its first answer again, so that no
 * agent signs a second purchase.
 */
export async function replayDeleted(
  { clock, config, db, providers }: Context,
  siteKeyHash: string,
  body: JsonValue,
  call?: MandateCall | undefined,
): Promise<Submitted> {
  const unknown = { kind: "refused", fault: { reason: "site_not_found" } } as const;
  const read = readMandate(body, Object.keys(providers));
  if (!read.ok) return unknown;
  const mandate = read.value;
  const { siteKey, mandateId, envelope, audience } = mandate;
  const own = audience === mandateAudience(config.baseUrl, { siteKey });
  if (!own || (await hashOf(siteKey)) !== siteKeyHash) return unknown;
  const earlier = await keptAnswer(db, { siteKeyHash, kid: envelope.kid, mandateId }, clock.now());
  if (earlier === undefined) return unknown;
  if (earlier.keyStatus === "revoked")
    return { kind: "refused", fault: { reason: "identity_check_failed" } };
  const bytes = taggedBytes("mandate", mandate.signed);
  if (!isSignedBy(earlier.jwk, bytes, envelope.signature))
    return { kind: "refused", fault: { reason: "signature_invalid" } };
  if (!isForCall(mandate, call))
    return { kind: "refused", fault: { reason: "arguments_mismatch" }, mandateId };
  const digest = hash("sha256", bytes, "hex");
  if (digest !== earlier.digest)
    return { kind: "refused", fault: { reason: "mandate_id_conflict" }, mandateId };
  // A review that was open when the site was deleted can never be approved.
  const answer = earlier.answer ?? rejectedAnswer("review_invalidated", mandateId);
  return { kind: "answered", answer, replayed: true };
}
