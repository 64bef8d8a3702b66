import type { Context } from "../../context.js";
import { type RecordDraft, serviceActor } from "../../domain/audit/drafts.js";
import {
  type Checkout,
  emailOf,
  isReady,
  PLATFORM_SUSPENDED,
  pageUrl,
  TRIES_MAX,
} from "../../domain/checkouts/checkout.js";
import { checkoutById, lockCheckout, writeCheckout } from "../../domain/checkouts/store.js";
import { openPayments, type PaymentCaller } from "../../domain/declines/caller.js";
import type { Payment } from "../../domain/payments/payment.js";
import { PAGE_MS_MAX } from "../../domain/payments/schedule.js";
import { sells } from "../../domain/sites/gates.js";
import type { Site } from "../../domain/sites/site.js";
import { reloadSite } from "../../domain/sites/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { commitDecision } from "../../purchase/commit.js";
import { evaluate, questionOf } from "../../purchase/evaluate.js";
import { identityOfBuyer } from "../../purchase/identity.js";
import type { PurchaseRequest } from "../../purchase/request.js";
import { amountFault, settlePayment } from "../../purchase/settle.js";
import { withShopQuotes } from "../../purchase/shop-quote.js";
import { type BuyerEntries, entered } from "./buyer-entries.js";
import { actorId, platformActor } from "./platform-actor.js";
import { reviewsFull } from "./platform-standing.js";
import { endPendingReview } from "./progress.js";
import { quoteDigest } from "./quote.js";
import { purchaseOf } from "./request.js";
import { storeShownTerms, type TermsSigner } from "./terms.js";

/** Payments that may be open at a time from one address. Each reserves goods until its page closes. */
const OPEN_PAGES_MAX = 5;

const ROUTE = "/v1/ucp/{site_key_hash}/pages/{page_id}";

/** Ends a review that a payment makes superfluous. */
const PAID_INSTEAD = {
  status: "withdrawn",
  actor: serviceActor("checkout page"),
  reasonCode: "buyer_pays",
} as const;

/** A buyer's order to pay for a checkout. */
export interface PageOrder extends TermsSigner {
  readonly checkoutId: string;
  /** What was entered; null while a reviewer looks at the checkout. */
  readonly entries: BuyerEntries | null;
  /** The browser that pays. */
  readonly browserMac: string;
  /** The digest of the quote that the buyer was shown. */
  readonly shownDigest: string;
  readonly requestId: string;
  /** The address the order came from, as limits name it. */
  readonly source: string;
}

/** Why the payment page was not opened. Undefined if the state of the checkout says it. */
export type PageNotice =
  | ("changed" | "too_many_open" | "too_many_tries" | "too_many_reviews")
  | "unavailable";

interface Decided {
  readonly records: readonly RecordDraft[];
  readonly notice?: PageNotice | undefined;
  /** Settle it after the commit. */
  readonly payment?: Payment | undefined;
}

/** Where a buyer goes next: the provider's page, or back to the page of the checkout. */
export interface PageOutcome {
  readonly payUrl: string | null;
  readonly notice: PageNotice | undefined;
}

/**
 * Opens the provider's payment page for a checkout, if the owner's rules allow it: decides in one commit,
 * then asks the provider. A person who pays there pays exactly what was shown.
 */
export async function payOnPage(context: Context, order: PageOrder): Promise<PageOutcome> {
  const { siteKeyHash } = order.site;
  const write = async (tx: Transaction) => {
    const decided = await decide(context, tx, order);
    return { records: decided.records, answer: decided };
  };
  const commit = () => context.audit.commit(siteKeyHash, write);
  const { answer } = await withShopQuotes(context, commit);
  const { payment, notice } = answer;
  if (payment === undefined) return { payUrl: null, notice };
  const settled = await settlePayment(context, payment);
  return { payUrl: settled.challengeUrl, notice: undefined };
}

const stopped = (notice?: PageNotice): Decided => ({ records: [], notice });

async function decide(context: Context, tx: Transaction, order: PageOrder): Promise<Decided> {
  const site = await reloadSite(tx, order.site);
  if (site === undefined || !sells(site)) return stopped();
  await lockCheckout(tx, order.checkoutId);
  const before = await checkoutById(tx, site.siteKeyHash, order.checkoutId);
  const { clock } = context;
  const isOver = before?.status === "open" && clock.now() >= before.expiresAt;
  if (before === undefined || isOver || isRefusedForGood(before)) return stopped();
  if (before.tries >= TRIES_MAX) return stopped("too_many_tries");
  const { browserMac, entries } = order;
  // While a reviewer looks at it, it is paid as it is, by the browser that sees where it goes.
  const isReviewed = before.status === "completing";
  const mayPay = isReviewed ? before.browserMac === browserMac : before.status === "open";
  if (!mayPay || (!isReviewed && entries === null)) return stopped();
  const shown = await entered(context, tx, before, isReviewed ? null : entries, "order");
  if (!isReady(shown.quote) || quoteDigest(shown.quote) !== order.shownDigest) {
    // The buyer's entries are kept. While a reviewer looks at the checkout it stays as it is.
    if (before.status === "open") await writeCheckout(tx, { ...shown, problem: null });
    return stopped(isReady(shown.quote) ? "changed" : undefined);
  }
  return decidePriced(context, tx, { ...order, site, before, shown });
}

interface PricedPage extends PageOrder {
  readonly before: Checkout;
  readonly shown: Checkout;
}

/** Decides about a checkout whose price the buyer was shown. */
async function decidePriced(context: Context, tx: Transaction, page: PricedPage): Promise<Decided> {
  const { site, before, shown } = page;
  const { siteKeyHash } = site;
  const request = await requestOf(context, tx, page);
  if (typeof request === "string") return stopped(request);
  if (request.identity.standing === "suspended") {
    if (before.status === "open")
      await writeCheckout(tx, { ...shown, problem: PLATFORM_SUSPENDED });
    return stopped();
  }
  const verdict = await evaluate(context, tx, questionOf(request));
  let review: readonly RecordDraft[] = [];
  if (before.status === "completing") {
    // Only what the rules allow without a reviewer replaces a review. A payment under way goes on.
    if (verdict.outcome !== "approved") return stopped();
    const { checkout, records } = await endPendingReview(context, tx, before, PAID_INSTEAD);
    if (checkout.status !== "open") return stopped();
    review = records;
  }
  if (verdict.outcome === "escalated" && (await reviewsFull(tx, siteKeyHash, request.identity))) {
    return stopped("too_many_reviews");
  }
  const { records, payment } = await commitDecision(context, tx, request, verdict);
  await storeShownTerms(context, tx, page, { ...shown, status: "completing" });
  return { records: [...review, ...records], payment };
}

/** The purchase that the rules are asked about, or why there is none. */
async function requestOf(
  context: Context,
  tx: Transaction,
  { site, shown, source, requestId: id }: PricedPage,
): Promise<PurchaseRequest | PageNotice> {
  const { siteKeyHash, provider } = site;
  const now = context.clock.now();
  const { agent } = await platformActor(tx, siteKeyHash, actorId(shown.platform), now);
  const identity = await identityOfBuyer(tx, siteKeyHash, shown.platform);
  const caller = { identity: identity.id, admitted: true, source, buyer: emailOf(shown) };
  if (provider === null || !canPayOnPage(context, site, shown)) return "unavailable";
  if (await hasManyOpen(context, tx, siteKeyHash, caller)) return "too_many_open";
  const checkout = { ...shown, tries: shown.tries + 1 };
  const returnUrl = pageUrl(context.config, checkout);
  const payment = { provider: provider.kind, token: null, returnUrl, caller };
  const request = { id, route: ROUTE };
  return purchaseOf({ site, agent, identity, payment, checkout, request, now });
}

async function hasManyOpen(
  { clock, secrets }: Context,
  tx: Transaction,
  siteKeyHash: string,
  caller: PaymentCaller,
): Promise<boolean> {
  const since = clock.now() - PAGE_MS_MAX;
  return (await openPayments(secrets, tx, siteKeyHash, caller, since)) >= OPEN_PAGES_MAX;
}

/** The shop's people refused the order, or its platform. What rules refuse a platform they may allow a person. */
export function isRefusedForGood({ problem }: Checkout): boolean {
  return problem?.code === "review_denied" || problem?.code === PLATFORM_SUSPENDED.code;
}

/** Whether the payment provider of a site has pages, and takes this sum there. */
export function canPayOnPage(
  context: Context,
  { provider }: Site,
  { quote: { currency, totals } }: Checkout,
): boolean {
  if (provider === null || context.providers[provider.kind]?.openPage === undefined) return false;
  if (currency === null) return true;
  return amountFault(context, provider.kind, { currency, minor: totals.totalMinor }) === undefined;
}
