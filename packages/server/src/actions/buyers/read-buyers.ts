import type { Context } from "../../context.js";
import { buyerMacOf, NO_BUYER, nameMacOf } from "../../domain/buyers/address.js";
import { nameWords } from "../../domain/buyers/name-words.js";
import {
  type UnreadBuyer,
  unreadBuyers,
  writeBuyerMac,
} from "../../domain/checkouts/buyers/store.js";
import { writeOrderBuyer } from "../../domain/orders/buyers/store.js";

/** Carts or checkouts whose buyers are read in one transaction. */
const READ_AT_ONCE = 200;

type Tools = Pick<Context, "db" | "secrets">;

async function writeMacs({ db, secrets }: Tools, unread: readonly UnreadBuyer[]): Promise<void> {
  // Always in the same order, so that two nodes never deadlock.
  const sorted = unread.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  await db.transaction(async (tx) => {
    for (const one of sorted) {
      const { siteKeyHash, orderId, email, names } = one;
      const buyerMac = buyerMacOf(secrets, siteKeyHash, email);
      const isWritten = await writeBuyerMac(tx, one, buyerMac);
      if (!isWritten || orderId === null) continue;
      const words = nameWords(...names).map((word) => nameMacOf(secrets, siteKeyHash, word));
      const macs = buyerMac === NO_BUYER ? words : [buyerMac, ...words];
      await writeOrderBuyer(tx, { siteKeyHash, orderId }, macs);
    }
  });
}

/**
 * Reads the buyers of new and changed carts and checkouts, so that they can be found by address and name. This is
 * not done when they are written, because most of them are never looked for.
 */
export async function readNewBuyers(
  tools: Tools,
  stopping: () => boolean = () => false,
): Promise<void> {
  for (const table of ["checkouts", "carts"] as const) {
    while (!stopping()) {
      const unread = await unreadBuyers(tools.db, table, READ_AT_ONCE);
      await writeMacs(tools, unread);
      if (unread.length < READ_AT_ONCE) break;
    }
  }
}
