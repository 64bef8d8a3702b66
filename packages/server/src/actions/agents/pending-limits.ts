import type { KeySource } from "@gatehouse/protocol";
import { deleteOldestPending, pendingShares } from "../../domain/agents/pending/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { DAY_MS } from "../../infra/time.js";
import { webName } from "../../infra/web-name.js";

/** Pending agents of one site: in total, and of one domain or network. */
const PENDING_MAX = 200;
const PENDING_PER_SHARE_MAX = 20;
/** How long an agent stays pending, with and without a domain that publishes its key. */
const ANCHORED_MS = 30 * DAY_MS;
const UNANCHORED_MS = 7 * DAY_MS;
/** An agent whose domain publishes its key counts less, because a domain costs more than an address. */
const UNANCHORED_WEIGHT = 2;

const DOMAIN = "domain:";

/** The domain or network whose share of the pending agents an agent uses. */
export function pendingShare(keySource: KeySource | null, network: string): string {
  const domain = keySource === null ? undefined : webName(keySource.url)?.domain;
  return domain === undefined ? `network:${network}` : DOMAIN + domain;
}

export const pendingMs = (share: string) =>
  share.startsWith(DOMAIN) ? ANCHORED_MS : UNANCHORED_MS;

/**
 * Frees a row for one more pending agent. A full share replaces its own oldest agent; a full site replaces
 * the oldest of the largest share. So nobody is locked out, and the one who registers most loses first.
 */
export async function makePendingRoom(
  tx: Transaction,
  siteKeyHash: string,
  share: string,
): Promise<void> {
  const shares = await pendingShares(tx, siteKeyHash);
  const own = shares.find((one) => one.share === share);
  if (own !== undefined && own.waiting >= PENDING_PER_SHARE_MAX) {
    return deleteOldestPending(tx, siteKeyHash, share);
  }
  if (shares.reduce((sum, { waiting }) => sum + waiting, 0) < PENDING_MAX) return;
  const weight = (one: (typeof shares)[number]) =>
    one.share.startsWith(DOMAIN) ? one.waiting : one.waiting * UNANCHORED_WEIGHT;
  const [largest] = shares.toSorted((a, b) => weight(b) - weight(a) || a.oldest - b.oldest);
  if (largest !== undefined) await deleteOldestPending(tx, siteKeyHash, largest.share);
}
