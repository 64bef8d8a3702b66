import { createHash } from "node:crypto";
import type { Money } from "@gatehouse/protocol";
import type { Clock } from "../../infra/clock.js";
import { type Database, DatabaseConflictError } from "../../infra/db/database.js";
import type { Ids } from "../../infra/ids.js";
import { MINUTE_MS } from "../../infra/time.js";
import type {
  Attempt,
  AuthorizationRequest,
  AuthorizationState,
  PaymentProvider,
  ProviderAnswer,
  Released,
  Returned,
} from "../provider.js";
import { returnsOf } from "./returns/store.js";
import {
  endProcessing,
  insertSandbox,
  releaseSandbox,
  type SandboxRow,
  sandboxByKey,
} from "./store.js";

/** The least and the most it authorizes, in minor units: a provider has such limits. */
const AMOUNT_MINOR_MIN = 1;
const AMOUNT_MINOR_MAX = 99_999_999;

type Verdict =
  | { readonly status: "authorized" }
  | { readonly status: "challenged"; readonly reason: string }
  | { readonly status: "declined" | "processing" | "silent"; readonly reason: string };

/** How long `processing` lasts before it turns out well. */
const PROCESSING_MS = MINUTE_MS;

const AUTHORIZED: Verdict = { status: "authorized" };
const declined = (reason: string): Verdict => ({ status: "declined", reason });

/** Cards that pay: `pm_card_visa`, `tok_visa` and their like. */
const BRANDS = [
  "visa",
  "visa_debit",
  "mastercard",
  "mastercard_debit",
  "mastercard_prepaid",
  "amex",
  "discover",
  "diners",
  "jcb",
  "unionpay",
];

/** Stripe's names of cards that are declined, behind `pm_card_` and `tok_`. */
const DECLINES: Readonly<Record<string, string>> = {
  chargeDeclined: "card_declined",
  chargeDeclinedInsufficientFunds: "insufficient_funds",
  chargeDeclinedLostCard: "lost_card",
  chargeDeclinedStolenCard: "stolen_card",
  chargeDeclinedFraudulent: "fraudulent",
  chargeDeclinedExpiredCard: "expired_card",
  chargeDeclinedIncorrectCvc: "incorrect_cvc",
  chargeDeclinedProcessingError: "processing_error",
  chargeDeclinedVelocityLimitExceeded: "card_velocity_exceeded",
};

const AUTHENTICATION = new Set([
  "authenticationRequired",
  "authenticationRequiredOnSetup",
  "threeDSecureRequired",
  "threeDSecure2Required",
  "authenticationRequiredChargeDeclinedInsufficientFunds",
]);

const CHALLENGED: Verdict = { status: "challenged", reason: "requires_action" };

/** What a test token does. Unknown ones are declined: a typing error must not look like a sale. */
function verdictOf(token: string, returnUrl: string | null): Verdict {
  const [, name = ""] =
    /^(?:pm_card|tok|pm_usBankAccount|pm_sandbox)_(\w{1,80})$/.exec(token) ?? [];
  if (BRANDS.includes(name)) return AUTHORIZED;
  const plain = name.replace(/^visa_/, "");
  if (Object.hasOwn(DECLINES, plain)) return declined(DECLINES[plain] as string);
  if (AUTHENTICATION.has(plain)) {
    // An agent has nobody to show a challenge to; a buyer with a page is sent there.
    return returnUrl === null ? declined("authentication_required") : CHALLENGED;
  }
  if (name === "processing") return { status: "processing", reason: "processing" };
  if (name === "timeout") return { status: "silent", reason: "timed_out" };
  return declined("unknown_token");
}

/** Where a buyer says yes or no to a payment, as they would to their bank. */
const sandboxChallengePath = (reference: string) => `/v1/sandbox/challenges/${reference}`;

function answerOf({ status, reference, reason }: SandboxRow): ProviderAnswer {
  if (status === "authorized" || status === "captured") {
    return { outcome: "authorized", reference, lapsesAt: null };
  }
  if (status === "declined" || status === "released" || status === "lapsed") {
    return { outcome: "declined", reason: reason ?? "released", reference };
  }
  return { outcome: "unknown", reason: reason ?? "processing", reference };
}

function capturedOf({ amount, capturedMinor }: SandboxRow): Money {
  return { currency: amount.currency, minor: capturedMinor ?? amount.minor };
}

interface SandboxTools {
  /** Where the service is to the world: its challenges are answered there. */
  readonly baseUrl: string;
  readonly db: Database;
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * The embedded provider: Stripe's test tokens, and books of its own that outlive a restart. No
 * money is behind it. Its rows are written apart from the transactions of a decision, as if it were
 * elsewhere: what holds with it holds with a real one.
 */
export class SandboxProvider implements PaymentProvider {
  readonly hasAccounts = false;
  private readonly baseUrl: string;
  private readonly db: Database;
  private readonly clock: Clock;
  private readonly ids: Ids;

  constructor({ baseUrl, db, clock, ids }: SandboxTools) {
    this.baseUrl = baseUrl;
    this.db = db;
    this.clock = clock;
    this.ids = ids;
  }

  /** It is part of this process. */
  async isReachable(): Promise<boolean> {
    return true;
  }

  async authorize(request: AuthorizationRequest): Promise<ProviderAnswer> {
    const { idempotencyKey, amount, token, siteKeyHash } = request;
    const digest = createHash("sha256")
      .update(JSON.stringify([siteKeyHash, amount.currency, amount.minor, token]))
      .digest("hex");
    const before = await sandboxByKey(this.db, siteKeyHash, idempotencyKey);
    if (before !== undefined) return this.again(before, digest);
    const fault = this.amountFault(amount);
    const verdict =
      fault === undefined ? verdictOf(token, request.returnUrl) : declined("amount_out_of_range");
    const row: SandboxRow = {
      idempotencyKey,
      siteKeyHash,
      requestDigest: digest,
      amount,
      reference: this.ids.id("sandbox"),
      status: verdict.status === "silent" ? "authorized" : verdict.status,
      reason: verdict.status === "authorized" ? null : verdict.reason,
      returnUrl: request.returnUrl,
      capturedMinor: null,
      createdAt: this.clock.now(),
    };
    try {
      await this.db.transaction((tx) => insertSandbox(tx, row));
    } catch (error) {
      if (!(error instanceof DatabaseConflictError)) throw error;
      const first = await sandboxByKey(this.db, siteKeyHash, idempotencyKey);
      if (first !== undefined) return this.again(first, digest);
      throw error;
    }
    // It was authorized and nobody was told: the case a shop must be able to try.
    if (verdict.status === "silent") return { outcome: "unknown", reason: "timed_out" };
    return this.answer(row);
  }

  private answer(row: SandboxRow): ProviderAnswer {
    const said = answerOf(row);
    if (row.status !== "challenged" || said.outcome !== "unknown") return said;
    return { ...said, challengeUrl: this.baseUrl + sandboxChallengePath(row.reference) };
  }

  private async again(row: SandboxRow, digest: string): Promise<ProviderAnswer> {
    const same = row.requestDigest === digest || row.status === "released";
    if (!same) return { outcome: "unknown", reason: "idempotency_conflict" };
    return this.answerNow(row);
  }

  private async answerNow(row: SandboxRow): Promise<ProviderAnswer> {
    const { siteKeyHash, idempotencyKey, status, createdAt } = row;
    if (status !== "processing" || this.clock.now() < createdAt + PROCESSING_MS) {
      return this.answer(row);
    }
    await this.db.transaction((tx) => endProcessing(tx, siteKeyHash, idempotencyKey));
    const ended = await sandboxByKey(this.db, siteKeyHash, idempotencyKey);
    return answerOf(ended ?? row);
  }

  async read({ siteKeyHash, idempotencyKey }: Attempt): Promise<ProviderAnswer | undefined> {
    const row = await sandboxByKey(this.db, siteKeyHash, idempotencyKey);
    return row && this.answerNow(row);
  }

  async release({ siteKeyHash, idempotencyKey }: Attempt): Promise<Released> {
    const now = this.clock.now();
    const given = { siteKeyHash, key: idempotencyKey, now };
    await this.db.transaction((tx) => releaseSandbox(tx, given));
    const row = await sandboxByKey(this.db, siteKeyHash, idempotencyKey);
    if (row?.status !== "captured") return { outcome: "released" };
    return { outcome: "captured", captured: capturedOf(row) };
  }

  async follow({ siteKeyHash, idempotencyKey }: Attempt): Promise<AuthorizationState | undefined> {
    const row = await sandboxByKey(this.db, siteKeyHash, idempotencyKey);
    switch (row?.status) {
      case "authorized":
      case "released":
      case "lapsed":
        return { status: row.status, lapsesAt: null, captured: null };
      case "captured":
        return { status: row.status, lapsesAt: null, captured: capturedOf(row) };
      default:
        return undefined;
    }
  }

  async returns({ siteKeyHash, idempotencyKey }: Attempt): Promise<readonly Returned[]> {
    const row = await sandboxByKey(this.db, siteKeyHash, idempotencyKey);
    if (row === undefined) return [];
    const made = await returnsOf(this.db, row.reference);
    return made.map(({ returnId: reference, amountMinor: minor, kind, status, createdAt }) => ({
      reference,
      kind,
      status,
      createdAt,
      description: null,
      amount: { currency: row.amount.currency, minor },
    }));
  }

  amountFault({ minor }: Money): string | undefined {
    if (minor >= AMOUNT_MINOR_MIN && minor <= AMOUNT_MINOR_MAX) return undefined;
    return "the processor authorizes no such sum";
  }
}
