import type { Order } from "../../domain/orders/order.js";
import { accountById } from "../../domain/payments/accounts/store.js";
import { paymentById } from "../../domain/payments/store.js";
import type { Queries } from "../../infra/db/database.js";

/** Whether no money is behind an order: the sandbox authorized it, or a test account did. */
export async function isRehearsed(db: Queries, { attemptId }: Order): Promise<boolean> {
  const payment = await paymentById(db, attemptId);
  if (payment === undefined || payment.processor === "sandbox") return true;
  const account = payment.accountId === null ? null : await accountById(db, payment.accountId);
  return account?.live === false;
}
