import type { Queries, Transaction } from "../../../infra/db/database.js";
import { deleterOf } from "../../../infra/db/statements.js";
import { json, Table } from "../../../infra/db/table.js";
import { ORDER_TOPIC } from "../order.js";
import type { PlannedShipment } from "./planned-shipment.js";

type OrderRef = Pick<PlannedShipment, "siteKeyHash" | "orderId">;

const shipments = new Table<PlannedShipment>("planned_shipments", {
  orderId: "order_id",
  siteKeyHash: "site_key_hash",
  shipment: json("shipment"),
  actor: json("actor"),
  dueAt: "due_at",
  problem: "problem",
});

export const plannedShipment = shipments.ofSiteBy("order_id");

/** Writes a shipment in place of an earlier one. */
export async function writePlannedShipment(tx: Transaction, plan: PlannedShipment): Promise<void> {
  await tx.run("DELETE FROM planned_shipments WHERE order_id = ?", plan.orderId);
  await shipments.insert(tx, [plan]);
  tx.announce(ORDER_TOPIC, plan.siteKeyHash);
}

/** One plan: an order can get another one after it was undone. */
const THIS_PLAN = "WHERE site_key_hash = ? AND order_id = ? AND due_at = ?";

/** Deletes a shipment; false if it was undone or has taken effect. */
export async function takePlannedShipment(
  tx: Transaction,
  { siteKeyHash, orderId, dueAt }: PlannedShipment,
): Promise<boolean> {
  const sql = `DELETE FROM planned_shipments ${THIS_PLAN}`;
  const isDeleted = (await tx.run(sql, siteKeyHash, orderId, dueAt)) === 1;
  if (isDeleted) tx.announce(ORDER_TOPIC, siteKeyHash);
  return isDeleted;
}

/** Writes why a shipment did not take effect, if it still stands. */
export async function writeShipmentProblem(
  tx: Transaction,
  { siteKeyHash, orderId, dueAt }: PlannedShipment,
  problem: string,
): Promise<void> {
  const sql = `UPDATE planned_shipments SET problem = ? ${THIS_PLAN}`;
  await tx.run(sql, problem, siteKeyHash, orderId, dueAt);
  tx.announce(ORDER_TOPIC, siteKeyHash);
}

/** Deletes the shipment of an order, if there is one. */
export async function deletePlannedShipment(
  tx: Transaction,
  { siteKeyHash, orderId }: OrderRef,
): Promise<void> {
  const sql = "DELETE FROM planned_shipments WHERE site_key_hash = ? AND order_id = ?";
  if ((await tx.run(sql, siteKeyHash, orderId)) > 0) tx.announce(ORDER_TOPIC, siteKeyHash);
}

/** Shipments of all sites that are to take effect now. */
export function duePlannedShipments(
  db: Queries,
  now: number,
  limit: number,
): Promise<PlannedShipment[]> {
  const rest = "WHERE due_at <= ? AND problem IS NULL ORDER BY due_at, order_id LIMIT ?";
  return shipments.all(db, rest, now, limit);
}

/** Deletes what did not take effect long ago. */
export async function deleteOldPlannedShipments(tx: Transaction, before: number): Promise<void> {
  await tx.run("DELETE FROM planned_shipments WHERE due_at <= ? AND problem IS NOT NULL", before);
}

export const deletePlannedShipments = deleterOf("planned_shipments");
