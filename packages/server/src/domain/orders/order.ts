import type { Money } from "@gatehouse/protocol";

export const ORDER_STATUSES = ["open", "partly_shipped", "shipped", "cancelled"] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export const PAYMENT_STATES = ["authorized", "captured", "released", "lapsed"] as const;

/** One line of an order, at the price it was bought for. */
export interface OrderLine {
  readonly id: string;
  readonly title: string;
  readonly quantity: number;
  readonly unit_minor: number;
}

/** Something that was bought: the same kind of row, whatever door it came by. */
export interface Order {
  readonly orderId: string;
  readonly siteKeyHash: string;
  readonly decisionId: string;
  readonly attemptId: string;
  /** The checkout it came of; null where a mandate ordered. */
  readonly checkoutId: string | null;
  /** The agent or platform that ordered. */
  readonly actorId: string;
  readonly skill: string;
  readonly protocol: string;
  readonly mandateId: string | null;
  readonly items: readonly OrderLine[];
  readonly amount: Money;
  /**
   * What the processor holds ready for the owner, or what became of it: taken, given up, or not
   * taken in time.
   */
  readonly payment: (typeof PAYMENT_STATES)[number];
  /** When the authorization lapses; null where nobody knows, or it is over. */
  readonly lapsesAt: number | null;
  /** What the owner took of it. */
  readonly capturedMinor: number | null;
  /** When that became of it; null while it is authorized. */
  readonly paymentChangedAt: number | null;
  readonly createdAt: number;
  /** Counts what became of it; 1 once it is made. */
  readonly revision: number;
  /** How far its goods are. */
  readonly status: OrderStatus;
}

/** Names the change of any order of a site, for those who follow changes. */
export const ORDER_TOPIC = "orders";
