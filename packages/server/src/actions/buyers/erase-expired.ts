import type { Context } from "../../context.js";
import { actorDraft, serviceActor } from "../../domain/audit/drafts.js";
import { retentionDays, sitesWithRetention } from "../../domain/buyers/store.js";
import { lockOrder, ordersNotErased } from "../../domain/orders/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { DAY_MS } from "../../infra/time.js";
import { wholeOrder } from "../../purchase/orders/whole-order.js";
import { addErased, type Erased, eraseOrder, NOTHING_ERASED } from "./erase-purchase.js";
import { eraseAllRequested } from "./erase-requested.js";
import { orderState } from "./kept.js";
import { readNewBuyers } from "./read-buyers.js";

/** Orders that one commit looks at. */
const ORDERS_AT_ONCE = 10;

interface SiteOrder {
  readonly siteKeyHash: string;
  readonly orderId: string;
}

/** Erases an order if it ended so long ago. */
async function eraseIfExpired(
  context: Context,
  tx: Transaction,
  { siteKeyHash, orderId }: SiteOrder,
  endedBefore: number,
): Promise<Erased> {
  const order = await lockOrder(tx, siteKeyHash, orderId);
  // Another node may have erased it meanwhile.
  if (order === undefined || order.erasedAt !== null) return NOTHING_ERASED;
  const now = context.clock.now();
  const whole = await wholeOrder(tx, order);
  const state = await orderState(tx, whole, now);
  if (state.kind === "needed" || state.endedAt > endedBefore) return NOTHING_ERASED;
  return eraseOrder(context, tx, whole, now);
}

async function eraseOfSite(
  context: Context,
  siteKeyHash: string,
  { stopping, limit }: { stopping(): boolean; readonly limit: number },
): Promise<void> {
  const { audit, clock } = context;
  let after: Parameters<typeof ordersNotErased>[3]["after"] = null;
  while (!stopping()) {
    const page = { after, limit };
    const { answer: next } = await audit.commit(siteKeyHash, async (tx) => {
      // Read here, because the owner may have just decided to keep everything.
      const days = await retentionDays(tx, siteKeyHash);
      if (days === null) return { records: [], answer: null };
      const before = clock.now() - days * DAY_MS;
      const orders = await ordersNotErased(tx, siteKeyHash, before, page);
      let sum = NOTHING_ERASED;
      for (const order of orders) {
        sum = addErased(sum, await eraseIfExpired(context, tx, order, before));
      }
      const change = { kind: "buyers_expired", retention_days: days, ...sum };
      const record = actorDraft("site.changed", serviceActor("retention"), clock.now(), { change });
      const last = orders.length < limit ? undefined : orders.at(-1);
      const answer = last === undefined ? null : { createdAt: last.createdAt, id: last.orderId };
      return { records: sum.orders > 0 ? [record] : [], answer };
    });
    context.crashPoint("buyers.expired");
    if (next === null) return;
    after = next;
  }
}

/**
 * Erases buyers whose erasure was requested, and those of orders that ended long ago. Erased orders are not read
 * again, so a run that was interrupted continues where it was. A site that fails does not stop the others; the
 * job fails in the end.
 */
export async function eraseExpiredBuyers(
  context: Context,
  stopping: () => boolean,
  limit = ORDERS_AT_ONCE,
): Promise<void> {
  await readNewBuyers(context, stopping);
  const failures = [...(await eraseAllRequested(context, stopping))];
  for (const siteKeyHash of await sitesWithRetention(context.db)) {
    if (stopping()) break;
    await eraseOfSite(context, siteKeyHash, { stopping, limit }).catch((error: unknown) => {
      context.log.error({ site: siteKeyHash, error }, "buyers.not_erased");
      failures.push(error);
    });
  }
  if (failures.length > 0) throw failures[0];
}
