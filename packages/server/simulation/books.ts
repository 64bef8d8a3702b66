import type { Queries } from "../src/infra/db/database.ts";

interface PaymentRow {
  readonly attempt_id: string;
  readonly decision_id: string;
  readonly status: string;
  readonly amount_minor: number;
  readonly hosted: number;
  readonly items: string;
  readonly has_token: number;
}

interface OrderRow {
  readonly order_id: string;
  readonly attempt_id: string;
  readonly decision_id: string;
  readonly checkout_id: string | null;
  readonly amount_minor: number;
  readonly items: string;
}

interface DecisionRow {
  readonly decision_id: string;
  readonly outcome: string;
  readonly identity: string;
  readonly amount_minor: number | null;
  readonly record_id: string;
}

interface CheckoutRow {
  readonly checkout_id: string;
  readonly status: string;
  readonly order_id: string | null;
}

interface Amount {
  readonly name: string;
  readonly amount: number;
}

/** What the service has written, read past all of its code. */
export interface Books {
  readonly payments: readonly PaymentRow[];
  readonly orders: readonly OrderRow[];
  readonly decisions: readonly DecisionRow[];
  readonly checkouts: readonly CheckoutRow[];
  readonly products: readonly {
    readonly product_id: string;
    readonly quantity: number;
    readonly reserved: number;
  }[];
  /** What budgets count, by who spent. */
  readonly spent: readonly Amount[];
  readonly decided: readonly Amount[];
  /** What overviews count, by outcome. */
  readonly counted: readonly Amount[];
  /** Checkouts that wait for a payment or a review, and reviews that wait for a payment. */
  readonly waiting: readonly { readonly id: string; readonly status: string }[];
}

export async function readBooks(db: Queries): Promise<Books> {
  const sum = (value: string, name: string, table: string) =>
    db.all<Amount>(
      `SELECT ${name} AS name, SUM(${value}) AS amount FROM ${table} GROUP BY ${name}`,
    );
  return {
    payments: await db.all(
      `SELECT attempt_id, decision_id, status, amount_minor, hosted, items,
         sealed_token IS NOT NULL AS has_token FROM payments`,
    ),
    orders: await db.all(
      "SELECT order_id, attempt_id, decision_id, checkout_id, amount_minor, items FROM orders",
    ),
    decisions: await db.all(
      "SELECT decision_id, outcome, identity, amount_minor, record_id FROM decisions",
    ),
    checkouts: await db.all("SELECT checkout_id, status, order_id FROM checkouts"),
    products: await db.all("SELECT product_id, quantity, reserved FROM products"),
    spent: await sum("minor", "actor_id", "decision_hours"),
    decided: await sum("decisions", "actor_id", "decision_hours"),
    counted: await sum("decisions", "outcome", "outcome_hours"),
    waiting: await db.all(
      `SELECT checkout_id AS id, status FROM checkouts WHERE status = 'completing'
       UNION ALL SELECT escalation_id, status FROM reviews WHERE status IN ('paying', 'pending')`,
    ),
  };
}

interface Item {
  readonly id: string;
  readonly quantity: number;
}

/** The quantity of each product in lists of items. */
export function quantities(lists: readonly { readonly items: string }[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { items } of lists) {
    for (const { id, quantity } of JSON.parse(items) as Item[]) {
      sums.set(id, (sums.get(id) ?? 0) + quantity);
    }
  }
  return sums;
}
