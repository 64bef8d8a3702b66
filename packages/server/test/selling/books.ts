import { expect } from "vitest";
import type { Context } from "../../src/context.ts";
import type { Shop } from "../mandates/submitting.ts";
import { type PaidBy, paidBySandbox } from "./paid-by.ts";

interface DecidedRow {
  readonly decision_id: string;
  readonly outcome: string;
  readonly identity: string;
  readonly amount_minor: number | null;
}

interface Attempt {
  attempt_id: string;
  decision_id: string;
  status: string;
  reason: string | null;
  amount_minor: number;
  currency: string;
  sealed_token: string | null;
}

/** What a processor holds ready. */
export interface Authorization {
  idempotency_key: string;
  status: string;
  amount_minor: number;
  currency: string;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** Reads what everybody's books say of a shop, in one form for both databases. */
async function readBooks({ db }: Context, { site_key_hash }: Shop) {
  const of = <Row>(table: string) =>
    db.all<Row>(`SELECT * FROM ${table} WHERE site_key_hash = ?`, site_key_hash);
  return {
    attempts: await of<Attempt>("payments"),
    orders: await of<{ decision_id: string; attempt_id: string; items: string }>("orders"),
    decisions: await of<DecidedRow>("decisions"),
    hours: await of<{ minor: number }>("decision_hours"),
    counts: [
      await of<{ outcome: string; decisions: number }>("outcome_hours"),
      await of<{ outcome: string; decisions: number }>("outcome_agent_days"),
    ],
    products: await of<{ product_id: string; quantity: number | null; reserved: number }>(
      "products",
    ),
  };
}

/**
 * What must hold of a shop once nothing is under way: whatever failed, and whenever. `stock` is what
 * there was of each product before anything was sold.
 */
export async function expectBooksAgree(
  context: Context,
  shop: Shop,
  stock: Readonly<Record<string, number>>,
  { held }: Pick<PaidBy, "held"> = paidBySandbox(),
): Promise<void> {
  const books = await readBooks(context, shop);
  const { attempts, orders, decisions } = books;
  // Never two attempts for a decision that the processor was asked about, and every attempt ended; nobody keeps a token.
  const requested = attempts.filter(({ reason }) => reason !== "shop_unanswered");
  expect(new Set(requested.map((one) => one.decision_id)).size).toBe(requested.length);
  const ended = ["authorized", "declined", "released"];
  expect(attempts.filter(({ status }) => !ended.includes(status))).toEqual([]);
  expect(attempts.filter(({ sealed_token }) => sealed_token !== null)).toEqual([]);
  // What the processor holds ready is what was authorized here, to the unit, and nothing else.
  const live = await held(context, shop.site_key_hash);
  const wanted = attempts.filter(({ status }) => status === "authorized");
  const line = (
    id: string,
    { amount_minor, currency }: Omit<Authorization, "idempotency_key" | "status">,
  ) => `${id} ${amount_minor} ${currency}`;
  expect(live.map((one) => line(one.idempotency_key, one)).sort()).toEqual(
    wanted.map((one) => line(one.attempt_id, one)).sort(),
  );
  // An order for each of them, and for nothing else; each of a decision that was approved.
  expect(orders.map(({ attempt_id }) => attempt_id).sort()).toEqual(
    wanted.map(({ attempt_id }) => attempt_id).sort(),
  );
  const approved = decisions.filter(({ outcome }) => outcome === "approved");
  expect(orders.map(({ decision_id }) => decision_id).sort()).toEqual(
    approved.map(({ decision_id }) => decision_id).sort(),
  );
  expect(decisions.filter(({ outcome }) => outcome === "paying")).toEqual([]);
  // Budgets count what was approved, but not what people paid themselves, and stock what was sold.
  const counted = approved.filter(({ identity }) => identity !== "(buyer)");
  expect(sum(books.hours.map(({ minor }) => Number(minor)))).toBe(
    sum(counted.map(({ amount_minor }) => amount_minor ?? 0)),
  );
  // Overviews count every decision under what it has come to.
  for (const counts of books.counts) {
    for (const outcome of ["approved", "escalated", "rejected", "paying"]) {
      const counted = counts.filter((one) => one.outcome === outcome);
      expect([outcome, sum(counted.map((one) => Number(one.decisions)))]).toEqual([
        outcome,
        decisions.filter((one) => one.outcome === outcome).length,
      ]);
    }
  }
  const lines = orders.flatMap(
    ({ items }) => JSON.parse(items) as { id: string; quantity: number }[],
  );
  for (const [id, before] of Object.entries(stock)) {
    const sold = sum(lines.filter((item) => item.id === id).map(({ quantity }) => quantity));
    const product = books.products.find(({ product_id }) => product_id === id);
    expect([id, product?.quantity, product?.reserved]).toEqual([id, before - sold, 0]);
  }
}
