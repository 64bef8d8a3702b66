import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { withoutAccess } from "../../domain/access/still-holds.js";
import type { Actor } from "../../domain/audit/drafts.js";
import type {
  PlannedShipment,
  ReportedShipment,
} from "../../domain/orders/planned/planned-shipment.js";
import {
  deleteOldPlannedShipments,
  duePlannedShipments,
  plannedShipment,
  takePlannedShipment,
  writePlannedShipment,
  writeShipmentProblem,
} from "../../domain/orders/planned/store.js";
import { lockOrder } from "../../domain/orders/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { DAY_MS } from "../../infra/time.js";
import { wholeOrder } from "../../purchase/orders/whole-order.js";
import { checkShipment, NO_ORDER, type ShipFault, shipOrder } from "./ship-order.js";

/** The job that carries planned shipments out. */
export const SHIPMENTS_JOB = "orders.ship";
/** Shipments that one run of the job carries out. */
const DUE_MAX = 200;
/** How long the problem of a shipment that did not take effect is shown. */
const PROBLEM_MS = DAY_MS;

interface OrderRef {
  readonly siteKeyHash: string;
  readonly orderId: string;
}

const isWaiting = (plan: PlannedShipment | undefined) => plan?.problem === null;

const TOO_LATE = refuse("conflict", "It is too late to undo this.");
const WAITING = refuse(
  "conflict",
  "Another report about this order can still be undone. Undo it, or wait until it takes effect.",
);

/**
 * Plans a shipment that takes effect after a delay. Until then nobody is notified and nothing is recorded, and it can
 * be undone. After a crash the plan remains, and any node carries it out.
 */
export async function planShipment(
  { clock, db, jobs }: Context,
  ref: OrderRef,
  shipment: ReportedShipment,
  { actor, delayMs }: { readonly actor: Actor; readonly delayMs: number },
): Promise<Result<true, ShipFault>> {
  const planned = await db.transaction(async (tx): Promise<Result<true, ShipFault>> => {
    const now = clock.now();
    const order = await lockOrder(tx, ref.siteKeyHash, ref.orderId);
    if (order === undefined) return NO_ORDER;
    const lines = checkShipment(await wholeOrder(tx, order), shipment, now);
    if (!lines.ok) return lines;
    if (isWaiting(await plannedShipment(tx, ref.siteKeyHash, ref.orderId))) return WAITING;
    const { siteKeyHash, orderId } = ref;
    const dueAt = now + delayMs;
    await writePlannedShipment(tx, { siteKeyHash, orderId, shipment, actor, dueAt, problem: null });
    return ok(true);
  });
  if (planned.ok) clock.after(delayMs, () => jobs.wake(SHIPMENTS_JOB));
  return planned;
}

/** Refuses while an earlier shipment can still be undone: two would be reported in the wrong order. */
export async function noShipmentWaits(
  { db }: Context,
  { siteKeyHash, orderId }: OrderRef,
): Promise<Result<true, "conflict">> {
  return isWaiting(await plannedShipment(db, siteKeyHash, orderId)) ? WAITING : ok(true);
}

/** Undoes a shipment that has not taken effect, or removes the problem of one that could not. */
export async function undoShipment(
  { clock, db }: Context,
  ref: OrderRef,
): Promise<Result<true, "not_found" | "conflict">> {
  return db.transaction(async (tx) => {
    const plan = await plannedShipment(tx, ref.siteKeyHash, ref.orderId);
    if (plan === undefined) return refuse("not_found", "There is nothing to undo.");
    if (isWaiting(plan) && plan.dueAt <= clock.now()) return TOO_LATE;
    // Another node, whose clock is ahead, may have carried it out meanwhile.
    return (await takePlannedShipment(tx, plan)) ? ok(true) : TOO_LATE;
  });
}

const NO_LONGER_OWNER = "The person who reported it no longer has access. Report it again.";

/** Carries out one shipment, and deletes the plan in the same commit: a crash never reports it twice. */
async function carryOut(context: Context, plan: PlannedShipment): Promise<void> {
  const { clock, db } = context;
  const { siteKeyHash, shipment, actor } = plan;
  const ended = await withoutAccess(db, siteKeyHash, [actor.id], clock.now(), "owner");
  const write = async (tx: Transaction) => {
    if (!(await takePlannedShipment(tx, plan))) throw new Error("the shipment no longer stands");
  };
  const result =
    ended.length > 0
      ? refuse("conflict", NO_LONGER_OWNER)
      : await shipOrder(context, plan, { ...shipment, origin: { write } }, actor as Actor);
  if (result.ok) return;
  await db.transaction((tx) => writeShipmentProblem(tx, plan, result.detail));
}

/** Carries out the shipments that are due. */
export async function carryOutShipments(context: Context, stopping: () => boolean): Promise<void> {
  const { clock, db, log } = context;
  const now = clock.now();
  for (const plan of await duePlannedShipments(db, now, DUE_MAX)) {
    if (stopping()) return;
    // The others continue; one that failed stays and is tried at the next run.
    await carryOut(context, plan).catch((error: unknown) =>
      log.error({ error, order: plan.orderId }, "orders.shipment_failed"),
    );
  }
  await db.transaction((tx) => deleteOldPlannedShipments(tx, now - PROBLEM_MS));
}
