import {
  HANDED_OFF,
  NOT_ADMITTED,
  PLATFORM_SUSPENDED,
  type Problem,
} from "../../domain/checkouts/checkout.js";
import { handedOffUntil } from "../../domain/declines/waits.js";
import { platformSettings } from "../../domain/platforms/settings/store.js";
import { acceptedBy } from "../../domain/platforms/settings.js";
import { countPending } from "../../domain/reviews/store.js";
import { shopSettings } from "../../domain/shop-settings/store.js";
import type { Site } from "../../domain/sites/site.js";
import type { Queries, Transaction } from "../../infra/db/database.js";
import { type Identity, isPooled } from "../../purchase/identity.js";

/** Pending reviews of one platform. */
const PENDING_MAX = 50;

/** Whether a platform, or the pool of platforms not admitted, has its maximum of pending reviews. */
export async function reviewsFull(
  tx: Transaction,
  siteKeyHash: string,
  identity: Identity,
): Promise<boolean> {
  const pending = await countPending(tx, siteKeyHash, identity.id);
  if (pending.own >= PENDING_MAX) return true;
  return (
    isPooled(identity) &&
    pending.pooled >= (await platformSettings(tx, siteKeyHash)).pool.pendingReviews
  );
}

/** Why a platform may not pay here; undefined if it may. */
export async function standingProblem(
  tx: Transaction,
  { siteKeyHash, provider }: Site,
  { standing }: Identity,
  now: number,
): Promise<Problem | undefined> {
  if (standing === "suspended") return PLATFORM_SUSPENDED;
  if (standing !== "unlisted") return undefined;
  const settings = await platformSettings(tx, siteKeyHash);
  if (acceptedBy(settings, provider) === "admitted") return NOT_ADMITTED;
  return (await handedOffUntil(tx, siteKeyHash, now)) === undefined ? undefined : HANDED_OFF;
}

/** Whether the owner lets platforms pay that do not sign their requests. */
export async function acceptsUnsigned(db: Queries, siteKeyHash: string): Promise<boolean> {
  return (await shopSettings(db, siteKeyHash)).allowUnsigned;
}
