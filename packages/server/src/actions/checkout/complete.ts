import {
  COMPLETE_CHECKOUT,
  type JsonObject,
  type Money,
  ok,
  type Result,
  refuse,
} from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Agent } from "../../domain/agents/agent.js";
import type { RecordDraft } from "../../domain/audit/drafts.js";
import { type Checkout, emailOf, isReady, pageUrl } from "../../domain/checkouts/checkout.js";
import { lockCheckout, writeCheckout } from "../../domain/checkouts/store.js";
import { insertDecision } from "../../domain/decisions/store.js";
import { noteSeen } from "../../domain/platforms/store.js";
import { insertReview } from "../../domain/reviews/store.js";
import { closedMessage, sells } from "../../domain/sites/gates.js";
import type { Site } from "../../domain/sites/site.js";
import { reloadSite } from "../../domain/sites/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { newRecordId } from "../../infra/ids.js";
import { problemOf } from "../../purchase/checkout-problem.js";
import { type Decided, decide } from "../../purchase/decide.js";
import { type Identity, isPooled } from "../../purchase/identity.js";
import {
  type DeclineWait,
  declineWait,
  type PaymentCaller,
} from "../../purchase/payment-caller.js";
import { type Payment, requestPayment } from "../../purchase/request-payment.js";
import { recordedItems } from "../orders/price-order.js";
import { notifyReviewers } from "../reviews/notify-reviewers.js";
import { pendingReview } from "../reviews/pending-review.js";
import { changeOf, type Notice, noticeOf } from "./completion-notice.js";
import { platformActor } from "./platform-actor.js";
import { reviewsFull, standingProblem } from "./platform-standing.js";
import { quoteDigest, quotedItems, quoteFor } from "./quote.js";
import { type Changed, type CheckoutPlace, ownCheckout, refusalOf, takenOver } from "./sessions.js";

const SKILL = COMPLETE_CHECKOUT;
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

/** One try, with everything that is the same for each of its rows. */
interface Attempted {
  readonly site: Site;
  readonly checkout: Checkout;
  readonly token: string;
  readonly requestId: string;
  /** The caller that a declined payment counts for. */
  readonly caller: PaymentCaller;
  readonly agent: Agent;
  readonly identity: Identity;
  readonly amount: Money;
  readonly decided: Decided;
  readonly decisionId: string;
  readonly recordId: string;
  readonly now: number;
}

/** The members of a record that say who asked for what. */
function about({ agent, checkout, requestId }: Attempted): JsonObject {
  const { checkoutId: checkout_id, quote } = checkout;
  const route = "/v1/ucp/{site_key_hash}/checkout-sessions/{id}/complete";
  return {
    agent: { id: agent.agentId },
    checkout: { checkout_id, digest: quoteDigest(quote) },
    protocol: PROTOCOL,
    skill: SKILL,
    request: { id: requestId, method: "POST", route },
  };
}

/** The caller, and the identity it counts for. */
const countedFor = ({ agent, identity }: Attempted) => ({
  actorId: agent.agentId,
  identity: identity.id,
  pooled: isPooled(identity),
});

/** What the rules leave to a person. */
function escalated({ config }: Context, tried: Attempted) {
  const { site, checkout, token, amount, decided, decisionId, recordId, now } = tried;
  const { siteKeyHash, checkoutId, quote, tries } = checkout;
  const { rule, reviewMs, approvalsNeeded } = decided;
  return {
    siteKeyHash,
    decisionId,
    recordId,
    token,
    now,
    ...countedFor(tried),
    mandateId: tryName(checkoutId, tries),
    rule,
    reviewMs,
    approvalsNeeded,
    request: {
      skill: SKILL,
      protocol: PROTOCOL,
      amount,
      kid: null,
      handler: site.processor?.kind,
      digest: quoteDigest(quote),
      items: quotedItems(quote),
      checkout: { checkoutId, returnUrl: pageUrl(config, checkout) },
    },
  };
}

/** Stands where a mandate's id would: it can be asked about like one. */
const tryName = (checkoutId: string, tries: number) => `${checkoutId}-${tries}`;

/** Has what the rules approved paid. */
function requestItsPayment(context: Context, tx: Transaction, tried: Attempted): Promise<Payment> {
  const { site, checkout, token, caller, amount, decisionId, recordId, now } = tried;
  const { siteKeyHash, checkoutId, quote } = checkout;
  const processor = site.processor?.kind;
  if (processor === undefined) throw new Error("a site sells without a processor");
  const returnUrl = pageUrl(context.config, checkout);
  const asked = {
    siteKeyHash,
    decisionId,
    escalationId: null,
    checkout: { checkoutId, returnUrl },
    processor,
    amount,
    items: quotedItems(quote),
    token,
    caller,
    recordId,
    about: about(tried),
    answer: { status: 200, body: {} },
  };
  return requestPayment(context, tx, asked, now);
}

/** Writes what the rules said: the decision, its record, and what follows from it. */
async function write(context: Context, tx: Transaction, tried: Attempted): Promise<Completing> {
  const { site, agent, amount, decided, decisionId, recordId, now } = tried;
  const { outcome, rule, rules, policy, refusal } = decided;
  const { siteKeyHash, checkoutId, quote, tries } = tried.checkout;
  const checkout: Checkout = {
    ...tried.checkout,
    decisionId,
    status: outcome === "rejected" ? "open" : "completing",
    problem: outcome === "rejected" ? problemOf(refusal ?? "policy_denied") : null,
  };
  const review =
    outcome === "escalated" ? pendingReview(context, escalated(context, tried)) : undefined;
  const payment = outcome === "approved" ? await requestItsPayment(context, tx, tried) : undefined;
  const digest = quoteDigest(quote);
  await insertDecision(tx, {
    decisionId,
    siteKeyHash,
    mandateId: tryName(checkoutId, tries),
    ...countedFor(tried),
    digest,
    skill: SKILL,
    protocol: PROTOCOL,
    amount,
    reason: refusal,
    ruleId: rule,
    rulesEvaluated: rules.length,
    policyVersion: policy.version,
    recordId,
    evaluatedAt: now,
    outcome: payment === undefined ? outcome : "paying",
    answer: { status: 200, body: {} },
  });
  await writeCheckout(tx, checkout);
  if (review !== undefined) {
    await insertReview(tx, review);
    await notifyReviewers(tx, context, { site, review, agent, now });
  }
  const content = {
    ...about(tried),
    amount: { currency: amount.currency, minor: amount.minor },
    decision: decided.record,
    items: recordedItems(quotedItems(quote)),
    ...(payment === undefined ? {} : { payment: "requested" }),
    ...(review === undefined ? {} : { escalation_id: review.escalationId }),
  };
  const record: RecordDraft = { type: "checkout.decision", recordId, occurredAt: now, content };
  return { checkout, records: [record], payment };
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
  const caller = {
    identity: identity.id,
    admitted: !isPooled(identity),
    source: asked.source,
    buyer: emailOf(shown),
  };
  const wait = await declineWait(context, tx, siteKeyHash, { caller, token });
  if (wait !== undefined) return ok({ checkout: shown, records: [], ...waitOrNotice(wait) });
  const amount = { currency: quote.currency, minor: quote.totals.totalMinor };
  const decided = await decide(
    context,
    tx,
    { siteKeyHash, agent, identity, skill: SKILL, protocol: PROTOCOL, amount },
    now,
  );
  // Only what would be put before a person waits for people to have decided about others.
  const escalates = decided.outcome === "escalated";
  if (escalates && (await reviewsFull(tx, siteKeyHash, identity))) {
    const content = "Too many orders wait for the shop's review. Try again later.";
    return ok({ checkout: shown, records: [], notice: { code: "too_many_reviews", content } });
  }
  return ok(
    await write(context, tx, {
      site,
      checkout,
      token,
      requestId,
      caller,
      agent,
      identity,
      amount,
      decided,
      now,
      decisionId: context.ids.timeId("dec", now),
      recordId: newRecordId(context.ids, now),
    }),
  );
}
