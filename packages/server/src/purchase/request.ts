import type { JsonObject, Money, PaymentHandler } from "@gatehouse/protocol";
import type { Agent } from "../domain/agents/agent.js";
import type { Checkout } from "../domain/checkouts/checkout.js";
import type { PaymentCaller } from "../domain/declines/caller.js";
import type { OrderedItem } from "../domain/payments/payment.js";
import type { Site } from "../domain/sites/site.js";
import type { Identity } from "./identity.js";

/** A request for a skill or a purchase, by any protocol. Only `commit` turns it into a decision. */
export interface PurchaseRequest {
  /**
   * `mandate`: an agent signed it. `checkout`: a platform completes a checkout. `order_approval`: the payment
   * provider asks about an order of its checkout page.
   */
  readonly kind: "mandate" | "checkout" | "order_approval";
  readonly site: Site;
  /** The agent or platform, as rules see it. */
  readonly agent: Agent;
  readonly identity: Identity;
  /** The id of the request: a mandate, a checkout with the number of its try, or a provider's order. */
  readonly mandateId: string;
  /** The digest of what was signed, or shown to the buyer. */
  readonly digest: string;
  /** The key that signed a mandate; null for other requests. */
  readonly kid: string | null;
  readonly skill: string;
  readonly protocol: string;
  readonly amount: Money | null;
  readonly items?: readonly OrderedItem[] | undefined;
  /** Undefined if nothing is paid here. */
  readonly payment?: PurchasePayment | undefined;
  /** The checkout that is paid for, with this try counted. */
  readonly checkout?: Checkout | undefined;
  /** The key of the question that it asks, and the answer that the owner published; undefined if there is none. */
  readonly questionKey?: string | undefined;
  readonly published?: string | undefined;
  /** Who asked for what: members of the records of the decision and of its payment. */
  readonly recordedRequest: JsonObject;
  /** More members of the decision's record. */
  readonly recordedDetails?: JsonObject | undefined;
  readonly now: number;
}

export interface PurchasePayment {
  readonly provider: PaymentHandler;
  /** Null if the buyer pays on the provider's own page. */
  readonly token: string | null;
  /** Where the buyer returns from the card's bank; null if there is no buyer to send there. */
  readonly returnUrl: string | null;
  /** A declined payment counts against this caller. */
  readonly caller: PaymentCaller;
}

/** The items as records show them, without the owner's texts. */
export function recordedItems(items: readonly OrderedItem[]) {
  return items.map(({ id, quantity, unit_minor }) => ({ id, quantity, unit_minor }));
}
