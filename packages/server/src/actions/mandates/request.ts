import {
  COMPLETE_CHECKOUT,
  type JsonValue,
  type Mandate,
  type MandatePayment,
  type Money,
  movesMoney,
  ok,
  parseAmount,
  REASONS,
  type Result,
  readCompletion,
  refuse,
} from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Agent } from "../../domain/agents/agent.js";
import { type Checkout, emailOf } from "../../domain/checkouts/checkout.js";
import type { Transaction } from "../../infra/db/database.js";
import { type Evaluation, rejectedWithoutRules } from "../../purchase/evaluate.js";
import { identityOfAgent } from "../../purchase/identity.js";
import { type PricedOrder, type PriceFault, priceOrder } from "../../purchase/prices.js";
import type { PurchaseRequest } from "../../purchase/request.js";
import { amountFault } from "../../purchase/settle.js";
import { priceCheckout } from "../checkout/price-checkout.js";
import { quoteDigest } from "../checkout/quote.js";
import { signedQuestion } from "../questions/take-signed-question.js";
import { REJECTED_REQUESTS } from "./rejection-aggregator.js";
import type { ProvenFacts, ProvenMandate } from "./submission.js";

export const requestMember = (id: string) => ({ id, ...REJECTED_REQUESTS.mandates });

/** Who asked for what: members of the records of a mandate. */
export function mandateMembers(facts: ProvenFacts, requestId: string, skillCommitment?: string) {
  const { agentId, kid, mandateId, digest, protocol } = facts;
  const members: Record<string, JsonValue> = {
    agent: { id: agentId, key_thumbprint: kid },
    mandate: { digest, mandate_id: mandateId },
    protocol,
    request: requestMember(requestId),
  };
  if (skillCommitment === undefined) members.skill = facts.skill;
  else members.skill_commitment = skillCommitment;
  return members;
}

/** The amount that a mandate declares: null if it has no cart, undefined if the cart cannot be read. */
export function declaredAmount({ cart }: Mandate): Money | null | undefined {
  if (cart === undefined) return null;
  const { total, currency } = cart;
  if (typeof currency !== "string") return undefined;
  if (typeof total !== "string" && typeof total !== "number") return undefined;
  const amount = parseAmount(total, currency);
  return amount.ok ? amount.value : undefined;
}

type Priced = PricedOrder & {
  readonly payment: MandatePayment;
  readonly checkout?: Checkout | undefined;
};

async function priceItems(
  context: Context,
  tx: Transaction,
  { site, mandate, proven }: ProvenMandate,
): Promise<Result<Priced, PriceFault>> {
  const { siteKeyHash, provider } = site;
  const { arguments: args, payment } = mandate;
  if (payment === undefined || provider === null || payment.handler !== provider.kind) {
    const kind = provider?.kind ?? "nobody";
    const message = `This site uses the payment provider ${kind}. Sign \`payment.handler\` "${kind}" and a token of this provider.`;
    return refuse("cart_invalid", message);
  }
  const wanted = { args, purpose: "order", agentId: proven.agentId } as const;
  const priced = await priceOrder(context, tx, siteKeyHash, wanted);
  return priced.ok ? ok({ ...priced.value, payment }) : priced;
}

/** Prices what a mandate buys, or rejects it before the rules are evaluated. */
async function price(
  context: Context,
  tx: Transaction,
  provenMandate: ProvenMandate,
  declared: Money,
): Promise<Result<Priced, PriceFault | "cart_mismatch">> {
  const { site, mandate } = provenMandate;
  const priced =
    mandate.skill === COMPLETE_CHECKOUT
      ? await priceCheckout(context, tx, site, readCompletion(mandate.arguments, site.provider))
      : await priceItems(context, tx, provenMandate);
  if (!priced.ok) return priced;
  const { amount, payment } = priced.value;
  if (amount.minor !== declared.minor || amount.currency !== declared.currency) {
    return refuse("cart_mismatch", REASONS.cart_mismatch.message);
  }
  const fault = amountFault(context, payment.handler, amount);
  return fault === undefined ? priced : refuse("cart_invalid", `Cannot be charged: ${fault}.`);
}

/** The purchase request of a mandate, and its rejection if the rules need not be evaluated. */
export async function mandateRequest(
  context: Context,
  tx: Transaction,
  provenMandate: ProvenMandate,
  agent: Agent,
): Promise<{ readonly request: PurchaseRequest; readonly rejection?: Evaluation | undefined }> {
  const { site, mandate, proven, requestId, source, now } = provenMandate;
  const { skill, protocol, mandateId, evidence } = mandate;
  const bare: PurchaseRequest = {
    kind: "mandate",
    site,
    agent,
    identity: await identityOfAgent(tx, agent),
    mandateId,
    digest: proven.digest,
    kid: proven.kid,
    skill,
    protocol,
    amount: null,
    items: undefined,
    payment: undefined,
    checkout: undefined,
    recordedRequest: mandateMembers(proven, requestId),
    recordedDetails: undefined,
    now,
  };
  if (evidence) return { request: bare, rejection: rejectedWithoutRules("evidence_invalid") };
  const amount = declaredAmount(mandate);
  if (amount === undefined)
    return { request: bare, rejection: rejectedWithoutRules("cart_invalid") };
  if (amount === null || !movesMoney(skill)) {
    const question = await signedQuestion(tx, site.siteKeyHash, mandate);
    return { request: { ...bare, amount, ...question } };
  }
  const priced = await price(context, tx, provenMandate, amount);
  if (!priced.ok) {
    return { request: bare, rejection: rejectedWithoutRules(priced.reason, priced.detail) };
  }
  const { items, checkout, payment } = priced.value;
  // An agent that signs mandates was approved, and has no buyer to send to a bank.
  const buyer = checkout === undefined ? null : emailOf(checkout);
  const caller = { identity: agent.identity, admitted: true, source, buyer };
  const { handler: provider, token } = payment;
  const request: PurchaseRequest = {
    ...bare,
    amount,
    items,
    payment: { provider, token, returnUrl: null, caller },
    checkout: checkout && { ...checkout, tries: checkout.tries + 1 },
    recordedDetails: checkout && {
      checkout: { checkout_id: checkout.checkoutId, digest: quoteDigest(checkout.quote) },
    },
  };
  return { request };
}
