import { COMPLETE_CHECKOUT, type JsonObject, ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Agent } from "../../domain/agents/agent.js";
import { type Checkout, emailOf, isReady, pageUrl } from "../../domain/checkouts/checkout.js";
import { lockCheckout, writeCheckout } from "../../domain/checkouts/store.js";
import { type DeclineWait, declineWait } from "../../domain/declines/caller.js";
import type { Payment } from "../../domain/payments/payment.js";
import { noteSeen } from "../../domain/platforms/store.js";
import { closedMessage, sells } from "../../domain/sites/gates.js";
import type { Site } from "../../domain/sites/site.js";
import { reloadSite } from "../../domain/sites/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { commitDecision } from "../../purchase/commit.js";
import { evaluate } from "../../purchase/evaluate.js";
import { isPooled } from "../../purchase/identity.js";
import type { PurchaseRequest } from "../../purchase/request.js";
import { changeOf, type Notice, noticeOf } from "./completion-notice.js";
import { platformActor } from "./platform-actor.js";
import { reviewsFull, standingProblem } from "./platform-standing.js";
import { quoteDigest, quotedItems, quoteFor } from "./quote.js";
import { type Changed, type CheckoutPlace, ownCheckout, refusalOf, takenOver } from "./sessions.js";

const PROTOCOL = "ucp";

/** What completing a checkout has come to so far. */
export interface Completing extends Changed {
  readonly notice?: Notice;
  /** Nothing was tried, and something was written all the same: what is shown now. */
  readonly changed?: true;
  /** To be asked for once this is committed. */
  readonly payment?: Payment | undefined;
  /** No payment was requested, because the platform has to wait after declined payments. */
  readonly wait?: DeclineWait;
}

interface Completion extends CheckoutPlace {
  readonly site: Site;
  /** How the buyer pays: what the site's processor takes. Undefined where that cannot be read. */
  readonly token: string | undefined;
  /** Whether the platform can say where something goes. */
  readonly canShip: boolean;
  readonly requestId: string;
  /** The address the call came from, as limits name it. */
  readonly source: string;
}

/** Who asked for what, as records say it. */
function aboutCompletion(agent: Agent, checkout: Checkout, requestId: string): JsonObject {
  const { checkoutId: checkout_id, quote } = checkout;
  const route = "/v1/ucp/{site_key_hash}/checkout-sessions/{id}/complete";
  return {
    agent: { id: agent.agentId },
    checkout: { checkout_id, digest: quoteDigest(quote) },
    protocol: PROTOCOL,
    skill: COMPLETE_CHECKOUT,
    request: { id: requestId, method: "POST", route },
  };
}

/** If only an instrument or a buyer waits, another one may pay at once; otherwise the caller waits. */
function waitOrNotice(wait: DeclineWait): Pick<Completing, "wait" | "notice"> {
  if (wait.kind !== "instrument" && wait.kind !== "buyer") return { wait };
  return { notice: { code: "not_payable", content: wait.message } };
}

/**
 * Completes a checkout: prices it once more, asks the rules, and writes down that the processor will
 * be asked. What a platform has not been shown is shown, and never charged.
 */
export async function completeCheckout(
  context: Context,
  tx: Transaction,
  asked: Completion,
): Promise<Result<Completing, "not_found" | "shut">> {
  const { siteKeyHash, token, requestId } = asked;
  const site = await reloadSite(tx, asked.site);
  if (site === undefined) return refuse("shut", "This shop is not there any more.");
  if (!sells(site)) return refuse("shut", closedMessage(site));
  await lockCheckout(tx, asked.checkoutId);
  const found = await ownCheckout(tx, asked);
  if (!found.ok) return found;
  const refusal = refusalOf(context, found.value);
  if (refusal !== undefined) return ok({ checkout: found.value, refusal, records: [] });
  const before = found.value;
  const refused = noticeOf(context, { ...asked, site }, before);
  // What the shop has refused for good is not put before it again, and what nobody could send not at all.
  const hopeless = before.problem?.final === true || (before.quote.ships && !asked.canShip);
  if (refused !== undefined || hopeless || token === undefined) {
    return ok({ checkout: before, records: [], ...(refused && { notice: refused }) });
  }
  const quote = await quoteFor(tx, siteKeyHash, before.content, "order");
  const shown = { ...takenOver(before, asked.platform), quote };
  const notice = changeOf(before, shown);
  if (notice !== undefined) {
    await writeCheckout(tx, shown);
    const told = isReady(quote) ? { notice } : {};
    return ok({ checkout: shown, records: [], changed: true, ...told });
  }
  if (!isReady(quote) || quote.currency === null) return ok({ checkout: shown, records: [] });
  const now = context.clock.now();
  const checkout = { ...shown, tries: shown.tries + 1 };
  await noteSeen(tx, siteKeyHash, asked.platform, now);
  const { agent, identity } = await platformActor(tx, siteKeyHash, asked.platform, now);
  const problem = await standingProblem(tx, site, identity, now);
  if (problem !== undefined) {
    const stopped = { ...shown, problem };
    await writeCheckout(tx, stopped);
    return ok({ checkout: stopped, records: [], changed: true });
  }
  const provider = site.processor?.kind;
  if (provider === undefined) throw new Error("a site sells without a payment provider");
  const payment = {
    provider,
    token,
    returnUrl: pageUrl(context.config, checkout),
    caller: {
      identity: identity.id,
      admitted: !isPooled(identity),
      source: asked.source,
      buyer: emailOf(shown),
    },
  };
  const wait = await declineWait(context, tx, siteKeyHash, payment);
  if (wait !== undefined) return ok({ checkout: shown, records: [], ...waitOrNotice(wait) });
  const request: PurchaseRequest = {
    kind: "checkout",
    site,
    agent,
    identity,
    // Can be asked about like a mandate's id.
    mandateId: `${checkout.checkoutId}-${checkout.tries}`,
    digest: quoteDigest(quote),
    kid: null,
    skill: COMPLETE_CHECKOUT,
    protocol: PROTOCOL,
    amount: { currency: quote.currency, minor: quote.totals.totalMinor },
    items: quotedItems(quote),
    payment,
    checkout,
    about: aboutCompletion(agent, checkout, requestId),
    now,
  };
  const verdict = await evaluate(context, tx, { ...request, siteKeyHash });
  // Purchases that need no review are not stopped by the number of pending reviews.
  if (verdict.outcome === "escalated" && (await reviewsFull(tx, siteKeyHash, identity))) {
    const content = "Too many orders wait for the shop's review. Try again later.";
    return ok({ checkout: shown, records: [], notice: { code: "too_many_reviews", content } });
  }
  const committed = await commitDecision(context, tx, request, verdict);
  const { records, payment: requested, checkout: tried = checkout } = committed;
  return ok({ checkout: tried, records, payment: requested });
}
