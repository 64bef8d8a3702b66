import type { ExpectedRead, Queries, Transaction } from "../../infra/db/database.js";
import { deleterOf, selectValues } from "../../infra/db/statements.js";
import { flag, jsonOrNull, Table } from "../../infra/db/table.js";
import {
  type ArrivingSync,
  type FinishedSync,
  SEEN_EVERY_MS,
  type ShopConnection,
} from "./shop-connection.js";

const connections = new Table<ShopConnection>("shop_connections", {
  siteKeyHash: "site_key_hash",
  connectionId: "connection_id",
  endpoint: "endpoint",
  system: "system",
  sells: flag("sells"),
  cartLink: "cart_link",
  sealedSecret: "sealed_secret",
  edgeTokenId: "edge_token_id",
  connectedAt: "connected_at",
  seenAt: "seen_at",
  sync: jsonOrNull<ArrivingSync>("sync"),
  synced: jsonOrNull<FinishedSync>("synced"),
});

const keyOf = (siteKeyHash: string) => ({ site_key_hash: siteKeyHash });

/** The system that a site is connected to, whether it sells or not. */
export function siteConnection(
  db: Queries,
  siteKeyHash: string,
): Promise<ShopConnection | undefined> {
  return connections.find(db, keyOf(siteKeyHash));
}

/** The shop system of a site; undefined if its products, quotes and orders are here. */
export async function shopConnection(
  db: Queries,
  siteKeyHash: string,
): Promise<ShopConnection | undefined> {
  const connection = await siteConnection(db, siteKeyHash);
  return connection?.sells ? connection : undefined;
}

/** What {@link shopConnection} reads. */
export function readOfShopConnection(siteKeyHash: string): ExpectedRead {
  return { kind: "find", table: "shop_connections", key: keyOf(siteKeyHash) };
}

export const shopConnectionById = connections.by("connection_id");

/** Writes a connection. A new one replaces the old one of its site. */
export function writeShopConnection(tx: Transaction, connection: ShopConnection): Promise<void> {
  return connections.upsert(tx, connection, { key: ["site_key_hash"] });
}

/** Writes how far the full list of products has arrived. False if the connection was replaced meanwhile. */
export async function writeSync(tx: Transaction, connection: ShopConnection): Promise<boolean> {
  const row = connections.rowOf(connection);
  const { connectionId } = connection;
  const columns = ["sync", "synced"];
  return (await connections.update(tx, row, columns, "connection_id = ?", connectionId)) === 1;
}

/** Notes that a signed message of a connection has arrived. */
export async function markSeen(
  db: Queries,
  { connectionId, seenAt }: ShopConnection,
  now: number,
): Promise<void> {
  if (now < seenAt + SEEN_EVERY_MS) return;
  const sql = "UPDATE shop_connections SET seen_at = ? WHERE connection_id = ? AND seen_at < ?";
  await db.run(sql, now, connectionId, now);
}

/** Ends the connection of a site. */
export const deleteShopConnection = deleterOf("shop_connections", "shop_connection_codes");

/** The sites whose products come from a shop system. */
export function connectedSites(db: Queries): Promise<string[]> {
  return selectValues<string>(db, "site_key_hash", "shop_connections WHERE sells = 1");
}

/** Ends every connection: after a restore nobody can tell which of them were ended since. */
export async function deleteAllShopConnections(db: Queries): Promise<number> {
  await db.run("DELETE FROM shop_connection_codes");
  return db.run("DELETE FROM shop_connections");
}
