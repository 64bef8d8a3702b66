import type { ReasonCode } from "@gatehouse/protocol";
import { checkoutById, isUnderWay } from "../domain/checkouts/store.js";
import type { Decision } from "../domain/decisions/decision.js";
import { currentAccount } from "../domain/payments/accounts/store.js";
import type { Payment } from "../domain/payments/payment.js";
import { platformByIdentity } from "../domain/platforms/store.js";
import { sell } from "../domain/products/store.js";
import { sells } from "../domain/sites/gates.js";
import { isPaused } from "../domain/sites/pause/store.js";
import { siteByHash } from "../domain/sites/store.js";
import type { Transaction } from "../infra/db/database.js";
import { identityOfBuyer } from "./identity.js";

/**
 * What closed while the buyer was on the provider's page: the owner may have shut a gate, paused sales,
 * connected another account or suspended the platform.
 */
async function closedSincePage(
  tx: Transaction,
  { siteKeyHash, checkoutId, provider, accountId }: Payment,
): Promise<ReasonCode | undefined> {
  const site = await siteByHash(tx, siteKeyHash);
  if (site === undefined) return "site_not_found";
  if (site.pausedAt !== null) return "site_paused";
  if (!sells(site) || site.provider?.kind !== provider) return "skill_not_live";
  // A test page must not sell anything after the shop has gone live.
  const isCurrent =
    accountId === null || (await currentAccount(tx, siteKeyHash))?.accountId === accountId;
  if (!isCurrent) return "skill_not_live";
  const checkout = await checkoutById(tx, siteKeyHash, checkoutId ?? "");
  if (checkout === undefined) return "checkout_cancelled";
  const { standing } = await identityOfBuyer(tx, siteKeyHash, checkout.platform);
  return standing === "suspended" ? "agent_suspended" : undefined;
}

/** Why there can be no order; undefined if there can, and then the goods are marked as sold. */
export async function orderObstacle(
  tx: Transaction,
  payment: Payment,
  decision: Decision | undefined,
): Promise<ReasonCode | undefined> {
  const { siteKeyHash, items, checkoutId, decisionId, challengeUrl } = payment;
  if (decision === undefined) return "site_not_found";
  const closed = payment.hosted ? await closedSincePage(tx, payment) : undefined;
  if (closed !== undefined) return closed;
  // A buyer may take half an hour to confirm to the bank. If the owner has stopped sales since, it is voided.
  if (challengeUrl !== null) {
    if (await isPaused(tx, siteKeyHash)) return "site_paused";
    const platform = await platformByIdentity(tx, siteKeyHash, decision.identity);
    if (platform?.status === "suspended") return "agent_suspended";
  }
  const stillWanted = checkoutId === null || (await isUnderWay(tx, { checkoutId, decisionId }));
  if (!stillWanted) return "checkout_cancelled";
  return (await sell(tx, siteKeyHash, items)) ? undefined : "out_of_stock";
}
