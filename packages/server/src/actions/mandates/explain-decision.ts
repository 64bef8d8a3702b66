import { isJsonObject, type JsonObject, type JsonValue } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Decision } from "../../domain/decisions/decision.js";
import { decisionById } from "../../domain/decisions/store.js";
import { orderOfDecision } from "../../domain/orders/store.js";
import { type PaymentState, paymentOfDecision } from "../../domain/payments/store.js";
import { reviewOfDecision } from "../../domain/reviews/store.js";

/** A decision with everything that led to it, and what it led to. */
export interface ExplainedDecision {
  readonly decision: Decision;
  readonly reasonCodes: readonly string[];
  /** What the rules knew. */
  readonly facts: JsonObject;
  /** What became of every rule, in the policy's order. */
  readonly rules: readonly { readonly id: string; readonly result: string }[];
  /** The key it was signed with and the bytes that were; null where no mandate was signed. */
  readonly signature: { readonly keyId: string; readonly digest: string } | null;
  readonly payment: PaymentState | undefined;
  readonly orderId: string | null;
  readonly escalationId: string | null;
}

const listOf = (value: JsonValue | undefined) => (Array.isArray(value) ? value : []);

/** Which signature stands behind a record: that of an agent, over its mandate. */
function signatureOf({ agent, mandate }: JsonObject): ExplainedDecision["signature"] {
  const keyId = isJsonObject(agent) ? agent.key_thumbprint : undefined;
  const digest = isJsonObject(mandate) ? mandate.digest : undefined;
  return typeof keyId === "string" && typeof digest === "string" ? { keyId, digest } : null;
}

/** What a record says of its decision. */
function traceOf(text: string | undefined) {
  const record = text === undefined ? {} : (JSON.parse(text) as JsonObject);
  const said = isJsonObject(record.decision) ? record.decision : {};
  return {
    signature: signatureOf(record),
    reasonCodes: listOf(said.reason_codes).map(String),
    facts: isJsonObject(said.facts) ? said.facts : {},
    rules: listOf(said.rules).flatMap((rule) =>
      isJsonObject(rule) ? [{ id: String(rule.id), result: String(rule.result) }] : [],
    ),
  };
}

/** Says why something was decided as it was: from the record, which nobody can have changed. */
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
    orderId: (await orderOfDecision(db, decisionId))?.orderId ?? null,
    escalationId: review?.escalationId ?? null,
  };
}
