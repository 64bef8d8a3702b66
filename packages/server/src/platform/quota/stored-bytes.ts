import type { Queries, Transaction } from "../db/database.js";

/**
 * Whose share of a site's stored bytes a row uses: `{class}:{name}`. Rows of nobody's share, such as
 * those an order came of, have the empty text.
 */
export type Holder = string;

/** What one class of holders stores never takes room from the other. */
export type HolderClass = "unsigned" | "signed";

/** Tables whose rows strangers can cause. */
export type CountedTable = "carts" | "checkouts" | "ucp_replies";

/** What a row costs besides its own texts: its header, its numbers, its place in every index. */
const ROW_BYTES = 600;

/** What a row with these texts takes, on either database. */
export function rowBytes(...texts: readonly (string | null)[]): number {
  let bytes = ROW_BYTES;
  for (const text of texts) if (text !== null) bytes += Buffer.byteLength(text);
  return bytes;
}

/** Adds what was written to its holder's share, or takes it off; in the transaction that wrote it. */
export async function countBytes(
  tx: Queries,
  siteKeyHash: string,
  holder: Holder,
  delta: number,
): Promise<void> {
  if (holder === "" || delta === 0) return;
  await tx.run(
    `INSERT INTO stored_bytes (site_key_hash, holder, bytes) VALUES (?, ?, ?)
     ON CONFLICT (site_key_hash, holder) DO UPDATE SET bytes = stored_bytes.bytes + ?`,
    ...[siteKeyHash, holder, delta, delta],
  );
}

/**
 * Deletes rows and takes them off their holders' shares. Returns how many bytes that were. The
 * condition is the code's own; only its values may be anybody's.
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
  // In one order for all: two transactions never wait for each other's shares.
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
    ...[siteKeyHash, `${holderClass}:`, `${holderClass};`],
  );
}

/** What is stored for one class of holders, of all sites. */
export async function bytesOfClass(db: Queries, holderClass: HolderClass): Promise<number> {
  const row = await db.get<{ bytes: number | null }>(
    "SELECT SUM(bytes) AS bytes FROM stored_bytes WHERE holder >= ? AND holder < ?",
    ...[`${holderClass}:`, `${holderClass};`],
  );
  return Number(row?.bytes ?? 0);
}

/** Drops shares that nothing is left of; an absent one and an empty one mean the same. */
export async function deleteEmptyShares(db: Queries): Promise<void> {
  await db.run("DELETE FROM stored_bytes WHERE bytes <= 0");
}
