import { COMPLETE_CHECKOUT, type JsonObject, ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Agent } from "../../domain/agents/agent.js";
import {
  type Checkout,
  emailOf,
  isReady,
  pageUrl,
  TRIES_MAX,
  tryId,
} from "../../domain/checkouts/checkout.js";
import { isProven } from "../../domain/checkouts/platform.js";
import { lockCheckout, writeCheckout } from "../../domain/checkouts/store.js";
import { type DeclineWait, declineWait } from "../../domain/declines/caller.js";
import { noteSeen } from "../../domain/platforms/store.js";
import { closedMessage, sells } from "../../domain/sites/gates.js";
import type { Site } from "../../domain/sites/site.js";
import { reloadSite } from "../../domain/sites/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { isPooled } from "../../purchase/identity.js";
import type { PurchaseRequest } from "../../purchase/request.js";
import { amountFault } from "../../purchase/settle.js";
import { actorId, platformActor } from "./platform-actor.js";
import { standingProblem } from "./platform-standing.js";
import { isSameQuote, quoteDigest, quotedItems, quoteFor } from "./quote.js";
import { type Changed, type CheckoutRef, ownCheckout, refusalOf, takenOver } from "./sessions.js";

const PROTOCOL = "ucp";

/** A platform's request to complete a checkout. */
export interface Completion extends CheckoutRef {
  readonly site: Site;
  /** What the buyer pays with, in the form that the site's payment provider takes; undefined if unreadable. */
  readonly token: string | undefined;
  /** Whether the platform can say where something goes. */
  readonly canShip: boolean;
  readonly requestId: string;
  /** The address the call came from, as limits name it. */
  readonly source: string;
}

/** Why no payment was requested, in words for the platform. */
export interface Notice {
  readonly code: "quote_changed" | "not_payable" | "too_many_tries" | "too_many_reviews";
  readonly content: string;
}

/** A checkout that stops before the rules are evaluated, and what the platform is shown. */
export interface Stopped extends Changed {
  readonly notice?: Notice | undefined;
  /** Whether the checkout was written, as it is shown now. */
  readonly changed?: true;
  /** The platform has to wait after declined payments. */
  readonly wait?: DeclineWait;
}

/** The purchase request of a completion, or why there is none. */
type Requested =
  | { readonly kind: "request"; readonly request: PurchaseRequest; readonly shown: Checkout }
  | { readonly kind: "stopped"; readonly stopped: Stopped };

function stop(checkout: Checkout, more: Partial<Stopped> = {}) {
  return { kind: "stopped", stopped: { checkout, records: [], ...more } } as const;
}

/** Why a checkout cannot be tried as it stands; undefined if it can. */
function noticeOf(
  context: Context,
  { provider }: Site,
  token: string | undefined,
  { tries, quote }: Checkout,
): Notice | undefined {
  if (tries >= TRIES_MAX) {
    const content = "There were too many attempts to complete this checkout. Create a new one.";
    return { code: "too_many_tries", content };
  }
  if (token === undefined || provider === null) {
    const content = "Send one instrument of a payment handler in this answer.";
    return { code: "not_payable", content };
  }
  if (quote.currency === null) return undefined;
  const amount = { currency: quote.currency, minor: quote.totals.totalMinor };
  const fault = amountFault(context, provider.kind, amount);
  return fault === undefined
    ? undefined
    : { code: "not_payable", content: `Cannot be charged: ${fault}.` };
}

/** What a platform has to look at before it completes; undefined if it has seen everything. */
function changeOf(before: Checkout, now: Checkout): Notice | undefined {
  if (!isSameQuote(before.quote, now.quote)) {
    const content = "The checkout has changed since you read it. Check it, then complete it again.";
    return { code: "quote_changed", content };
  }
  if (before.platform.proof === now.platform.proof) return undefined;
  const content =
    "The checkout was created without a signature or key, so anyone could have changed it. Check it, then " +
    "complete it again.";
  return { code: "quote_changed", content };
}

/** If only an instrument or a buyer waits, another one may pay at once; otherwise the caller waits. */
function waitOrNotice(wait: DeclineWait): Pick<Stopped, "wait" | "notice"> {
  if (wait.kind !== "instrument" && wait.kind !== "buyer") return { wait };
  return { notice: { code: "not_payable", content: wait.message } };
}

/** Who asked for what: members of the records of a completion. */
function completionMembers(
  agent: Agent,
  { checkoutId: checkout_id, quote, platform }: Checkout,
  { id, route }: RecordedRoute,
): JsonObject {
  return {
    agent: { id: agent.agentId, proof: platform.proof },
    checkout: { checkout_id, digest: quoteDigest(quote) },
    protocol: PROTOCOL,
    skill: COMPLETE_CHECKOUT,
    request: { id, method: "POST", route },
  };
}

/** The request that records name. */
interface RecordedRoute {
  readonly id: string;
  readonly route: string;
}

interface CheckoutPurchase
  extends Pick<PurchaseRequest, "site" | "agent" | "identity" | "payment" | "now"> {
  /** As it was shown, with this try counted. */
  readonly checkout: Checkout;
  readonly request: RecordedRoute;
}

/** The purchase of a checkout at the price that was shown. */
export function purchaseOf({ checkout, request, ...purchase }: CheckoutPurchase): PurchaseRequest {
  const { checkoutId, tries, quote } = checkout;
  if (quote.currency === null) throw new Error("a checkout without a price");
  return {
    kind: "checkout",
    ...purchase,
    mandateId: tryId(checkoutId, tries),
    digest: quoteDigest(quote),
    kid: null,
    skill: COMPLETE_CHECKOUT,
    protocol: PROTOCOL,
    amount: { currency: quote.currency, minor: quote.totals.totalMinor },
    items: quotedItems(quote),
    checkout,
    recordedRequest: completionMembers(purchase.agent, checkout, request),
  };
}

/**
 * Locks a checkout and prices it once more. A change that the platform has not been shown is shown, and
 * never charged.
 */
export async function checkoutRequest(
  context: Context,
  tx: Transaction,
  completion: Completion,
): Promise<Result<Requested, "not_found" | "shut">> {
  const { siteKeyHash, token } = completion;
  const site = await reloadSite(tx, completion.site);
  if (site === undefined) return refuse("shut", "This shop no longer exists.");
  if (!sells(site)) return refuse("shut", closedMessage(site));
  await lockCheckout(tx, completion.checkoutId);
  const own = await ownCheckout(tx, completion);
  if (!own.ok) return own;
  const before = own.value;
  const refusal = refusalOf(context, before);
  if (refusal !== undefined) return ok(stop(before, { refusal }));
  const refused = noticeOf(context, site, token, before);
  // A final refusal is not decided again, and neither is an order that cannot be shipped.
  const cannotComplete =
    before.problem?.final === true || (before.quote.ships && !completion.canShip);
  if (refused !== undefined || cannotComplete || token === undefined) {
    return ok(stop(before, { notice: refused }));
  }
  const quote = await quoteFor(context, tx, siteKeyHash, before.content, "order");
  const shown = { ...takenOver(before, completion.platform), quote };
  const notice = changeOf(before, shown);
  if (notice !== undefined) {
    await writeCheckout(tx, shown);
    return ok(stop(shown, { changed: true, notice: isReady(quote) ? notice : undefined }));
  }
  if (!isReady(quote)) return ok(stop(shown));
  return ok(await requestOf(context, tx, { ...completion, site, token, shown }));
}

type Priced = Completion & {
  readonly token: string;
  readonly shown: Checkout;
};

const ROUTE = "/v1/ucp/{site_key_hash}/checkout-sessions/{id}/complete";

/** The purchase of a checkout that was shown as it is now, if its platform may pay. */
async function requestOf(context: Context, tx: Transaction, priced: Priced): Promise<Requested> {
  const { site, token, shown, platform, siteKeyHash, requestId: id } = priced;
  const now = context.clock.now();
  if (isProven(platform)) await noteSeen(tx, siteKeyHash, platform.url, now);
  const { agent, identity } = await platformActor(tx, siteKeyHash, actorId(platform), now);
  const problem = await standingProblem(tx, site, identity, now);
  if (problem !== undefined) {
    const refused = { ...shown, problem };
    await writeCheckout(tx, refused);
    return stop(refused, { changed: true });
  }
  const provider = site.provider?.kind;
  if (provider === undefined) throw new Error("a site sells without a payment provider");
  const checkout = { ...shown, tries: shown.tries + 1 };
  const payment = {
    provider,
    token,
    returnUrl: pageUrl(context.config, checkout),
    caller: {
      identity: identity.id,
      admitted: !isPooled(identity),
      source: priced.source,
      buyer: emailOf(shown),
    },
  };
  const wait = await declineWait(context, tx, siteKeyHash, payment);
  if (wait !== undefined) return stop(shown, waitOrNotice(wait));
  const request = { id, route: ROUTE };
  const purchase = purchaseOf({ site, agent, identity, payment, checkout, request, now });
  return { kind: "request", request: purchase, shown };
}
