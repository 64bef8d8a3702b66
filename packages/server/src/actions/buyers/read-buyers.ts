import type { Context } from "../../context.js";
import { buyerMacOf } from "../../domain/buyers/buyer-mac.js";
import {
  type UnreadBuyer,
  unreadBuyers,
  writeBuyerMac,
} from "../../domain/checkouts/buyers/store.js";

/** Carts or checkouts whose buyers are read in one transaction. */
const READ_AT_ONCE = 200;

type Tools = Pick<Context, "db" | "secrets">;

async function writeMacs({ db, secrets }: Tools, unread: readonly UnreadBuyer[]): Promise<void> {
  // Always in the same order, so that two nodes never deadlock.
  const sorted = unread.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  await db.transaction(async (tx) => {
    for (const one of sorted) {
      await writeBuyerMac(tx, one, buyerMacOf(secrets, one.siteKeyHash, one.email));
    }
  });
}

/**
 * Reads the buyers of new and changed carts and checkouts, so that they can be found by their address. This is
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
