import { createHmac } from "node:crypto";
import type { Clock } from "../../infra/clock.js";
import type { Queries, Transaction } from "../../infra/db/database.js";
import type { Secrets } from "../../infra/secrets/secrets.js";
import type { CountedCaller } from "./decline.js";
import { countOpen } from "./store.js";
import { type CallerWait, callerWait } from "./waits.js";

/** The caller that requests a payment. */
export interface PaymentCaller {
  /** The identity that its declined payments count for. */
  readonly identity: string;
  /** Whether the owner has admitted it. */
  readonly admitted: boolean;
  /** The address it called from, as limits name it; null where a person approved a review. */
  readonly source: string | null;
  /** The buyer's mail address, where it is known. */
  readonly buyer: string | null;
}

/** Identifies a payment's instrument without storing it. */
function instrumentMac(secrets: Secrets, siteKeyHash: string, token: string): string {
  const key = secrets.keyFor(`payment tokens of ${siteKeyHash}`);
  return createHmac("sha256", key).update(token).digest("hex");
}

/** A caller as its declined payments are counted. Data about a person is stored only as a MAC. */
export function countedCaller(
  secrets: Secrets,
  siteKeyHash: string,
  { identity, admitted, source, buyer }: PaymentCaller,
  token: string,
): CountedCaller {
  const key = secrets.keyFor(`declines of ${siteKeyHash}`);
  const macOf = (kind: string, text: string | null) =>
    text === null ? null : createHmac("sha256", key).update(`${kind} ${text}`).digest("hex");
  return {
    siteKeyHash,
    identity,
    admitted,
    addressMac: macOf("address", source),
    instrumentMac: instrumentMac(secrets, siteKeyHash, token),
    buyerMac: macOf("buyer", buyer?.trim().toLowerCase() ?? null),
  };
}

/** The number of payments of an identity at an address that have begun since then and have no outcome. */
export function openPayments(
  secrets: Secrets,
  tx: Queries,
  siteKeyHash: string,
  caller: PaymentCaller,
  since: number,
): Promise<number> {
  const { identity, addressMac } = countedCaller(secrets, siteKeyHash, caller, "");
  return countOpen(tx, { siteKeyHash, identity, addressMac: addressMac ?? "" }, since);
}

/** Why a payment may not be requested now, as callers read it. */
export interface DeclineWait {
  readonly kind: CallerWait["kind"];
  readonly retryAfterS: number;
  readonly message: string;
}

const OFTEN = "Too many payments were declined. Wait for the time in Retry-After.";
const OTHER = "This payment method was declined too often. Use another one, or try again later.";
const MESSAGES: Readonly<Record<CallerWait["kind"], string>> = {
  identity: OFTEN,
  address: OFTEN,
  instrument: OTHER,
  buyer: OTHER,
  under_way: "Too many payments are in progress. Wait for the time in Retry-After.",
};

/** Whether a caller has to wait after declined payments; read in the decision's transaction. */
export async function declineWait(
  { secrets, clock }: { readonly secrets: Secrets; readonly clock: Clock },
  tx: Transaction,
  siteKeyHash: string,
  { caller, token }: { readonly caller: PaymentCaller; readonly token: string | null },
): Promise<DeclineWait | undefined> {
  const now = clock.now();
  const counted = countedCaller(secrets, siteKeyHash, caller, token ?? "");
  const waiting = await callerWait(tx, counted, now);
  if (waiting === undefined) return undefined;
  const { kind, until } = waiting;
  return { kind, retryAfterS: Math.ceil((until - now) / 1000), message: MESSAGES[kind] };
}
