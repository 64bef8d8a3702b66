import {
  canonicalize,
  type JsonObject,
  type JsonValue,
  type Mandate,
  readMandate,
  sha256,
  taggedBytes,
  toBase64url,
  toHex,
} from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { decisionById, decisionOfMandate } from "../../domain/decisions/store.js";
import { reviewOfDecision } from "../../domain/reviews/store.js";
import type { Site } from "../../domain/sites/site.js";
import { reloadSite } from "../../domain/sites/store.js";
import type { Transaction } from "../../infra/db/database.js";
import type { Sender } from "../../infra/networks.js";
import { paymentEnded, settlePayment } from "../../purchase/settle-payment.js";
import { expireIfLate } from "../reviews/decide-review.js";
import { admitMandate } from "./admit-mandate.js";
import { claim, refused } from "./claim-mandate.js";
import { type MandatePlace, withPlace } from "./mandate-place.js";
import { proveMandate, RETIRED, REVOKED } from "./prove-mandate.js";
import { type MandateFault, mandateRejection } from "./refuse-mandate.js";
import type { Admission, Made, Paying, Submitted } from "./submission.js";

interface Submission {
  readonly requestId: string;
  /** Who sent it, as far as limits go. */
  readonly caller: Sender;
  /** Called before an unproven mandate is refused and recorded; false refuses it without a record. */
  readonly mayRefuse?: (() => boolean) | undefined;
  /** What a tool was called with, where it came with a call: the mandate must be for just that. */
  readonly call?: MandateCall | undefined;
}

/** The tool a mandate came with, and what it was called with. */
export interface MandateCall {
  readonly skill: string;
  readonly arguments: JsonObject;
}

export function isForCall(mandate: Mandate, call: MandateCall | undefined): boolean {
  if (call === undefined) return true;
  if (mandate.skill !== call.skill) return false;
  return canonicalize(mandate.arguments) === canonicalize(call.arguments);
}

/** How a mandate came, and what it may take of the site's rate. */
interface Turn {
  readonly call: MandateCall | undefined;
  readonly retired: boolean;
  readonly place: MandatePlace;
}

/** The part of a submission that the database decides: replay, what must hold, the rules. */
async function inTransaction(
  context: Context,
  tx: Transaction,
  asked: Omit<Admission, "now">,
  { call, retired, place }: Turn,
): Promise<Made> {
  const { mandate, proven } = asked;
  const { siteKeyHash } = asked.site;
  const now = context.clock.now();
  const site = await reloadSite(tx, asked.site);
  if (site === undefined) return { records: [], answer: { fault: { reason: "site_not_found" } } };
  const facts = { ...asked, site, now };
  if (!isForCall(mandate, call))
    return refused(context, tx, { reason: "arguments_mismatch" }, facts);
  const before = await decisionOfMandate(tx, siteKeyHash, proven.agentId, proven.mandateId);
  if (before !== undefined && before.digest === proven.digest) {
    const review = await reviewOfDecision(tx, siteKeyHash, before.decisionId);
    const late = await expireIfLate(context, tx, review, now);
    // Of a review that is being paid for, the agent is told that it is under way.
    if (before.outcome === "paying" && review === undefined) {
      return { records: [], answer: { paying: before, replayed: true } };
    }
    const { answer, records } = late ?? { answer: before.answer, records: [] };
    return { records, answer: { answer, replayed: true } };
  }
  if (retired) {
    const fault = { reason: "identity_check_failed", specific: RETIRED } as const;
    return refused(context, tx, fault, facts);
  }
  if (before !== undefined) return refused(context, tx, { reason: "mandate_id_conflict" }, facts);
  if (site.status !== "verified")
    return refused(context, tx, { reason: "mandates_disabled" }, facts);
  const admitted = await admitMandate(context, tx, { site, mandate, place, now });
  if ("fault" in admitted) return refused(context, tx, admitted.fault, facts);
  return claim(context, tx, facts, admitted.agent);
}

/** Only a claimed mandate counts: not a repeated answer, and not an earlier refusal. */
function usesPlace({ answer }: Pick<Made, "answer">): boolean {
  return "fault" in answer ? answer.fault.reason === "scope_not_granted" : !answer.replayed;
}

/** What a decision comes to once its payment has ended, wherever that happens. */
async function paid(context: Context, paying: Paying, replayed: boolean): Promise<Submitted> {
  const { decisionId, payment } = paying;
  if (payment === undefined) await paymentEnded(context, decisionId);
  else await settlePayment(context, payment);
  const decision = await decisionById(context.db, decisionId);
  if (decision === undefined) return { fault: { reason: "site_not_found" } };
  return { answer: decision.answer, replayed };
}

/** In development, the bytes a signature should have been made over. */
async function hintsFor({ config }: Context, { signed }: Mandate) {
  if (config.mode !== "development") return undefined;
  const bytes = taggedBytes("mandate", signed);
  return { expected_bytes: toBase64url(bytes), expected_sha256: toHex(await sha256(bytes)) };
}

/** Whoever named an agent wrongly too often from one place is told to wait, and nobody else. */
function pairLocked({ mandatePairs, clock }: Context, { networks }: Sender, agentId: string) {
  const waitMs = mandatePairs.take(`${networks[0]} ${agentId}`, clock.now());
  if (waitMs === 0) return undefined;
  return { reason: "agent_temporarily_locked", retryAfterS: Math.ceil(waitMs / 1000) } as const;
}

/** Refuses an unproven mandate, and records or counts it. */
export async function refuseUnproven(
  context: Context,
  { siteKeyHash, status }: Site,
  fault: MandateFault,
  { requestId, caller, mayRefuse = () => true }: Omit<Submission, "call">,
): Promise<Submitted> {
  context.admission.failProof(caller);
  // Strangers leave no record in the log of a site whose domain is not verified.
  if (status !== "verified") {
    return { fault: fault.specific === REVOKED ? fault : { reason: "mandates_disabled" } };
  }
  if (!mayRefuse()) return { fault: { reason: "rate_limited" } };
  const now = context.clock.now();
  await context.rejections.record(mandateRejection({ siteKeyHash }, fault, { requestId }, now));
  return { fault };
}

/**
 * A mandate from the wire to its answer, in the order of decisions 6. Whatever comes before a valid
 * signature is the sender's; whatever comes after it, the agent's.
 */
export async function submitMandate(
  context: Context,
  site: Site,
  body: JsonValue,
  { call, ...submission }: Submission,
): Promise<Submitted> {
  const { siteKeyHash } = site;
  const { requestId, caller } = submission;
  const stranger = (fault: MandateFault) => refuseUnproven(context, site, fault, submission);
  const read = readMandate(body);
  if (!read.ok) {
    const { reason, detail } = read;
    if (reason !== "protocol_unsupported") return stranger({ reason, message: `${detail}.` });
    return stranger({ reason: "identity_check_failed", specific: reason });
  }
  const mandate = read.value;
  const checked = await proveMandate(context, site, mandate);
  if ("fault" in checked) {
    const locked = pairLocked(context, caller, mandate.agentId);
    return stranger(locked ?? { ...checked.fault, hints: await hintsFor(context, mandate) });
  }
  const { proven, signer, retired } = checked;
  caller.provenAs = "spending";
  const source = caller.networks[0];
  const asked = { site, mandate, proven, requestId, admitted: signer.active, source };
  const commit = (place: MandatePlace) =>
    context.audit.commit<Made["answer"]>(siteKeyHash, (tx) =>
      inTransaction(context, tx, asked, { call, retired, place }),
    );
  const { answer } = await withPlace(context, siteKeyHash, signer, commit, usesPlace);
  if ("paying" in answer) return paid(context, answer.paying, answer.replayed);
  return answer;
}
