import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { evictCarts } from "../../domain/checkouts/carts/store.js";
import { evictCheckouts } from "../../domain/checkouts/store.js";
import { admittedDomains } from "../../domain/platforms/settings/store.js";
import { evictLastReplies, evictReplies } from "../../domain/ucp-replies/store.js";
import {
  type Holder,
  type HolderClass,
  type Share,
  sharesOf,
} from "../../infra/quota/stored-bytes.js";

/**
 * What callers store at a site stays within two quotas of bytes: one for signed and one for unsigned
 * callers. When a quota is full, the oldest rows of the largest holder are deleted, except checkouts
 * that somebody tried to pay for. So a holder who fills the quota loses their own rows first, and
 * newcomers still find space.
 */
const QUOTAS = {
  unsigned: "UNSIGNED_STORED_BYTES_PER_SITE",
  signed: "SIGNED_STORED_BYTES_PER_SITE",
} as const;

/** The part of the quota that is freed at once. */
const FREED_PART = 32;
/** Rows one transaction deletes of each table. */
const EVICTED_ROWS = 200;
/** Attempts to free space for one call. */
const EVICTIONS_MAX = 50;
/** Shares of one site that signed domains have for themselves; each change reads all of them. */
export const SHARES_MAX = 1_000;
/** The share of all further domains. It holds what no host can: nobody can take the name. */
const OTHERS: Holder = "signed:(others)";

/** The share that a row will use, and all shares of its class, the largest first. */
export interface StorageShare {
  readonly holder: Holder;
  readonly shares: readonly Share[];
}

const classOf = (holder: Holder): HolderClass =>
  holder.startsWith("unsigned:") ? "unsigned" : "signed";
const domainOf = (holder: Holder) => holder.slice(holder.indexOf(":") + 1);

/** The share that a holder's next row uses. Reads at most `SHARES_MAX` and the admitted ones. */
export async function storageShare(
  { db }: Context,
  siteKeyHash: string,
  holder: Holder,
): Promise<StorageShare> {
  const shares = await sharesOf(db, siteKeyHash, classOf(holder));
  const isKnown = shares.length < SHARES_MAX || shares.some((share) => share.holder === holder);
  if (isKnown || classOf(holder) === "unsigned") return { holder, shares };
  const admitted = await admittedDomains(db, siteKeyHash);
  return { holder: admitted.has(domainOf(holder)) ? holder : OTHERS, shares };
}

/** Frees space for one more row of a holder, or refuses the row. */
export async function freeStorage(
  context: Context,
  siteKeyHash: string,
  { holder, shares }: StorageShare,
): Promise<Result<null, "quota_full">> {
  const quota = context.config.limits[QUOTAS[classOf(holder)]];
  const excess = sumOf(shares) - quota;
  if (excess < 0) return ok(null);
  const isReserved = await reservedShares(context, siteKeyHash, quota);
  const evictable = shares.filter((share) => !isReserved(share));
  const freed = await evictLargest(context, siteKeyHash, evictable, excess + quota / FREED_PART);
  if (freed > excess) return ok(null);
  const own = shares.find((share) => share.holder === holder);
  if (isReserved({ holder, bytes: own?.bytes ?? 0 })) return ok(null);
  return refuse("quota_full", "This shop has too many open carts and checkouts now.");
}

/**
 * Whether a share is so small that it is never cut or refused. Half of the quota is reserved for
 * platforms that the owner admitted, in equal parts, so strangers with many domains cannot push them out.
 */
async function reservedShares(
  { db }: Context,
  siteKeyHash: string,
  quota: number,
): Promise<(share: Share) => boolean> {
  const admitted = await admittedDomains(db, siteKeyHash);
  const part = quota / 2 / Math.max(1, admitted.size);
  return ({ holder, bytes }) => bytes <= part && admitted.has(domainOf(holder));
}

/** Deletes the oldest rows of the largest shares. Returns how many bytes were freed. */
async function evictLargest(
  context: Context,
  siteKeyHash: string,
  shares: readonly Share[],
  bytesNeeded: number,
): Promise<number> {
  const left = new Map(shares.map(({ holder, bytes }) => [holder, bytes]));
  let freed = 0;
  for (let i = 0; i < EVICTIONS_MAX && freed < bytesNeeded && left.size > 0; i++) {
    const [holder, bytes] = largestIn(left);
    const gone = await evictOldest(context, siteKeyHash, holder);
    freed += gone;
    // Nothing else may be deleted: somebody tried to pay for the rows that are left.
    if (gone === 0) left.delete(holder);
    else left.set(holder, bytes - gone);
  }
  return freed;
}

/** One table in each transaction, so that transactions never wait for each other in a circle. */
async function evictOldest({ db }: Context, siteKeyHash: string, holder: Holder): Promise<number> {
  let freed = 0;
  for (const evictRows of [evictReplies, evictCarts, evictCheckouts]) {
    freed += await db.transaction((tx) => evictRows(tx, siteKeyHash, holder, EVICTED_ROWS));
  }
  if (freed > 0) return freed;
  // What these requests could change again is gone by now, unless somebody tried to pay for it.
  return db.transaction((tx) => evictLastReplies(tx, siteKeyHash, holder, EVICTED_ROWS));
}

const sumOf = (shares: readonly Share[]) => shares.reduce((sum, { bytes }) => sum + bytes, 0);

function largestIn(shares: ReadonlyMap<Holder, number>): [Holder, number] {
  let largest: [Holder, number] = ["", -1];
  for (const share of shares) if (share[1] > largest[1]) largest = share;
  return largest;
}
