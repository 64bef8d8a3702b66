import { createHmac, type KeyObject } from "node:crypto";
import type { Queries, Transaction } from "../db/database.js";
import { selectNumber } from "../db/statements.js";
import type { Secrets } from "../secrets/secrets.js";

/**
 * Whose share of a site's stored bytes a row uses: `{class}:{name}`. Empty for rows that use no share,
 * such as checkouts that became an order.
 */
export type Holder = string;

/** Each class of holders has its own quota. */
export type HolderClass = "unsigned" | "signed";

/** Tables whose rows strangers can cause. */
export type CountedTable = "carts" | "checkouts" | "ucp_replies";

/** Bytes of a row in addition to its texts: header, numbers and index entries. */
const ROW_BYTES = 600;

/** Bytes that a row with these texts takes, on either database. */
export function rowBytes(...texts: readonly (string | null)[]): number {
  let bytes = ROW_BYTES;
  for (const text of texts) if (text !== null) bytes += Buffer.byteLength(text);
  return bytes;
}

/** Adds bytes to a holder's share, or subtracts them, in the transaction that writes the rows. */
export async function countBytes(
  tx: Transaction,
  siteKeyHash: string,
  holder: Holder,
  delta: number,
): Promise<void> {
  if (holder === "" || delta === 0) return;
  await tx.add("stored_bytes", { site_key_hash: siteKeyHash, holder }, { bytes: delta });
}

/**
 * Deletes rows and subtracts them from their holders' shares. Returns the bytes freed. The condition
 * must be a constant of the code; only its values may come from callers.
 */
export async function deleteCounted(
  tx: Transaction,
  table: CountedTable,
  condition: string,
  ...values: readonly (string | number)[]
): Promise<number> {
  interface Deleted {
    site_key_hash: string;
    holder: Holder;
    bytes: number;
  }
  const sql = `DELETE FROM ${table} WHERE ${condition} RETURNING site_key_hash, holder, bytes`;
  const shares = new Map<string, Deleted>();
  let all = 0;
  for (const row of await tx.all<Deleted>(sql, ...values)) {
    const key = `${row.site_key_hash} ${row.holder}`;
    const share = shares.get(key);
    if (share === undefined) shares.set(key, { ...row });
    else share.bytes += row.bytes;
    all += row.bytes;
  }
  // Always in the same order, so that two transactions never deadlock.
  for (const key of [...shares.keys()].sort()) {
    const { site_key_hash, holder, bytes } = shares.get(key) as Deleted;
    await countBytes(tx, site_key_hash, holder, -bytes);
  }
  return all;
}

export interface Share {
  readonly holder: Holder;
  readonly bytes: number;
}

/** The shares of one class of holders at a site, the largest first. */
export async function sharesOf(
  db: Queries,
  siteKeyHash: string,
  holderClass: HolderClass,
): Promise<Share[]> {
  // `;` is the character after `:`, so that this is a range of the primary key.
  return db.all<Share>(
    `SELECT holder, bytes FROM stored_bytes
     WHERE site_key_hash = ? AND holder >= ? AND holder < ? AND bytes > 0
     ORDER BY bytes DESC, holder`,
    siteKeyHash,
    `${holderClass}:`,
    `${holderClass};`,
  );
}

/** What is stored for one class of holders, of all sites. */
export function bytesOfClass(db: Queries, holderClass: HolderClass): Promise<number> {
  const from = "stored_bytes WHERE holder >= ? AND holder < ?";
  return selectNumber(db, "SUM(bytes)", from, `${holderClass}:`, `${holderClass};`);
}

/** Deletes empty shares; an absent share means the same. */
export async function deleteEmptyShares(db: Queries): Promise<void> {
  await db.run("DELETE FROM stored_bytes WHERE bytes <= 0");
}

/** The number of shares that networks are mapped to. */
const SHARES = 4096;

/**
 * Maps the networks of callers to numbers, so that each has a share of what strangers may store. The
 * numbers may be stored: many networks have the same number, and without the secrets key nobody can
 * tell which.
 */
export class NetworkShares {
  private readonly key: KeyObject;

  constructor(secrets: Secrets) {
    this.key = secrets.keyFor("networks of unsigned callers v1");
  }

  /** `network`: the largest network of an address. */
  shareOf(network: string): string {
    const mac = createHmac("sha256", this.key).update(network).digest();
    return (mac.readUInt16BE(0) % SHARES).toString(16).padStart(3, "0");
  }
}
