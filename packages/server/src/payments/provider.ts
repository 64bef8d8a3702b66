import type { Money, PaymentHandler } from "@gatehouse/protocol";

/** Identifies an attempt to a payment provider. */
export interface Attempt {
  readonly siteKeyHash: string;
  /** The owner's account at the provider; null if the provider has no accounts. */
  readonly accountId: string | null;
  /** The same for every call of one attempt, so that repeated calls authorize once. */
  readonly idempotencyKey: string;
  /** The provider's id of the payment, once it is known. */
  readonly reference: string | null;
  /** Nothing at the provider is older. */
  readonly requestedAt: number;
  /** A payment over another amount is not this attempt. */
  readonly amount: Money;
  /** Whether the buyer pays on the provider's own page. */
  readonly hosted: boolean;
}

export interface AuthorizationRequest extends Attempt {
  readonly token: string;
  /** Whether this is the first call, so that no earlier one can have authorized anything. */
  readonly first: boolean;
  /** Where the buyer returns from the bank; null if there is no buyer to send there. */
  readonly returnUrl: string | null;
}

/** A line of what the buyer sees on the provider's page, at its price. */
export interface PageLine {
  readonly title: string;
  readonly quantity: number;
  readonly unitMinor: number;
}

/** Asks for a page of the provider on which a buyer pays. */
export interface PageRequest extends Attempt {
  readonly first: boolean;
  /** Their sum is the amount. */
  readonly lines: readonly PageLine[];
  /** Where the buyer returns, paid or not. */
  readonly returnUrl: string;
  readonly email: string | null;
  /** A language tag, such as `de`. */
  readonly language: string;
  /** The page takes no payment after this time. */
  readonly closesAt: number;
}

/** A provider's answer about an attempt. Failures and delays are `unknown`. */
export type ProviderAnswer =
  | {
      readonly outcome: "authorized";
      readonly reference: string;
      /** When the authorization expires; null if that is unknown or never. */
      readonly expiresAt: number | null;
    }
  | { readonly outcome: "declined"; readonly reason: string; readonly reference?: string }
  | {
      readonly outcome: "unknown";
      readonly reason: string;
      readonly reference?: string;
      /** Where the buyer confirms the payment to the card's bank, or pays. The payment waits for that. */
      readonly challengeUrl?: string;
      /** This call did nothing; only an earlier call can have authorized the payment. */
      readonly refused?: true;
    };

/** How an attempt is settled. `timed_out`: after a day without a definite answer. */
export type SettlementAnswer =
  | ProviderAnswer
  | { readonly outcome: "timed_out"; readonly reason?: string; readonly reference?: string };

/** The state of an authorization. The owner captures or voids it, or it expires. */
export interface AuthorizationState {
  readonly status: "authorized" | "captured" | "released" | "lapsed";
  readonly expiresAt: number | null;
  /** The amount that the owner captured. */
  readonly captured: Money | null;
}

/** The result of voiding. `captured`: the owner captured the authorization before. */
export type VoidResult =
  | { readonly outcome: "released" }
  | { readonly outcome: "captured"; readonly captured: Money | null };

/** Captured money that goes back: a refund by the owner, or a dispute by the card's bank. */
export interface MoneyReturn {
  /** The provider's id. */
  readonly reference: string;
  /** The refund that an owner asked for here; null if it was made at the provider. */
  readonly changeId: string | null;
  readonly kind: "refund" | "dispute";
  /** `failed`: the money stays with the owner. */
  readonly status: "pending" | "completed" | "failed";
  readonly amount: Money;
  /** Shown to the buyer. */
  readonly description: string | null;
  readonly createdAt: number;
}

/** A capture or refund, as an owner asked for it. */
export interface ChangeRequest {
  /** The same for every call about one change, so that repeated calls move money once. */
  readonly changeId: string;
  readonly amount: Money;
  /** Whether this is the first call, so that no earlier one can have moved money. */
  readonly first: boolean;
}

/** A provider's answer to a capture or refund. Failures and delays are `unknown`. */
export type ChangeAnswer =
  | { readonly outcome: "done" }
  | { readonly outcome: "failed"; readonly reason: string }
  | { readonly outcome: "unknown"; readonly reason: string; readonly refused?: true };

/**
 * Authorizes payments for a site and voids them. It captures and refunds only what an owner asks for, between
 * the buyer and the owner's own account.
 *
 * A call that throws or times out may still have taken effect.
 */
export interface PaymentProvider {
  /** Whether the owner connects an account at the provider. */
  readonly hasAccounts: boolean;
  /** Whether a connection to it can be opened now. Sends no request and never throws. */
  isReachable(): Promise<boolean>;
  authorize(request: AuthorizationRequest): Promise<ProviderAnswer>;
  /** Opens a page for a buyer, which the answer names; absent if the provider has no such pages. */
  openPage?(request: PageRequest): Promise<ProviderAnswer>;
  /** Reads an attempt without changing it; undefined if the provider does not know it. */
  read(attempt: Attempt): Promise<ProviderAnswer | undefined>;
  /** Voids the authorization, if there is one. Idempotent. */
  voidAuthorization(attempt: Attempt): Promise<VoidResult>;
  /** Takes an authorized amount; the rest is voided. Absent if only the provider's own pages can. */
  capture?(attempt: Attempt, request: ChangeRequest): Promise<ChangeAnswer>;
  /** Gives captured money back. Absent if only the provider's own pages can. */
  refund?(attempt: Attempt, request: ChangeRequest): Promise<ChangeAnswer>;
  /** Where the owner sees the payment at the provider; null if there is no such page. */
  paymentUrl?(attempt: Attempt): Promise<string | null>;
  /** Undefined if there is no authorization. */
  readAuthorization(attempt: Attempt): Promise<AuthorizationState | undefined>;
  /** All refunds and disputes, pending ones too. */
  returns(attempt: Attempt): Promise<readonly MoneyReturn[]>;
  /** Why an amount cannot be charged exactly; undefined if it can. */
  amountFault(amount: Money): string | undefined;
}

/** The payment providers of an installation, by the name that sites and mandates use. */
export type PaymentProviders = Readonly<Record<PaymentHandler, PaymentProvider | undefined>>;
