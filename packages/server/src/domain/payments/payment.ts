import type { JsonObject, Money, PaymentHandler } from "@gatehouse/protocol";

/**
 * requested → authorized | declined | unknown; unknown → authorized | declined. An authorization
 * that no order came of, or whose order was cancelled: releasing → released, or captured where its
 * owner took it before. What
 * nobody heard of for 23 hours: releasing → declined.
 */
type PaymentStatus =
  | ("requested" | "unknown" | "authorized" | "declined")
  | ("releasing" | "released" | "captured");

/** One piece of what is paid for, at the price it was decided about. */
export interface OrderedItem {
  readonly id: string;
  readonly title: string;
  readonly quantity: number;
  readonly unit_minor: number;
}

/** An attempt to authorize an amount with a provider. It is written before the provider is asked. */
export interface Payment {
  /** The provider's idempotency key is derived from it. */
  readonly attemptId: string;
  readonly siteKeyHash: string;
  readonly decisionId: string;
  /** The review that led to it; null if the rules approved it. */
  readonly escalationId: string | null;
  /** Whether the buyer pays on the provider's own page, so that there is no token. */
  readonly hosted: boolean;
  /** The checkout it pays for; null for a mandate. */
  readonly checkoutId: string | null;
  /** Where a buyer comes back to from the card's bank; null where there is no buyer to send there. */
  readonly returnUrl: string | null;
  /** Where the buyer confirms it to the bank, once that is asked for, or the provider's page to pay on. */
  readonly challengeUrl: string | null;
  readonly provider: PaymentHandler;
  /** The account it is asked with, now and whenever it is looked after; null for the sandbox. */
  readonly accountId: string | null;
  readonly amount: Money;
  readonly items: readonly OrderedItem[];
  /** Whether the goods are reserved in the shop system before the provider is asked. */
  readonly inShop: boolean;
  /** The token, while the provider may have to be asked again; erased with the outcome. */
  readonly sealedToken: string | null;
  readonly tokenMac: string;
  /** The record that says it was requested. */
  readonly parentRecordId: string;
  /** The answer to the agent if the payment is authorized. */
  readonly answer: { readonly status: number; readonly body: JsonObject };
  /** Who requested what, as records show it. */
  readonly recordedRequest: JsonObject;
  readonly status: PaymentStatus;
  readonly reference: string | null;
  readonly reason: string | null;
  readonly requestedAt: number;
  /** How often the provider was asked. */
  readonly tries: number;
  /** The time of the next check; null if nothing is open. */
  readonly nextAt: number | null;
}

/** Where a payment's token is kept; sealed, it opens nowhere else. */
export const tokenPlace = (attemptId: string) => `payment ${attemptId}`;

export function isOpen({ status }: Pick<Payment, "status">): boolean {
  return status === "requested" || status === "unknown";
}
