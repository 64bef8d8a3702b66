import type { JsonObject } from "@gatehouse/protocol";
import type { Decision } from "../../src/domain/decisions/decision.ts";
import { insertDecision, moveDecision } from "../../src/domain/decisions/store.ts";
import { insertReview, writeReviewEnd } from "../../src/domain/reviews/store.ts";
import type { Database, NewRow, Transaction } from "../../src/infra/db/database.ts";
import { HOUR_MS } from "../../src/infra/time.ts";

/** What became of a past mandate. */
export type Fate =
  | "approved"
  | "rejected"
  | "pending"
  | "reviewed"
  | "denied"
  | "declined"
  | "unasked";

export interface Past {
  readonly at: number;
  /** Distinct, and the order of those of one moment. */
  readonly place: number;
  readonly actorId: string;
  readonly amount: { readonly minor: number; readonly currency: string } | null;
  readonly fate: Fate;
  /** When a person decided, where one did. */
  readonly decidedAt: number;
}

const ANSWER = { status: 200, body: {} };

/** What the rules said of it. */
export function saidOf(fate: Fate): "approved" | "escalated" | "rejected" {
  if (fate === "approved" || fate === "declined") return "approved";
  return ["pending", "reviewed", "denied"].includes(fate) ? "escalated" : "rejected";
}

export function decisionOf(siteKeyHash: string, past: Past): Decision {
  const id = `${siteKeyHash}-${String(past.place).padStart(6, "0")}`;
  const { actorId, amount, fate, at: evaluatedAt } = past;
  const skill = amount === null ? "get_pricing" : "place_order";
  return {
    decisionId: `dec-${id}`,
    siteKeyHash,
    actorId,
    mandateId: `man-${id}`,
    digest: "",
    identity: actorId,
    pooled: false,
    skill,
    protocol: "a2a",
    amount,
    outcome: saidOf(fate),
    reason: null,
    ruleId: null,
    rulesEvaluated: 1,
    policyVersion: fate === "unasked" ? null : 1,
    recordId: `rec-${id}`,
    evaluatedAt,
    answer: ANSWER,
    spentAt: amount !== null && saidOf(fate) === "approved" ? evaluatedAt : null,
  };
}

export function factsOf({ actorId, amount }: Past): JsonObject {
  return {
    skill: amount === null ? "get_pricing" : "place_order",
    protocol: "a2a",
    ...(amount === null ? {} : { cart: { total: amount.minor, currency: amount.currency } }),
    agent: { id: actorId, tags: [], age_days: 1 },
  };
}

async function review(tx: Transaction, decision: Decision, { fate, decidedAt }: Past) {
  const { decisionId, siteKeyHash, actorId, mandateId, recordId, evaluatedAt } = decision;
  const pending = {
    escalationId: `esc-${decisionId}`,
    siteKeyHash,
    decisionId,
    actorId,
    mandateId,
    identity: actorId,
    pooled: false,
    status: "pending" as const,
    ruleId: "ask",
    request: {} as never,
    sealedToken: null,
    recordId,
    approvalsNeeded: 1,
    approvedBy: [],
    createdAt: evaluatedAt,
    expiresAt: decidedAt + 1,
    decidedAt: null,
    decidedBy: null,
    reasonCode: null,
    note: null,
    decidedRecordId: null,
  };
  await insertReview(tx, pending);
  if (fate === "pending") return;
  const status = fate === "reviewed" ? "approved" : "denied";
  await writeReviewEnd(tx, { ...pending, status, decidedAt });
  const outcome = fate === "reviewed" ? "approved" : "rejected";
  await moveDecision(tx, decision, { outcome, reason: null, answer: ANSWER }, decidedAt);
}

async function writeRecords(tx: Transaction, siteKeyHash: string, all: readonly Past[]) {
  const chain = `${siteKeyHash}/audit/1`;
  await tx.insert("audit_chains", [
    {
      chain,
      site_key_hash: siteKeyHash,
      host: siteKeyHash,
      epoch: 1,
      ordinal: 1,
      state: "open",
      size: all.length,
      frontier: "",
      last_hash: "",
      recorded_at: 0,
      key_id: "",
      opened_at: 0,
    },
  ]);
  const rows = all.map((past, seq): NewRow => {
    const { recordId: record_id } = decisionOf(siteKeyHash, past);
    const said = { outcome: saidOf(past.fate), facts: factsOf(past) };
    return {
      chain,
      seq,
      prev_hash: `${seq}`,
      record_id,
      type: "mandate.decision",
      recorded_at: past.at,
      text: JSON.stringify({ decision: said }),
      hash: "",
      sig: "",
      key_id: "",
      closed: "",
    };
  });
  await tx.insert("audit_records", rows);
}

/** Writes what was decided as the service writes it, but without mandates. */
export async function writePast(
  db: Database,
  siteKeyHash: string,
  all: readonly Past[],
): Promise<void> {
  await db.transaction(async (tx) => {
    for (const past of all) {
      const decision = decisionOf(siteKeyHash, past);
      await insertDecision(tx, decision);
      if (decision.outcome === "escalated") await review(tx, decision, past);
      if (past.fate !== "declined") continue;
      const reason = "payment_declined";
      const ended = { outcome: "rejected", reason, answer: ANSWER } as const;
      await moveDecision(tx, decision, ended, decision.evaluatedAt);
    }
    await writeRecords(tx, siteKeyHash, all);
  });
}

/** Writes many decisions at once that spend nothing. */
export async function writeMany(
  db: Database,
  siteKeyHash: string,
  all: readonly Past[],
): Promise<void> {
  const hours = new Map<string, { site_key_hash: string; hour: number; decisions: number }>();
  const rows = all.map((past): NewRow => {
    const one = decisionOf(siteKeyHash, past);
    const hour = past.at - (past.at % HOUR_MS);
    const key = `${hour} ${past.actorId}`;
    const decisions = (hours.get(key)?.decisions ?? 0) + 1;
    const counted = { actor_id: past.actorId, currency: "", minor: 0, decisions };
    hours.set(key, { site_key_hash: siteKeyHash, hour, ...counted });
    return {
      decision_id: one.decisionId,
      site_key_hash: siteKeyHash,
      actor_id: one.actorId,
      identity: one.identity,
      mandate_id: one.mandateId,
      digest: "",
      skill: one.skill,
      protocol: one.protocol,
      outcome: one.outcome,
      rules_evaluated: 1,
      policy_version: one.policyVersion,
      record_id: one.recordId,
      evaluated_at: one.evaluatedAt,
      answer: "{}",
    };
  });
  await db.transaction(async (tx) => {
    await tx.insert("decisions", rows);
    await tx.insert("decision_hours", [...hours.values()]);
    await writeRecords(tx, siteKeyHash, all);
  });
}
