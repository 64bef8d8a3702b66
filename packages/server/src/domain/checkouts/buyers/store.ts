import type { JsonObject } from "@gatehouse/protocol";
import type { Queries, Transaction } from "../../../infra/db/database.js";
import { unpackJson } from "../../../infra/db/table.js";
import type { Cart } from "../carts/cart.js";
import { carts } from "../carts/store.js";
import { type Checkout, type CheckoutContent, chosenAddress } from "../checkout.js";
import { checkouts } from "../store.js";

/** A cart or checkout whose buyer has to be read. */
export interface UnreadBuyer {
  readonly table: "checkouts" | "carts";
  readonly id: string;
  readonly siteKeyHash: string;
  /** The stored text with the buyer. */
  readonly text: string;
  /** Empty if the buyer has none. */
  readonly email: string;
  /** The names that the buyer is found by. */
  readonly names: readonly string[];
  /** The order that was made of a checkout. */
  readonly orderId: string | null;
}

const COLUMNS = {
  checkouts: {
    id: "checkout_id",
    text: "content",
    order: "order_id",
    buyerIn(text: string) {
      const content = unpackJson<CheckoutContent>(text);
      return { email: emailIn(content.buyer), names: namesIn(content) };
    },
  },
  carts: {
    id: "cart_id",
    text: "buyer",
    order: "NULL",
    // Nobody looks for the cart of a name.
    buyerIn: (text: string) => ({ email: emailIn(JSON.parse(text)), names: [] }),
  },
} as const;

function emailIn({ email }: JsonObject): string {
  return typeof email === "string" ? email : "";
}

/** Carts or checkouts that are new or have changed since their buyer was read, of all sites. */
export async function unreadBuyers(
  db: Queries,
  table: UnreadBuyer["table"],
  limit: number,
): Promise<UnreadBuyer[]> {
  const { id, text, order, buyerIn } = COLUMNS[table];
  const rows = await db.all<Pick<UnreadBuyer, "id" | "siteKeyHash" | "text" | "orderId">>(
    `SELECT ${id} AS id, site_key_hash AS "siteKeyHash", ${text} AS text, ${order} AS "orderId"
     FROM ${table} WHERE buyer_mac IS NULL LIMIT ?`,
    limit,
  );
  return rows.map((row) => ({ table, ...row, ...buyerIn(row.text) }));
}

/** Writes who the buyer is. Returns false if the buyer or the order has changed in the meantime. */
export async function writeBuyerMac(
  tx: Transaction,
  { table, id, text, orderId }: UnreadBuyer,
  buyerMac: string,
): Promise<boolean> {
  const columns = COLUMNS[table];
  const sql = `UPDATE ${table} SET buyer_mac = ?
    WHERE ${columns.id} = ? AND ${columns.text} = ? AND COALESCE(${columns.order}, '') = ?`;
  return (await tx.run(sql, buyerMac, id, text, orderId ?? "")) === 1;
}

/** The rows of a buyer that were created until a time, after an id. */
export interface BuyerRows {
  readonly siteKeyHash: string;
  readonly buyerMac: string;
  readonly until: number;
  readonly after: string;
  readonly limit: number;
}

export function checkoutsOfBuyer(db: Queries, rows: BuyerRows): Promise<Checkout[]> {
  return checkouts.all(
    db,
    `WHERE buyer_mac = ? AND site_key_hash = ? AND created_at <= ? AND checkout_id > ?
     ORDER BY checkout_id LIMIT ?`,
    rows.buyerMac,
    rows.siteKeyHash,
    rows.until,
    rows.after,
    rows.limit,
  );
}

export function cartsOfBuyer(db: Queries, rows: BuyerRows): Promise<Cart[]> {
  return carts.all(
    db,
    `WHERE buyer_mac = ? AND site_key_hash = ? AND created_at <= ? AND cart_id > ?
     ORDER BY cart_id LIMIT ?`,
    rows.buyerMac,
    rows.siteKeyHash,
    rows.until,
    rows.after,
    rows.limit,
  );
}

const NAMES = ["full_name", "first_name", "last_name"] as const;

function nameIn(members: JsonObject): string {
  const { full_name, first_name, last_name } = members;
  const parts = typeof full_name === "string" ? [full_name] : [first_name, last_name];
  return parts.filter((part) => typeof part === "string" && part !== "").join(" ");
}

type Named = Pick<CheckoutContent, "buyer" | "delivery">;

/** The name of a buyer, or else of the person who gets the goods. Null if neither is known. */
export function buyerName({ buyer, delivery }: Named): string | null {
  return nameIn(buyer) || nameIn(chosenAddress(delivery) ?? {}) || null;
}

/** All names that somebody could look for: the buyer's, and those of the person who gets the goods. */
function namesIn({ buyer, delivery }: Named): string[] {
  return [buyer, chosenAddress(delivery) ?? {}].flatMap((members: JsonObject) =>
    NAMES.map((name) => members[name]).filter((text) => typeof text === "string"),
  );
}
