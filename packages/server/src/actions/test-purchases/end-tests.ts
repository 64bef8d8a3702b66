import type { Context } from "../../context.js";
import { type Actor, serviceActor } from "../../domain/audit/drafts.js";
import { listDecisions } from "../../domain/decisions/store.js";
import { listOrders } from "../../domain/orders/store.js";
import {
  countTestItems,
  deleteTestItem,
  listTestItems,
  type TestItem,
} from "../../domain/products/test-items/store.js";
import { deleteTestOpening } from "../../domain/products/test-openings/store.js";
import { reviewsOfDecisions } from "../../domain/reviews/store.js";
import type { Queries } from "../../infra/db/database.js";
import { MINUTE_MS } from "../../infra/time.js";
import { stepAgent } from "../agents/change-agent.js";
import { cancelOrder } from "../orders/cancel-order.js";
import { closeAfterTests } from "./open-shop.js";

export const TESTS_JOB = "tests.end";
export const TESTS_EVERY_MS = 5000;
/** Tests that one run looks at. */
const TESTS_MAX = 500;
/** A test agent that has sent no request after this will send none. */
const SILENT_MS = 10 * MINUTE_MS;
/** A test agent can ask again after a declined payment, but not often. */
const DECISIONS_MAX = 50;
/** So long can the test agent ask for the decision, to show it with its receipt. */
const DECIDED_MS = 20_000;
/** Why the order is cancelled, as the agent reads it. */
const OVER = "The test purchase is over.";
const UNDECIDED: readonly string[] = ["escalated", "paying"];

async function isOver(
  db: Context["db"] & Queries,
  { siteKeyHash, agentId, createdAt }: TestItem,
  now: number,
): Promise<boolean> {
  const filter = { actorId: agentId, outcome: undefined, mandateId: undefined };
  const all = { ...filter, checkout: undefined, from: undefined, to: undefined };
  const page = { after: null, limit: DECISIONS_MAX };
  const decisions = await listDecisions(db, siteKeyHash, all, page);
  if (decisions.length === 0) return now - createdAt > SILENT_MS;
  if (decisions.some(({ outcome }) => UNDECIDED.includes(outcome))) return false;
  const ids = decisions.map(({ decisionId }) => decisionId);
  const reviews = await reviewsOfDecisions(db, siteKeyHash, ids);
  const times = [
    ...decisions.map(({ evaluatedAt }) => evaluatedAt),
    ...reviews.map(({ decidedAt }) => decidedAt ?? 0),
  ];
  return now - Math.max(...times) > DECIDED_MS;
}

/** Cancels what the test agent bought, which voids the payment. What the owner has captured or sent stays. */
async function cancelOrders(
  context: Context,
  { siteKeyHash, agentId }: TestItem,
  actor: Actor,
): Promise<void> {
  const open = { actorId: agentId, status: "open", payment: "authorized" } as const;
  const orders = await listOrders(context.db, siteKeyHash, open, {
    after: null,
    limit: DECISIONS_MAX,
  });
  for (const order of orders) {
    // Refused while the owner captures it, or if they have cancelled it: then nothing is left to do.
    await cancelOrder(context, order, { lines: null, reason: OVER }, actor);
  }
}

/**
 * Ends tests whose purchase is decided, or whose agent never asked: its order is cancelled, the agent is revoked, what
 * the test had turned on is turned off, and its item is removed. After a crash in between, the next run finishes it, because the item names its agent.
 */
export async function endTests(
  context: Context,
  stopping: () => boolean = () => false,
): Promise<void> {
  const { clock, db } = context;
  for (const item of await listTestItems(db, TESTS_MAX)) {
    if (stopping()) return;
    if (!(await isOver(db, item, clock.now()))) continue;
    const { siteKeyHash, agentId } = item;
    const actor = serviceActor(TESTS_JOB);
    await cancelOrders(context, item, actor);
    await stepAgent(context, siteKeyHash, agentId, { step: "revoke" }, actor);
    const isLast = (await countTestItems(db, siteKeyHash)) === 1;
    if (isLast && !(await closeAfterTests(context, siteKeyHash, actor))) continue;
    await db.transaction(async (tx) => {
      await deleteTestItem(tx, item);
      if (isLast) await deleteTestOpening(tx, siteKeyHash);
    });
  }
}
