import type { ExpectedRead, Queries, Transaction } from "../../infra/db/database.js";
import { deleterOf } from "../../infra/db/statements.js";
import { jsonOrNull, Table } from "../../infra/db/table.js";
import type { ArrivingSync, FinishedSync, ShopConnection } from "./shop-connection.js";

const connections = new Table<ShopConnection>("shop_connections", {
  siteKeyHash: "site_key_hash",
  connectionId: "connection_id",
  endpoint: "endpoint",
  system: "system",
  cartLink: "cart_link",
  sealedSecret: "sealed_secret",
  edgeTokenId: "edge_token_id",
  connectedAt: "connected_at",
  seenAt: "seen_at",
  sync: jsonOrNull<ArrivingSync>("sync"),
  synced: jsonOrNull<FinishedSync>("synced"),
});

const keyOf = (siteKeyHash: string) => ({ site_key_hash: siteKeyHash });

/** The connection of a site; undefined if its products, quotes and orders are here. */
export function shopConnection(
  db: Queries,
  siteKeyHash: string,
): Promise<ShopConnection | undefined> {
  return connections.find(db, keyOf(siteKeyHash));
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

export const deleteShopConnection = deleterOf("shop_connections", "shop_connection_codes");
