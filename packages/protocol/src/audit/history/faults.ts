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
  /** The record that ended the review. */
  ended?: number;
  spending?: Spending;
}

const isSame = (a: Money | undefined, b: Money | undefined) =>
  a?.minor === b?.minor && a?.currency === b?.currency;

const sumText = (amount: Money | undefined) => (amount ? moneyText(amount) : "no amount");

const aboutAnother = (seq: number) => `it is about something else than record ${seq}`;

/** What is wrong with asking for a payment; undefined when nothing is. */
export function paysFault({ pays, skill, amount }: DecidedStep | ReviewedStep, approved: boolean) {
  if (!pays) return undefined;
  if (!approved) return "it asks for a payment of what was not approved";
  if (amount === undefined) return "it asks for a payment, and does not say how much";
  return movesMoney(skill) ? undefined : "it asks for a payment, and its skill moves no money";
}

/** What is wrong with the end of a review, after the decision that opened it. */
export function reviewFault(step: ReviewedStep, known: Known): string | undefined {
  const { seq, ended } = known;
  if (!known.asks) return `it follows from record ${seq}, which asked no person`;
  if (step.review !== known.review) return `record ${seq} opened another review`;
  if (step.subject !== known.subject) return aboutAnother(seq);
  if (ended !== undefined) return `record ${ended} had ended its review`;
  if (step.policy !== undefined && !isSame(step.amount, known.amount)) {
    return `it is about ${sumText(step.amount)}, and record ${seq} about ${sumText(known.amount)}`;
  }
  if (step.policy !== undefined && step.protocol !== known.protocol) return aboutAnother(seq);
  return step.approved ? approvalFault(step, known) : undefined;
}

function approvalFault({ at, approvers }: ReviewedStep, known: Known): string | undefined {
  if (known.wanted === undefined) return undefined;
  const { approvals, ms } = known.wanted;
  if (at >= known.at + ms) return `it was approved after the time that record ${known.seq} gave`;
  if (approvers >= approvals) return undefined;
  return `${approvers} of the ${approvals} people that its rule wants approved it`;
}

/** What is wrong with a payment, after the record that asked for it. */
export function paymentFault({ subject, amount }: PaidStep, known: Known): string | undefined {
  const { seq } = known;
  if (!known.pays) return `it follows from record ${seq}, which asked for no payment`;
  if (known.elsewhere) return `it follows from record ${seq}, which somebody else has paid`;
  if (subject !== known.subject) return aboutAnother(seq);
  if (isSame(amount, known.amount)) return undefined;
  return `it is about ${sumText(amount)}, and record ${seq} approved ${sumText(known.amount)}`;
}
