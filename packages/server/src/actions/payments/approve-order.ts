import { hash } from "node:crypto";
import {
  COMPLETE_CHECKOUT,
  type JsonObject,
  type Money,
  REASONS,
  type ReasonCode,
} from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Agent } from "../../domain/agents/agent.js";
import type { RecordDraft } from "../../domain/audit/drafts.js";
import { decisionOfMandate } from "../../domain/decisions/store.js";
import type { ProviderAccount } from "../../domain/payments/accounts/store.js";
import { policyInForce } from "../../domain/policies/store.js";
import { siteByHash } from "../../domain/sites/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { moneyOfStripe } from "../../payments/stripe/amounts.js";
import { commitDecision } from "../../purchase/commit.js";
import { evaluate } from "../../purchase/evaluate.js";
import type { PurchaseRequest } from "../../purchase/request.js";
import type { WebhookCall } from "./stripe-webhook.js";

/** Stripe waits four seconds and then declines. A later decision would have no effect. */
const APPROVAL_MS_MAX = 2500;

/** The actor in rules and records: an agent's checkout at the payment provider. */
const ACTOR = "stripe";
const PROTOCOL = "acp";

export type ApprovalAnswer =
  | { readonly approved: true }
  | { readonly approved: false; readonly reason: ReasonCode };

const declined = (reason: ReasonCode): ApprovalAnswer => ({ approved: false, reason });

/** The amount to pay; undefined if the call does not give it in whole minor units. */
function amountOf(data: unknown): Money | undefined {
  const { amount_total: total, currency } = (data ?? {}) as Record<string, unknown>;
  if (typeof total !== "number" || typeof currency !== "string") return undefined;
  return moneyOfStripe(total, currency);
}

/** The account as rules see an agent. */
function actorOf({ siteKeyHash, connectedAt }: ProviderAccount): Agent {
  return {
    agentId: ACTOR,
    identity: ACTOR,
    siteKeyHash,
    name: "Stripe",
    contact: null,
    operatorUrl: null,
    keySource: null,
    source: "admin",
    status: "active",
    scopes: null,
    requestedScopes: [],
    tags: [],
    createdBy: ACTOR,
    createdAt: connectedAt,
    changedBy: null,
    changedAt: null,
    expiresAt: null,
  };
}

/**
 * The id of an order: its checkout session, or else the call, with a digest of everything in the call. Two
 * buyers may want the same, so an order that is not certainly the same counts as another. A new policy
 * decides again.
 */
function orderName({ id, data }: WebhookCall["body"], policyVersion: number): string {
  const { checkout_session: session } = (data ?? {}) as Record<string, unknown>;
  const orderId = typeof session === "string" ? session : id;
  const all = JSON.stringify([orderId, data ?? null]);
  return `approval-${hash("sha256", all, "hex")}-${policyVersion}`;
}

interface Approved {
  readonly records: readonly RecordDraft[];
  readonly answer: ApprovalAnswer;
}

async function decideApproval(
  context: Context,
  tx: Transaction,
  { siteKeyHash, accounts, body }: WebhookCall,
  now: number,
): Promise<Approved> {
  const none = (reason: ReasonCode): Approved => ({ records: [], answer: declined(reason) });
  const site = await siteByHash(tx, siteKeyHash);
  // A disconnected account gets no new approvals.
  const account = accounts.find(({ endedAt }) => endedAt === null);
  const policy = await policyInForce(tx, siteKeyHash);
  if (site?.status !== "verified" || policy === undefined) return none("mandates_disabled");
  if (account === undefined || site.provider?.kind !== "stripe") return none("mandates_disabled");
  // Also for an order that was approved before: Stripe has not authorized it yet and must not do so now.
  if (site.pausedAt !== null) return none("site_paused");
  const amount = amountOf(body.data);
  if (amount === undefined) return none("cart_invalid");
  // For the same reason, earlier approvals are not repeated while the clock is wrong.
  await context.clockGuard.require(tx, now);
  const mandateId = orderName(body, policy.version);
  const earlier = await decisionOfMandate(tx, siteKeyHash, ACTOR, mandateId);
  if (earlier !== undefined) {
    const { outcome, reason } = earlier;
    return outcome === "approved"
      ? { records: [], answer: { approved: true } }
      : none((reason ?? "policy_denied") as ReasonCode);
  }
  const question = {
    siteKeyHash,
    agent: actorOf(account),
    identity: { id: ACTOR, standing: "agent", knownSince: account.connectedAt } as const,
    skill: COMPLETE_CHECKOUT,
    protocol: PROTOCOL,
    amount,
    buyerPresent: false,
    now,
  };
  const evaluated = await evaluate(context, tx, question);
  // There is no time to ask a reviewer: a request that needs one is declined.
  const approved = evaluated.outcome === "approved";
  const reason = approved ? null : (evaluated.reason ?? "policy_denied");
  const verdict = { ...evaluated, outcome: approved ? "approved" : "rejected", reason } as const;
  const answer: ApprovalAnswer = reason === null ? { approved: true } : declined(reason);
  const request: PurchaseRequest = {
    ...question,
    kind: "order_approval",
    site,
    mandateId,
    digest: mandateId,
    kid: null,
    recordedRequest: { agent: { id: ACTOR }, protocol: PROTOCOL, skill: COMPLETE_CHECKOUT },
    recordedDetails: { approval: approvalMember(answer, body.id) },
  };
  const { records } = await commitDecision(context, tx, request, verdict);
  return { records, answer };
}

function approvalMember(answer: ApprovalAnswer, callId: string): JsonObject {
  if (answer.approved) return { outcome: "approved", call_id: callId };
  return { outcome: "declined", reason: answer.reason, call_id: callId };
}

/**
 * Approves or declines an order that the owner's payment provider is about to charge. An order that cannot be
 * decided in time is declined.
 */
export async function approveOrder(context: Context, call: WebhookCall): Promise<ApprovalAnswer> {
  const { audit, clock, log } = context;
  const deadline = clock.now() + APPROVAL_MS_MAX;
  let cancel = () => {};
  const late = new Promise<ApprovalAnswer>((resolve) => {
    cancel = clock.after(APPROVAL_MS_MAX, () => resolve(declined("unavailable")));
  });
  const decided = audit
    .commit<ApprovalAnswer>(call.siteKeyHash, async (tx) => {
      const now = clock.now();
      // Stripe has got its answer, so the order must not be approved any more.
      if (now >= deadline) return { records: [], answer: declined("unavailable") };
      const result = await decideApproval(context, tx, call, now);
      if (clock.now() >= deadline) throw new Error("the order was decided too late");
      return result;
    })
    .then(({ answer }) => answer)
    .catch((error: unknown) => {
      log.error({ error }, "hooks.approval_failed");
      return declined("unavailable");
    });
  try {
    return await Promise.race([decided, late]);
  } finally {
    cancel();
  }
}

/** The answer in Stripe's form. */
export function approvalBody(answer: ApprovalAnswer): JsonObject {
  if (answer.approved) return { manual_approval_details: { type: "approved" } };
  const { message } = REASONS[answer.reason];
  return { manual_approval_details: { type: "declined", declined: { reason: message } } };
}
