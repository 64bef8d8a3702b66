import {
  COMPLETE_CHECKOUT,
  type JsonObject,
  type Mandate,
  type MandatePayment,
  type Money,
  movesMoney,
  ok,
  parseAmount,
  REASONS,
  type ReasonCode,
  type Result,
  readCompletion,
  refuse,
} from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Agent } from "../../domain/agents/agent.js";
import type { Checkout } from "../../domain/checkouts/checkout.js";
import type { StoredAnswer } from "../../domain/decisions/decision.js";
import type { Site } from "../../domain/sites/site.js";
import { isoTime } from "../../infra/clock.js";
import type { Transaction } from "../../infra/db/database.js";
import { decide } from "../../purchase/decide.js";
import { identityOfAgent } from "../../purchase/identity.js";
import { amountFault } from "../../purchase/request-payment.js";
import { priceCheckout } from "../checkout/price-checkout.js";
import {
  type PricedItem,
  type PricedOrder,
  type PriceFault,
  priceOrder,
} from "../orders/price-order.js";

/** What is to pay; undefined where it is no money. */
function amountOf({ cart }: Mandate): Money | null | undefined {
  if (cart === undefined) return null;
  const { total, currency } = cart;
  if (typeof currency !== "string") return undefined;
  if (typeof total !== "string" && typeof total !== "number") return undefined;
  const amount = parseAmount(total, currency);
  return amount.ok ? amount.value : undefined;
}

/** What was found out about a claimed mandate. */
export interface Judged {
  /** The checkout that is paid for, where one is. */
  readonly checkout?: Checkout | undefined;
  /** How it is paid, where it is: as the mandate says, or the checkout it completes. */
  readonly payment?: MandatePayment | undefined;
  /** What is bought, where something is. */
  readonly items?: readonly PricedItem[] | undefined;
  /** Says more than the reason's own sentence. */
  readonly message?: string | undefined;
  readonly outcome: "approved" | "escalated" | "rejected";
  readonly reason: ReasonCode | null;
  readonly rule: string | null;
  readonly rulesEvaluated: number;
  readonly policyVersion: number | null;
  readonly amount: Money | null;
  /** The `decision` of the record. */
  readonly record: JsonObject;
  /** How long a person has to look at it, where one must. */
  readonly reviewMs?: number | undefined;
  readonly approvalsNeeded?: number | undefined;
}

/** What an answer is told of a review. */
interface Escalated {
  readonly escalationId: string;
  readonly ruleId: string;
  readonly expiresAt: number;
  /** Where its state can be asked for. */
  readonly at: string;
}

/** The answer to a claimed mandate, in the contract's words (interface 2.7). */
export function answerTo(
  { outcome, reason, rule, rulesEvaluated, message: said }: Judged,
  about: {
    readonly mandateId: string;
    readonly recordId: string;
    readonly now: number;
    readonly review: Escalated | undefined;
  },
): StoredAnswer {
  const { mandateId: mandate_id, recordId: record_id, review } = about;
  const evaluated_at = isoTime(about.now);
  if (review !== undefined) {
    const { escalationId: escalation_id, ruleId: evaluated_rule_id, at: status_url } = review;
    const expires_at = isoTime(review.expiresAt);
    const told = { escalation_id, evaluated_rule_id, expires_at, status_url };
    return { status: 202, body: { outcome, mandate_id, evaluated_at, ...told } };
  }
  if (reason !== null) {
    const { status, message } = {
      ...REASONS[reason],
      ...(said === undefined ? {} : { message: said }),
    };
    const by = rule === null ? {} : { evaluated_rule_id: rule };
    return { status, body: { outcome, reason, message, mandate_id, ...by } };
  }
  const rules_evaluated = rulesEvaluated;
  return { status: 200, body: { outcome, mandate_id, record_id, evaluated_at, rules_evaluated } };
}

/** A claimed mandate that the rules were not asked about. */
function withoutRules(reason: ReasonCode, message?: string): Judged {
  const record = { outcome: "rejected", reason_codes: [reason] };
  const none = { rule: null, rulesEvaluated: 0, policyVersion: null, amount: null };
  return { outcome: "rejected", reason, message, ...none, record };
}

/** What is bought, and how it is paid. */
type Priced = PricedOrder & Pick<Judged, "checkout" | "payment">;

async function priceItems(
  tx: Transaction,
  { siteKeyHash, processor }: Site,
  { arguments: args, payment }: Mandate,
): Promise<Result<Priced, PriceFault>> {
  if (payment === undefined || processor === null || payment.handler !== processor.kind) {
    const kind = processor?.kind ?? "nobody";
    const message = `This site is paid through ${kind}: sign \`payment.handler\` "${kind}" and a token of theirs.`;
    return refuse("cart_invalid", message);
  }
  const priced = await priceOrder(tx, siteKeyHash, args);
  return priced.ok ? ok({ ...priced.value, payment }) : priced;
}

/** What a mandate that buys comes to, or why it is refused before any rule is asked. */
async function price(
  context: Context,
  tx: Transaction,
  site: Site,
  mandate: Mandate,
  declared: Money,
): Promise<Priced | Judged> {
  const priced =
    mandate.skill === COMPLETE_CHECKOUT
      ? await priceCheckout(context, tx, site, readCompletion(mandate.arguments, site.processor))
      : await priceItems(tx, site, mandate);
  if (!priced.ok) return withoutRules(priced.reason, priced.detail);
  const { amount, payment } = priced.value;
  if (amount.minor !== declared.minor || amount.currency !== declared.currency) {
    return withoutRules("cart_mismatch");
  }
  if (payment === undefined) throw new Error("an order without its payment");
  const fault = amountFault(context, payment.handler, amount);
  if (fault !== undefined) return withoutRules("cart_invalid", `Not to be paid: ${fault}.`);
  return priced.value;
}

/** What is found out about a mandate once it is claimed. */
export async function judge(
  context: Context,
  tx: Transaction,
  { site, mandate, now }: { site: Site; mandate: Mandate; now: number },
  agent: Agent,
): Promise<Judged> {
  if (mandate.evidence) return withoutRules("evidence_invalid");
  const amount = amountOf(mandate);
  if (amount === undefined) return withoutRules("cart_invalid");
  const { siteKeyHash } = site;
  const { skill, protocol } = mandate;
  let bought: Partial<Priced> = {};
  if (movesMoney(skill) && amount !== null) {
    const priced = await price(context, tx, site, mandate, amount);
    if ("outcome" in priced) return priced;
    bought = priced;
  }
  const { items, checkout, payment } = bought;
  const identity = await identityOfAgent(tx, agent);
  const decided = await decide(
    context,
    tx,
    { siteKeyHash, agent, identity, skill, protocol, amount },
    now,
  );
  const { outcome, rule, rules, policy, record, reviewMs, approvalsNeeded } = decided;
  return {
    outcome,
    rule,
    amount,
    items,
    checkout,
    payment,
    record,
    reviewMs,
    approvalsNeeded,
    rulesEvaluated: rules.length,
    reason: decided.refusal,
    policyVersion: policy.version,
  };
}
