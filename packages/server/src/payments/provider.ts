import type { Money, PaymentHandler } from "@gatehouse/protocol";

/** What names an attempt to a provider. */
export interface Attempt {
  readonly siteKeyHash: string;
  /** The account it is asked with; null where the provider has none. */
  readonly accountId: string | null;
  /** The same for every try of one attempt: however often it is asked, it authorizes once. */
  readonly idempotencyKey: string;
  /** What the provider calls it, once it has said so. */
  readonly reference: string | null;
  /** Nothing of it is older. */
  readonly requestedAt: number;
  /** What it is for: anything else is not this attempt. */
  readonly amount: Money;
}

/** What a provider is asked to authorize. */
export interface AuthorizationRequest extends Attempt {
  readonly token: string;
  /** Whether this is the first time: nothing can be there already. */
  readonly first: boolean;
  /** Where a buyer comes back to who has to confirm it to the bank; null where nobody can. */
  readonly returnUrl: string | null;
}

/** What a provider says of an attempt. Anything else it does is `unknown`. */
export type ProviderAnswer =
  | {
      readonly outcome: "authorized";
      readonly reference: string;
      /** When the authorization lapses; null where nobody knows, or it does not. */
      readonly lapsesAt: number | null;
    }
  | { readonly outcome: "declined"; readonly reason: string; readonly reference?: string }
  | {
      readonly outcome: "unknown";
      readonly reason: string;
      readonly reference?: string;
      /** Where the buyer confirms it to the card's bank; that is waited for. */
      readonly challengeUrl?: string;
      /** This call did nothing: only what was asked before may be there. */
      readonly refused?: true;
    };

/** What is known of an attempt in the end: `given_up` after a day without any answer. */
export type SettlementAnswer =
  | ProviderAnswer
  | { readonly outcome: "given_up"; readonly reason?: string; readonly reference?: string };

/** What has become of an authorization since, by the owner's hand or by time. */
export interface AuthorizationState {
  readonly status: "authorized" | "captured" | "released" | "lapsed";
  readonly lapsesAt: number | null;
  /** What the owner took of it. */
  readonly captured: Money | null;
}

/** What became of an authorization that was to be given up: its owner may have taken it before. */
export type Released =
  | { readonly outcome: "released" }
  | { readonly outcome: "captured"; readonly captured: Money | null };

/** Money that was taken and goes back: by the owner's hand, or by the bank of the card. */
export interface Returned {
  /** What the provider calls it. */
  readonly reference: string;
  readonly kind: "refund" | "dispute";
  /** `failed`: the money stays with the owner. */
  readonly status: "pending" | "completed" | "failed";
  readonly amount: Money;
  /** Shown to the buyer. */
  readonly description: string | null;
  readonly createdAt: number;
}

/**
 * Somebody who authorizes payments for a site. It is asked to authorize and to release, never to
 * capture, refund, hold or move funds: those are between the owner and the provider.
 *
 * A call that throws, or does not end in time, may have had its effect all the same.
 */
export interface PaymentProvider {
  /** Whether it is asked with an account that the owner connects. */
  readonly hasAccounts: boolean;
  /** Whether a connection to it can be opened now. Sends no request and never throws. */
  isReachable(): Promise<boolean>;
  authorize(request: AuthorizationRequest): Promise<ProviderAnswer>;
  /** What became of an attempt, without asking for anything; undefined where it knows of none. */
  read(attempt: Attempt): Promise<ProviderAnswer | undefined>;
  /** Gives an authorization up, if there is one. Safe to repeat. */
  release(attempt: Attempt): Promise<Released>;
  /** How an authorization stands; undefined where there is none. */
  follow(attempt: Attempt): Promise<AuthorizationState | undefined>;
  /** All that went back of what was taken, or is about to. */
  returns(attempt: Attempt): Promise<readonly Returned[]>;
  /** Why a sum cannot be asked for exactly; undefined where it can. */
  amountFault(amount: Money): string | undefined;
}

/** The payment providers of an installation, by the name that sites and mandates use. */
export type PaymentProviders = Readonly<Record<PaymentHandler, PaymentProvider | undefined>>;
