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
  ChangeAnswer,
  ChangeRequest,
  MoneyReturn,
  PageRequest,
  PaymentProvider,
  ProviderAnswer,
  VoidResult,
} from "../provider.js";
import { captureSandbox, changeOfReturn, refundSandbox } from "./changes.js";
import {
  endProcessing,
  insertSandbox,
  returnsOf,
  type SandboxRow,
  sandboxByKey,
  voidSandbox,
} from "./store.js";

/** The limits of an amount in minor units, as real providers have them. */
const AMOUNT_MINOR_MIN = 1;
const AMOUNT_MINOR_MAX = 99_999_999;

type TokenResult =
  | { readonly status: "authorized" }
  | { readonly status: "challenged"; readonly reason: string }
  | { readonly status: "declined" | "processing" | "silent"; readonly reason: string };

/** How long `processing` lasts before the payment is authorized. */
const PROCESSING_MS = MINUTE_MS;

const AUTHORIZED: TokenResult = { status: "authorized" };
const declined = (reason: string): TokenResult => ({ status: "declined", reason });

/** Cards that are accepted: `pm_card_visa`, `tok_visa` and so on. */
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

/** Stripe's test cards that are declined, without `pm_card_` or `tok_`, with their reason. */
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

const CHALLENGED: TokenResult = { status: "challenged", reason: "requires_action" };

/** What a test token does. Unknown tokens are declined, so that a typing error does not look like a sale. */
function resultOfToken(token: string, returnUrl: string | null): TokenResult {
  const [, name = ""] =
    /^(?:pm_card|tok|pm_usBankAccount|pm_sandbox)_(\w{1,80})$/.exec(token) ?? [];
  if (BRANDS.includes(name)) return AUTHORIZED;
  const plain = name.replace(/^visa_/, "");
  if (Object.hasOwn(DECLINES, plain)) return declined(DECLINES[plain] as string);
  if (AUTHENTICATION.has(plain)) {
    // Without a page for the buyer to return to, nobody can confirm the payment.
    return returnUrl === null ? declined("authentication_required") : CHALLENGED;
  }
  if (name === "processing") return { status: "processing", reason: "processing" };
  if (name === "timeout") return { status: "silent", reason: "timed_out" };
  return declined("unknown_token");
}

/** The page on which a buyer confirms a payment, in place of the bank's, or pays, in place of a provider's. */
function sandboxPath({ reference, closesAt }: SandboxRow): string {
  return `/v1/sandbox/${closesAt === null ? "challenges" : "payments"}/${reference}`;
}

const CLOSED = "page_closed";

function answerOf(
  { status, reference, reason, closesAt }: SandboxRow,
  now: number,
): ProviderAnswer {
  if (status === "authorized" || status === "captured") {
    return { outcome: "authorized", reference, expiresAt: null };
  }
  if (status === "challenged" && closesAt !== null && now >= closesAt) {
    return { outcome: "declined", reason: CLOSED, reference };
  }
  if (status === "declined" || status === "released" || status === "lapsed") {
    return { outcome: "declined", reason: reason ?? "released", reference };
  }
  return { outcome: "unknown", reason: reason ?? "processing", reference };
}

function capturedOf({ amount, capturedMinor }: SandboxRow): Money {
  return { currency: amount.currency, minor: capturedMinor ?? amount.minor };
}

const digestOf = (parts: readonly (string | number)[]) =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex");

interface SandboxTools {
  /** The public address of the service, where challenges are confirmed. */
  readonly baseUrl: string;
  readonly db: Database;
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * The payment provider of test mode: it accepts Stripe's test tokens and moves no money. Like a real
 * provider, it writes in its own transactions, not in those of a decision.
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

  async isReachable(): Promise<boolean> {
    return true;
  }

  async authorize(request: AuthorizationRequest): Promise<ProviderAnswer> {
    const { idempotencyKey, amount, token, siteKeyHash } = request;
    const digest = digestOf([siteKeyHash, amount.currency, amount.minor, token]);
    const before = request.first
      ? undefined
      : await sandboxByKey(this.db, siteKeyHash, idempotencyKey);
    if (before !== undefined) return this.answerRepeat(before, digest);
    const fault = this.amountFault(amount);
    const verdict =
      fault === undefined
        ? resultOfToken(token, request.returnUrl)
        : declined("amount_out_of_range");
    const answer = await this.insert(request, digest, {
      status: verdict.status === "silent" ? "authorized" : verdict.status,
      reason: verdict.status === "authorized" ? null : verdict.reason,
      closesAt: null,
    });
    // A shop can test an authorization whose answer is lost.
    if (verdict.status === "silent") return { outcome: "unknown", reason: "timed_out" };
    return answer;
  }

  async openPage(request: PageRequest): Promise<ProviderAnswer> {
    const { siteKeyHash, amount, closesAt } = request;
    const digest = digestOf([siteKeyHash, amount.currency, amount.minor, "page"]);
    const fault = this.amountFault(amount);
    const page =
      fault === undefined
        ? ({ status: "challenged", reason: "requires_action", closesAt } as const)
        : ({ status: "declined", reason: "amount_out_of_range", closesAt: null } as const);
    return this.insert(request, digest, page);
  }

  /** Writes an authorization, or answers as to the first request with this key. */
  private async insert(
    { siteKeyHash, idempotencyKey, amount, returnUrl }: AuthorizationRequest | PageRequest,
    requestDigest: string,
    state: Pick<SandboxRow, "status" | "reason" | "closesAt">,
  ): Promise<ProviderAnswer> {
    const row: SandboxRow = {
      idempotencyKey,
      siteKeyHash,
      requestDigest,
      amount,
      reference: this.ids.id("sandbox"),
      ...state,
      returnUrl,
      capturedMinor: null,
      createdAt: this.clock.now(),
    };
    try {
      await this.db.shortTransaction((tx) => insertSandbox(tx, row));
    } catch (error) {
      if (!(error instanceof DatabaseConflictError)) throw error;
      const first = await sandboxByKey(this.db, siteKeyHash, idempotencyKey);
      if (first !== undefined) return this.answerRepeat(first, requestDigest);
      throw error;
    }
    return this.answer(row);
  }

  private answer(row: SandboxRow): ProviderAnswer {
    const answer = answerOf(row, this.clock.now());
    if (row.status !== "challenged" || answer.outcome !== "unknown") return answer;
    return { ...answer, challengeUrl: this.baseUrl + sandboxPath(row) };
  }

  private async answerRepeat(row: SandboxRow, digest: string): Promise<ProviderAnswer> {
    const same = row.requestDigest === digest || row.status === "released";
    if (!same) return { outcome: "unknown", reason: "idempotency_conflict" };
    return this.answerNow(row);
  }

  private async answerNow(row: SandboxRow): Promise<ProviderAnswer> {
    const { siteKeyHash, idempotencyKey, status, createdAt } = row;
    if (status !== "processing" || this.clock.now() < createdAt + PROCESSING_MS) {
      return this.answer(row);
    }
    await this.db.shortTransaction((tx) => endProcessing(tx, siteKeyHash, idempotencyKey));
    const ended = await sandboxByKey(this.db, siteKeyHash, idempotencyKey);
    return answerOf(ended ?? row, this.clock.now());
  }

  async read({ siteKeyHash, idempotencyKey }: Attempt): Promise<ProviderAnswer | undefined> {
    const row = await sandboxByKey(this.db, siteKeyHash, idempotencyKey);
    return row && this.answerNow(row);
  }

  async voidAuthorization({ siteKeyHash, idempotencyKey }: Attempt): Promise<VoidResult> {
    const attempt = { siteKeyHash, key: idempotencyKey, now: this.clock.now() };
    await this.db.shortTransaction((tx) => voidSandbox(tx, attempt));
    const row = await sandboxByKey(this.db, siteKeyHash, idempotencyKey);
    if (row?.status !== "captured") return { outcome: "released" };
    return { outcome: "captured", captured: capturedOf(row) };
  }

  capture(attempt: Attempt, request: ChangeRequest): Promise<ChangeAnswer> {
    return this.db.shortTransaction((tx) => captureSandbox(tx, attempt, request));
  }

  refund(attempt: Attempt, request: ChangeRequest): Promise<ChangeAnswer> {
    const now = this.clock.now();
    return this.db.shortTransaction((tx) => refundSandbox(tx, attempt, request, now));
  }

  async readAuthorization({
    siteKeyHash,
    idempotencyKey,
  }: Attempt): Promise<AuthorizationState | undefined> {
    const row = await sandboxByKey(this.db, siteKeyHash, idempotencyKey);
    switch (row?.status) {
      case "authorized":
      case "released":
      case "lapsed":
        return { status: row.status, expiresAt: null, captured: null };
      case "captured":
        return { status: row.status, expiresAt: null, captured: capturedOf(row) };
      default:
        return undefined;
    }
  }

  async returns({ siteKeyHash, idempotencyKey }: Attempt): Promise<readonly MoneyReturn[]> {
    const row = await sandboxByKey(this.db, siteKeyHash, idempotencyKey);
    if (row === undefined) return [];
    const returns = await returnsOf(this.db, row.reference);
    return returns.map(({ returnId: reference, amountMinor: minor, kind, status, createdAt }) => ({
      reference,
      changeId: changeOfReturn(reference),
      kind,
      status,
      createdAt,
      description: null,
      amount: { currency: row.amount.currency, minor },
    }));
  }

  amountFault({ minor }: Money): string | undefined {
    if (minor >= AMOUNT_MINOR_MIN && minor <= AMOUNT_MINOR_MAX) return undefined;
    return "the sandbox does not authorize this amount";
  }
}
