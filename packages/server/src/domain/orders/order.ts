import type { Money } from "@gatehouse/protocol";

export const ORDER_STATUSES = ["open", "partly_shipped", "shipped", "cancelled"] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** How much of the captured money has gone back. */
export const REFUND_STATES = ["refunded", "partly_refunded"] as const;

/** What lists are sorted by. A minus stands for the largest or newest first. */
export const ORDER_SORTS = ["-created_at", "created_at", "-amount", "amount"] as const;
export type OrderSort = (typeof ORDER_SORTS)[number];

export const PAYMENT_STATES = ["authorized", "captured", "released", "lapsed"] as const;

/** A line of an order at the price that was paid. */
export interface OrderLine {
  readonly id: string;
  readonly title: string;
  readonly quantity: number;
  readonly unit_minor: number;
}

/** A purchase. All protocols write the same kind of row. */
export interface Order {
  readonly orderId: string;
  /** A short number that people can say; unique and rising for each site. */
  readonly number: number;
  readonly siteKeyHash: string;
  readonly decisionId: string;
  readonly attemptId: string;
  /** The checkout that was completed; null for an order by mandate. */
  readonly checkoutId: string | null;
  /** Names its page, if a mandate ordered; null for an order of a checkout, which has a page itself. */
  readonly pageId: string | null;
  /** The agent or platform that placed the order. */
  readonly actorId: string;
  readonly skill: string;
  readonly protocol: string;
  readonly mandateId: string | null;
  readonly items: readonly OrderLine[];
  readonly amount: Money;
  /** Whether the money is authorized, captured, voided or expired (`lapsed`). */
  readonly payment: (typeof PAYMENT_STATES)[number];
  /** When the authorization expires; null if that is unknown, or the authorization has ended. */
  readonly expiresAt: number | null;
  /** The captured amount. */
  readonly capturedMinor: number | null;
  /** What has gone back to the buyer by refunds. */
  readonly refundedMinor: number;
  /** When the authorization ended; null while it is authorized. */
  readonly paymentChangedAt: number | null;
  readonly createdAt: number;
  /** The number of changes; 1 for a new order. */
  readonly revision: number;
  /** The progress of its goods. */
  readonly status: OrderStatus;
  /** When its personal data was erased; null while it is kept. */
  readonly erasedAt: number | null;
  /** Whether the shop system has it too. */
  readonly inShop: boolean;
  /** Its id there; null until the shop system has answered. */
  readonly shopOrderId: string | null;
}

/** An order as people call it: `#1042`. */
export const orderLabel = ({ number }: Pick<Order, "number">) => `#${number}`;

/** The topic for changes of any order of a site. */
export const ORDER_TOPIC = "orders";
