import type { Money, PaymentHandler } from "@gatehouse/protocol";

/** What a processor is asked to authorize. */
export interface AuthorizationRequest {
  readonly siteKeyHash: string;
  /** The same for every try of one attempt: however often it is asked, it authorizes once. */
  readonly idempotencyKey: string;
  readonly amount: Money;
  readonly token: string;
}

/** What a processor says of an attempt. Anything else it does is `unknown`. */
export type ProcessorAnswer =
  | { readonly outcome: "authorized"; readonly reference: string }
  | { readonly outcome: "declined"; readonly reason: string; readonly reference?: string }
  | { readonly outcome: "unknown"; readonly reason: string; readonly reference?: string };

/**
 * Somebody who authorizes payments for a site. It is asked to authorize and to release, never to
 * capture, refund, hold or move funds: those are between the owner and the processor.
 *
 * A call that throws, or does not end in time, may have had its effect all the same.
 */
export interface Processor {
  authorize(request: AuthorizationRequest): Promise<ProcessorAnswer>;
  /** What became of an attempt, without asking for anything; undefined where it knows of none. */
  read(siteKeyHash: string, idempotencyKey: string): Promise<ProcessorAnswer | undefined>;
  /** Gives an authorization up, if there is one. Safe to repeat. */
  release(siteKeyHash: string, idempotencyKey: string): Promise<void>;
  /** Why a sum cannot be asked for exactly; undefined where it can. */
  amountFault(amount: Money): string | undefined;
}

export type Processors = Readonly<Partial<Record<PaymentHandler, Processor>>>;
