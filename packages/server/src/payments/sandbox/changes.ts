import type { Transaction } from "../../infra/db/database.js";
import type { Attempt, ChangeAnswer, ChangeRequest } from "../provider.js";
import {
  capturedLeft,
  endAuthorization,
  insertReturn,
  lockAuthorization,
  returnsOf,
  type SandboxRow,
  sandboxByKey,
} from "./store.js";

const failed = (reason: string): ChangeAnswer => ({ outcome: "failed", reason });
const DONE: ChangeAnswer = { outcome: "done" };

/** A refund that was asked for here has the name of its change, so that asking twice refunds once. */
const returnOfChange = (changeId: string) => `re_${changeId}`;

/** The change that a refund was asked for by; null if it was simulated as made at the provider. */
export function changeOfReturn(returnId: string): string | null {
  return /^re_(chg_.+)$/.exec(returnId)?.[1] ?? null;
}

async function locked(tx: Transaction, attempt: Attempt): Promise<SandboxRow | undefined> {
  const row = await sandboxByKey(tx, attempt.siteKeyHash, attempt.idempotencyKey);
  return row && lockAuthorization(tx, row.reference);
}

export async function captureSandbox(
  tx: Transaction,
  attempt: Attempt,
  { amount: { minor } }: ChangeRequest,
): Promise<ChangeAnswer> {
  const row = await locked(tx, attempt);
  if (row === undefined) return failed("payment_not_found");
  if (row.status === "captured" && row.capturedMinor === minor) return DONE;
  if (row.status !== "authorized") return failed(row.status);
  if (minor > row.amount.minor) return failed("amount_too_large");
  await endAuthorization(tx, row.reference, { status: "captured", capturedMinor: minor });
  return DONE;
}

export async function refundSandbox(
  tx: Transaction,
  attempt: Attempt,
  { changeId, amount: { minor } }: ChangeRequest,
  now: number,
): Promise<ChangeAnswer> {
  const row = await locked(tx, attempt);
  if (row === undefined) return failed("payment_not_found");
  const { reference } = row;
  const returnId = returnOfChange(changeId);
  const before = await returnsOf(tx, reference);
  if (before.some((one) => one.returnId === returnId)) return DONE;
  if (row.status !== "captured") return failed(row.status);
  if (minor > (await capturedLeft(tx, row))) return failed("amount_too_large");
  const refund = { returnId, reference, amountMinor: minor, createdAt: now } as const;
  await insertReturn(tx, { ...refund, kind: "refund", status: "completed" });
  return DONE;
}
