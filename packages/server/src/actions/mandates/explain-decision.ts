import { isJsonObject, type JsonObject, type JsonValue } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Decision } from "../../domain/decisions/decision.js";
import { decisionById } from "../../domain/decisions/store.js";
import type { Order } from "../../domain/orders/order.js";
import { orderOfDecision } from "../../domain/orders/store.js";
import { type PaymentState, paymentOfDecision } from "../../domain/payments/store.js";
import { reviewOfDecision } from "../../domain/reviews/store.js";

/** A decision with everything that led to it, and what it led to. */
export interface ExplainedDecision {
  readonly decision: Decision;
  readonly reasonCodes: readonly string[];
  /** The facts that the rules used. */
  readonly facts: JsonObject;
  /** The result of every rule, in the policy's order. */
  readonly rules: readonly { readonly id: string; readonly result: string }[];
  /** The key, and the digest of the signed bytes; null if there was no mandate. */
  readonly signature: { readonly keyId: string; readonly digest: string } | null;
  readonly payment: PaymentState | undefined;
  readonly order: Order | undefined;
  readonly escalationId: string | null;
}

const listOf = (value: JsonValue | undefined) => (Array.isArray(value) ? value : []);

function signatureOf({ agent, mandate }: JsonObject): ExplainedDecision["signature"] {
  const keyId = isJsonObject(agent) ? agent.key_thumbprint : undefined;
  const digest = isJsonObject(mandate) ? mandate.digest : undefined;
  return typeof keyId === "string" && typeof digest === "string" ? { keyId, digest } : null;
}

function traceOf(text: string | undefined) {
  const record = text === undefined ? {} : (JSON.parse(text) as JsonObject);
  const decision = isJsonObject(record.decision) ? record.decision : {};
  return {
    signature: signatureOf(record),
    reasonCodes: listOf(decision.reason_codes).map(String),
    facts: isJsonObject(decision.facts) ? decision.facts : {},
    rules: listOf(decision.rules).flatMap((rule) =>
      isJsonObject(rule) ? [{ id: String(rule.id), result: String(rule.result) }] : [],
    ),
  };
}

/** Explains a decision from its record, which nobody can have changed. */
export async function explainDecision(
  { audit, db }: Context,
  siteKeyHash: string,
  decisionId: string,
): Promise<ExplainedDecision | undefined> {
  const decision = await decisionById(db, decisionId);
  if (decision?.siteKeyHash !== siteKeyHash) return undefined;
  const stored = await audit.reader.recordById(siteKeyHash, decision.recordId);
  const review = await reviewOfDecision(db, siteKeyHash, decisionId);
  return {
    decision,
    ...traceOf(stored?.text),
    payment: await paymentOfDecision(db, decisionId),
    order: await orderOfDecision(db, decisionId),
    escalationId: review?.escalationId ?? null,
  };
}
