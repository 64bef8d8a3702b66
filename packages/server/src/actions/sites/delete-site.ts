import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { deleteEdgeTokens } from "../../domain/access/edge/store.js";
import { deleteAgents } from "../../domain/agents/store.js";
import type { Actor } from "../../domain/audit/drafts.js";
import { deleteBuyers } from "../../domain/buyers/store.js";
import { deleteCarts } from "../../domain/checkouts/carts/store.js";
import { deleteCheckouts } from "../../domain/checkouts/store.js";
import { keepAnswers } from "../../domain/decisions/kept/store.js";
import { deleteDecisions } from "../../domain/decisions/store.js";
import { deleteDeclines } from "../../domain/declines/store.js";
import { deleteLastCheck } from "../../domain/install-checks/store.js";
import { deleteMandateSettings } from "../../domain/mandate-settings/store.js";
import { deleteNotifySettings } from "../../domain/notify-settings/store.js";
import { deleteAdjustments } from "../../domain/orders/adjustments/store.js";
import { deleteOrderBuyers } from "../../domain/orders/buyers/store.js";
import { deletePlannedShipments } from "../../domain/orders/planned/store.js";
import { deleteMessages } from "../../domain/outbox/store.js";
import { deleteOwnProfile } from "../../domain/own-profiles/store.js";
import { endAccounts } from "../../domain/payments/accounts/store.js";
import { deleteChangeReasons, hasPendingChanges } from "../../domain/payments/changes/store.js";
import { hasOpenPayments } from "../../domain/payments/store.js";
import { deletePlatforms } from "../../domain/platforms/store.js";
import { deleteFeed } from "../../domain/product-feeds/store.js";
import { deleteProducts } from "../../domain/products/store.js";
import { deleteQuestions } from "../../domain/questions/store.js";
import { deleteRejections } from "../../domain/rejections/store.js";
import { deleteReviews } from "../../domain/reviews/store.js";
import { deleteVerdicts } from "../../domain/reviews/verdicts/store.js";
import { deleteShopConnection } from "../../domain/shop-connections/store.js";
import { deleteShopEvents } from "../../domain/shop-events/store.js";
import { deleteVersions } from "../../domain/shop-products/store.js";
import { deleteShopQuotes } from "../../domain/shop-quotes/store.js";
import { deleteShopSettings } from "../../domain/shop-settings/store.js";
import { deleteSiteKeys } from "../../domain/site-keys/store.js";
import { deleteSite as markDeleted, siteByHash } from "../../domain/sites/store.js";
import { deleteStrangerRecords } from "../../domain/stranger-records/store.js";
import { deleteReplies } from "../../domain/ucp-replies/store.js";
import { deleteVisits } from "../../domain/visits/store.js";
import { leaveDeletedSite } from "../people/leave-deleted-site.js";
import { siteChange } from "./site-change.js";

const NO_SITE = refuse("not_found", "There is no such site.");
const UNSETTLED = refuse(
  "conflict",
  "The outcome of a payment of this site is not known yet. Wait until it is known, then delete the site.",
);

/**
 * Deletes a site and the data about its visitors. Its row stays, so that its key is never issued again, and
 * its log stays too. The answers to its mandates are kept for 90 days, so that an agent that sends one again
 * does not believe it failed and buy elsewhere.
 */
export async function deleteSite(
  context: Context,
  siteKeyHash: string,
  actor: Actor,
): Promise<Result<true, "not_found" | "conflict">> {
  const { audit, clock, revocations } = context;
  type Answer = Result<true, "not_found" | "conflict">;
  const { answer } = await audit.commit<Answer>(siteKeyHash, async (tx) => {
    const site = await siteByHash(tx, siteKeyHash);
    const now = clock.now();
    if (site === undefined) return { records: [], answer: NO_SITE };
    // Otherwise the agent could never find out whether its order was paid.
    const isUnsettled =
      (await hasOpenPayments(tx, siteKeyHash)) || (await hasPendingChanges(tx, siteKeyHash));
    if (isUnsettled) return { records: [], answer: UNSETTLED };
    if (!(await markDeleted(tx, siteKeyHash, now))) return { records: [], answer: NO_SITE };
    await keepAnswers(tx, siteKeyHash, now);
    await deleteVisits(tx, siteKeyHash);
    await deleteEdgeTokens(tx, siteKeyHash);
    await deleteAgents(tx, siteKeyHash);
    await deletePlatforms(tx, siteKeyHash);
    await deleteMandateSettings(tx, siteKeyHash);
    await deleteDecisions(tx, siteKeyHash);
    await deleteReviews(tx, siteKeyHash);
    await deleteVerdicts(tx, siteKeyHash);
    await deleteDeclines(tx, siteKeyHash);
    await deleteProducts(tx, siteKeyHash);
    await deleteFeed(tx, siteKeyHash);
    await deleteBuyers(tx, siteKeyHash);
    await deleteOrderBuyers(tx, siteKeyHash);
    await deleteCarts(tx, siteKeyHash);
    await deleteCheckouts(tx, siteKeyHash);
    await deleteReplies(tx, siteKeyHash);
    await deleteQuestions(tx, siteKeyHash);
    await deleteRejections(tx, siteKeyHash);
    await deleteStrangerRecords(tx, siteKeyHash);
    await deleteOwnProfile(tx, siteKeyHash);
    await deleteLastCheck(tx, siteKeyHash);
    await deleteShopSettings(tx, siteKeyHash);
    await deleteShopConnection(tx, siteKeyHash);
    await deleteShopEvents(tx, siteKeyHash);
    await deleteVersions(tx, siteKeyHash);
    await deleteShopQuotes(tx, siteKeyHash);
    await deleteSiteKeys(tx, siteKeyHash);
    // Payments that were requested with an account are still settled; then its secrets are deleted.
    await endAccounts(tx, siteKeyHash, now);
    await deleteNotifySettings(tx, siteKeyHash);
    await deleteMessages(tx, siteKeyHash);
    await deleteAdjustments(tx, siteKeyHash);
    await deletePlannedShipments(tx, siteKeyHash);
    await deleteChangeReasons(tx, siteKeyHash);
    const left = await leaveDeletedSite(context, tx, siteKeyHash, actor);
    const deleted = { ...site, version: site.version + 1 };
    const record = await siteChange("deleted", deleted, { actor, now });
    return { records: [...left, record], answer: ok(true) };
  });
  await revocations.write();
  return answer;
}
