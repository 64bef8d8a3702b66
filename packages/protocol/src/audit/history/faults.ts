import { movesMoney } from "../../discovery/built-in-skills.js";
import type { Money } from "../../money/amount.js";
import type { PolicyReview } from "../../policy/review.js";
import { moneyText, type Spending } from "./counters.js";
import type { DecidedStep, PaidStep, ReviewedStep } from "./step.js";

/** A decision or the end of a review, as far as later records refer to it. */
export interface Known {
  readonly seq: number;
  readonly at: number;
  readonly subject: string;
  readonly amount: Money | undefined;
  readonly protocol: string | undefined;
  readonly pays: boolean;
  /** Whether somebody else has it paid. */
  readonly elsewhere: boolean;
  /** The review it opened or ended; and, where it opened one, how its rules want people asked. */
  readonly review: string | undefined;
  readonly wanted: PolicyReview | undefined;
  readonly asks: boolean;
  /** The mandate that it decided; empty if it decided none. */
  readonly mandate: string;
  /** Where it ended a review: the decision that opened it. */
  readonly opener: Known | undefined;
  /** The record that ended the review. */
  ended?: number | undefined;
  spending?: Spending;
}

const isSame = (a: Money | undefined, b: Money | undefined) =>
  a?.minor === b?.minor && a?.currency === b?.currency;

const sumText = (amount: Money | undefined) => (amount ? moneyText(amount) : "no amount");

const aboutAnother = (seq: number) => `it is about a different request from record ${seq}`;

/** What is wrong with asking for a payment; undefined when nothing is. */
export function paysFault({ pays, skill, amount }: DecidedStep | ReviewedStep, approved: boolean) {
  if (!pays) return undefined;
  if (!approved) return "it requests a payment, but was not approved";
  if (amount === undefined) return "it requests a payment, but names no amount";
  return movesMoney(skill) ? undefined : "it requests a payment, but its skill moves no money";
}

/** What is wrong with the end of a review, after the decision that opened it. */
export function reviewFault(step: ReviewedStep, known: Known): string | undefined {
  const { seq, ended } = known;
  if (!known.asks) return `it follows from record ${seq}, which opened no review`;
  if (step.review !== known.review) return `record ${seq} opened another review`;
  if (step.subject !== known.subject) return aboutAnother(seq);
  if (ended !== undefined) return `record ${ended} already ended its review`;
  if (step.policy !== undefined && !isSame(step.amount, known.amount)) {
    return `its amount is ${sumText(step.amount)}, but record ${seq} has ${sumText(known.amount)}`;
  }
  if (step.policy !== undefined && step.protocol !== known.protocol) return aboutAnother(seq);
  return step.approved ? approvalFault(step, known) : undefined;
}

function approvalFault({ at, approvers }: ReviewedStep, known: Known): string | undefined {
  if (known.wanted === undefined) return undefined;
  const { approvals, ms } = known.wanted;
  if (at >= known.at + ms) return `it was approved after the review of record ${known.seq} expired`;
  if (approvers >= approvals) return undefined;
  return `only ${approvers} of the ${approvals} people that its rule requires approved it`;
}

/** What is wrong with a payment, after the record that asked for it. */
export function paymentFault({ subject, amount }: PaidStep, known: Known): string | undefined {
  const { seq } = known;
  if (!known.pays) return `it follows from record ${seq}, which requested no payment`;
  if (known.elsewhere) return `it follows from record ${seq}, whose payment somebody else makes`;
  if (subject !== known.subject) return aboutAnother(seq);
  if (isSame(amount, known.amount)) return undefined;
  return `its amount is ${sumText(amount)}, but record ${seq} approved ${sumText(known.amount)}`;
}
