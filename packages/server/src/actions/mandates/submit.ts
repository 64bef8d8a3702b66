import {
  type JsonValue,
  type Mandate,
  readMandate,
  sha256,
  taggedBytes,
  toBase64url,
  toHex,
} from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Agent } from "../../domain/agents/agent.js";
import {
  type Decision,
  mayDecideAgain,
  type StoredAnswer,
} from "../../domain/decisions/decision.js";
import { decisionById, decisionOfMandate, readOfMandate } from "../../domain/decisions/store.js";
import { declineWait } from "../../domain/declines/caller.js";
import { reviewOfDecision } from "../../domain/reviews/store.js";
import { readOfShopConnection } from "../../domain/shop-connections/store.js";
import type { Site } from "../../domain/sites/site.js";
import { readOfSite, reloadSite } from "../../domain/sites/store.js";
import type { Transaction } from "../../infra/db/database.js";
import type { Sender } from "../../infra/networks.js";
import { commitDecision } from "../../purchase/commit.js";
import { evaluate, questionOf, readsOfRules } from "../../purchase/evaluate.js";
import { readsOfOrder } from "../../purchase/prices.js";
import type { PurchasePayment } from "../../purchase/request.js";
import { paymentEnded, settlePayment } from "../../purchase/settle.js";
import { withShopQuotes } from "../../purchase/shop-quote.js";
import { withCallRecord } from "../mcp/record-call.js";
import { takeSignedQuestion } from "../questions/take-signed-question.js";
import { expireIfLate } from "../reviews/decide-review.js";
import {
  admitMandate,
  isForCall,
  proveMandate,
  type RateShare,
  readsOfAdmission,
  withRateShare,
} from "./admit.js";
import { RETIRED, REVOKED } from "./agent-standing.js";
import type { MandateSite } from "./find-site.js";
import { countIfFailed, mandateRejection, refuseProven } from "./refuse.js";
import { replayDeleted } from "./replay-deleted.js";
import { declaredAmount, mandateRequest } from "./request.js";
import type {
  MandateCall,
  MandateCommit,
  MandateFault,
  Paying,
  ProvenMandate,
  Submission,
  Submitted,
} from "./submission.js";

/**
 * Why the agent has to wait after declined payments; undefined if it need not. Nothing is stored for the
 * mandate_id, so the same bytes may be approved after the wait.
 */
async function declineFault(
  context: Context,
  tx: Transaction,
  { siteKeyHash }: Site,
  payment: PurchasePayment,
): Promise<{ readonly fault: MandateFault; count(): void } | undefined> {
  const wait = await declineWait(context, tx, siteKeyHash, payment);
  if (wait === undefined) return undefined;
  const { kind, retryAfterS, message } = wait;
  // A wait of an instrument or buyer does not stop the agent; a wait of the agent does.
  const reason = kind === "identity" ? "agent_temporarily_locked" : "payment_declined";
  const reasonCode = kind === "identity" ? "payments_declined" : `${kind}_declined`;
  const fault = { reason, message, retryAfterS, reasonCode, specific: reasonCode } as const;
  const refusals = context.metrics.counter("gatehouse_decline_refusals_total");
  return { fault, count: () => refusals({ kind }) };
}

/** Claims an admitted mandate and decides it. Everything is written in one transaction, or nothing is. */
async function decideMandate(
  context: Context,
  tx: Transaction,
  provenMandate: ProvenMandate,
  agent: Agent,
  earlier: Decision | undefined,
): Promise<MandateCommit> {
  const { site, now } = provenMandate;
  const { request, rejection } = await mandateRequest(context, tx, provenMandate, agent);
  const verdict = rejection ?? (await evaluate(context, tx, questionOf(request)));
  if (request.payment !== undefined && verdict.outcome !== "rejected") {
    const declined = await declineFault(context, tx, site, request.payment);
    if (declined !== undefined) {
      const refusal = await refuseProven(context, tx, declined.fault, provenMandate);
      const after = () => {
        refusal.after?.();
        declined.count();
      };
      return { ...refusal, after };
    }
  }
  const { records, answer, decisionId, payment } = await commitDecision(
    context,
    tx,
    request,
    verdict,
    earlier,
  );
  if (verdict.outcome === "rejected") await countIfFailed(tx, provenMandate, verdict.reason, now);
  if (payment !== undefined) {
    return { records, answer: { kind: "paying", decisionId, payment, replayed: false } };
  }
  return { records, answer: { kind: "answered", answer, replayed: false } };
}

/** Repeats the answer to a mandate that was decided before. */
async function replay(
  context: Context,
  tx: Transaction,
  { site, now }: ProvenMandate,
  decision: NonNullable<Awaited<ReturnType<typeof decisionOfMandate>>>,
): Promise<MandateCommit> {
  const { decisionId, outcome } = decision;
  const review = await reviewOfDecision(tx, site.siteKeyHash, decisionId);
  const late = await expireIfLate(context, tx, review, now);
  // While an approved review is being paid, the agent keeps its earlier answer.
  if (outcome === "paying" && review === undefined) {
    return { records: [], answer: { kind: "paying", decisionId, replayed: true } };
  }
  const { answer, records } = late ?? { answer: decision.answer, records: [] };
  return { records, answer: { kind: "answered", answer, replayed: true } };
}

interface SubmittedAs {
  readonly call: MandateCall | undefined;
  readonly retired: boolean;
  readonly share: RateShare;
  readonly now: number;
}

/** Replays, refuses or decides a mandate in its transaction. */
async function decideOrReplay(
  context: Context,
  tx: Transaction,
  received: Omit<ProvenMandate, "now">,
  { call, retired, share, now }: SubmittedAs,
): Promise<MandateCommit> {
  const { mandate, proven, requestId, admitted: wasActive, source } = received;
  const site = await reloadSite(tx, received.site);
  if (site === undefined) {
    return { records: [], answer: { kind: "refused", fault: { reason: "site_not_found" } } };
  }
  const provenMandate = { site, mandate, proven, requestId, admitted: wasActive, source, now };
  const refuse = (fault: MandateFault) => refuseProven(context, tx, fault, provenMandate);
  if (!isForCall(mandate, call)) return refuse({ reason: "arguments_mismatch" });
  const { agentId, mandateId } = proven;
  const earlier = await decisionOfMandate(tx, site.siteKeyHash, agentId, mandateId);
  const isSame = earlier?.digest === proven.digest;
  if (earlier !== undefined && isSame && !mayDecideAgain(earlier)) {
    return replay(context, tx, provenMandate, earlier);
  }
  if (retired) return refuse({ reason: "identity_check_failed", specific: RETIRED });
  if (earlier !== undefined && !isSame) return refuse({ reason: "mandate_id_conflict" });
  if (site.status !== "verified") return refuse({ reason: "mandates_disabled" });
  const admitted = await admitMandate(context, tx, { site, mandate, share, now });
  if (!admitted.ok) return refuse(admitted.fault);
  return decideMandate(context, tx, provenMandate, admitted.agent, earlier);
}

/** Only a claimed mandate counts: not a repeated answer, and not an earlier refusal. */
function usesRate({ answer }: Pick<MandateCommit, "answer">): boolean {
  if (answer.kind === "refused") return answer.fault.reason === "scope_not_granted";
  return !answer.replayed;
}

/** The answer to a decision once its payment has ended, in whichever process it is settled. */
async function settled(context: Context, paying: Paying): Promise<Submitted> {
  const { decisionId, payment, replayed, callRecorded } = paying;
  const ended = payment && (await settlePayment(context, payment));
  if (ended?.status === "authorized") {
    return { kind: "answered", answer: ended.answer as StoredAnswer, replayed, callRecorded };
  }
  if (payment === undefined) await paymentEnded(context, decisionId);
  const decision = await decisionById(context.db, decisionId);
  if (decision === undefined)
    return { kind: "refused", fault: { reason: "site_not_found" }, callRecorded };
  return { kind: "answered", answer: decision.answer, replayed, callRecorded };
}

/** In development mode, the bytes that the signature should cover. */
async function hintsFor({ config }: Context, { signed }: Mandate) {
  if (config.mode !== "development") return undefined;
  const bytes = taggedBytes("mandate", signed);
  return { expected_bytes: toBase64url(bytes), expected_sha256: toHex(await sha256(bytes)) };
}

/** An address that failed to prove an agent too often has to wait for that agent; others do not. */
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
  const refused = (reason: MandateFault): Submitted => ({ kind: "refused", fault: reason });
  context.admission.failProof(caller);
  // Strangers leave no record in the log of a site whose domain is not verified.
  if (status !== "verified") {
    return refused(fault.specific === REVOKED ? fault : { reason: "mandates_disabled" });
  }
  if (!mayRefuse()) return refused({ reason: "rate_limited" });
  const now = context.clock.now();
  await context.rejections.record(mandateRejection({ siteKeyHash }, fault, { requestId }, now));
  return refused(fault);
}

/**
 * A mandate from the wire to its answer, in the order of decisions 6. What fails before a valid signature
 * is charged to the sender; what fails after it, to the agent.
 */
export async function submitMandate(
  context: Context,
  to: MandateSite,
  body: JsonValue,
  { call, ...submission }: Submission,
): Promise<Submitted> {
  // A decided mandate gets its first answer, even if the site has changed since.
  if (to.kind === "deleted") return replayDeleted(context, to.siteKeyHash, body, call);
  const { site } = to;
  const { siteKeyHash } = site;
  const { requestId, caller } = submission;
  const stranger = (fault: MandateFault) => refuseUnproven(context, site, fault, submission);
  const read = readMandate(body, Object.keys(context.providers));
  if (!read.ok) {
    const { reason, detail } = read;
    if (reason !== "protocol_unsupported") return stranger({ reason, message: `${detail}.` });
    return stranger({ reason: "identity_check_failed", specific: reason });
  }
  const mandate = read.value;
  const checked = await proveMandate(context, site, mandate);
  if (!checked.ok) {
    const locked = pairLocked(context, caller, mandate.agentId);
    return stranger(locked ?? { ...checked.fault, hints: await hintsFor(context, mandate) });
  }
  const { proven, signer, retired } = checked;
  caller.provenAs = "spending";
  const source = caller.networks[0];
  const received = { site, mandate, proven, requestId, admitted: signer.active, source };
  const { agentId, kid, mandateId } = proven;
  const { identity } = signer;
  const currency = declaredAmount(mandate)?.currency;
  const reads = (now: number) => [
    readOfMandate(siteKeyHash, agentId, mandateId),
    readOfSite(siteKeyHash),
    ...readsOfAdmission(siteKeyHash, { agentId, kid, identity }),
    ...readsOfRules(context, { siteKeyHash, identity: { id: identity }, now }, currency),
    ...(mandate.payment === undefined ? [] : readsOfOrder(siteKeyHash, mandate.arguments)),
    ...(mandate.payment === undefined ? [] : [readOfShopConnection(siteKeyHash)]),
  ];
  const decide = async (tx: Transaction, now: number, share: RateShare) => {
    const result = await decideOrReplay(context, tx, received, { call, retired, share, now });
    const toolCall = call?.toolCall;
    return toolCall === undefined ? result : withCallRecord(context, tx, result, toolCall);
  };
  const commit = (share: RateShare) =>
    withShopQuotes(context, () =>
      context.audit.commit<MandateCommit["answer"]>(
        siteKeyHash,
        (tx, now) => decide(tx, now, share),
        reads,
      ),
    );
  const { answer } = await withRateShare(context, siteKeyHash, signer, commit, usesRate);
  takeSignedQuestion(context, { siteKeyHash, mandate, caller }, answer);
  return answer.kind === "paying" ? settled(context, answer) : answer;
}
