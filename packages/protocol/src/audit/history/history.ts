import { movesMoney } from "../../discovery/built-in-skills.js";
import type { Money } from "../../money/amount.js";
import { Counters, moneyText, type Spending } from "./counters.js";
import { type Course, courseFault, outcomeFault, paymentState } from "./payment-course.js";
import { Remembered } from "./remembered.js";
import type { DecidedStep, PaidStep, ReviewedStep, Step } from "./step.js";

/** Decisions, and besides them refusals and payments, that are remembered to compare with. */
export const REMEMBERED_MAX = 200_000;
/** How far clocks of nodes, and the steps of one commit, may lie apart. */
const CLOCK_MS_MAX = 60_000;
/** A UUID of version 7 begins with its moment. */
const TIMED_ID = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-/;

/** Where the records begin. */
export interface Beginning {
  /** The first record of a log that goes on from no other: nothing was before. */
  readonly whole: boolean;
  /** When the first record was written down, in milliseconds. */
  readonly at: number;
}

/** A decision or the end of a review, as far as later records refer to it. */
interface Known {
  readonly seq: number;
  readonly at: number;
  readonly subject: string;
  readonly amount: Money | undefined;
  readonly protocol: string | undefined;
  readonly pays: boolean;
  /** The review it opened, and how many people must say yes. */
  readonly review: string | undefined;
  readonly approvals: number;
  /** The record that ended the review. */
  ended?: number;
  spending?: Spending;
}

const isSame = (a: Money | undefined, b: Money | undefined) =>
  a?.minor === b?.minor && a?.currency === b?.currency;

const sumText = (amount: Money | undefined) => (amount ? moneyText(amount) : "no amount");

/**
 * Compares the records of one log with each other, in their order and without a gap. What it finds
 * no honest log has.
 */
export class History {
  private readonly beginning: Beginning;
  private readonly counters = new Counters();
  private readonly known: Remembered<Known>;
  /** Refusals, by the id of the record. */
  private readonly refused: Remembered<number>;
  /** The record that decided about a mandate. */
  private readonly mandates: Remembered<number>;
  /** Payments, by the record that requested them; and that record, by the attempt. */
  private readonly courses: Remembered<Course>;
  private readonly attempts: Remembered<string>;
  private rules: { readonly policy: string; readonly seq: number } | undefined;
  /** Records that name one from before the first. */
  before = 0;

  constructor(beginning: Beginning, max = REMEMBERED_MAX) {
    this.beginning = beginning;
    // What becomes of a forgotten decision's money can no longer be told.
    const letGo = ({ spending = [] }: Known) => this.counters.takeBack(spending);
    this.known = new Remembered(max, letGo);
    this.refused = new Remembered(max);
    this.mandates = new Remembered(max);
    this.courses = new Remembered(max);
    this.attempts = new Remembered(max);
  }

  /** Decisions too long ago to be compared with. */
  get forgotten(): number {
    return this.known.forgotten;
  }

  /** Takes the next record; what is wrong with it, undefined when nothing is. */
  take(step: Step): string | undefined {
    switch (step.kind) {
      case "published":
        this.rules = { policy: step.policy, seq: step.seq };
        return undefined;
      case "refused":
        this.refused.set(step.recordId, step.seq);
        return undefined;
      case "decided":
        return this.decided(step);
      case "reviewed":
        return this.reviewed(step);
      case "paid":
        return this.paid(step);
    }
  }

  private decided(step: DecidedStep): string | undefined {
    const { seq, outcome, policy, mandate, review } = step;
    const approved = outcome === "approved";
    const before = this.mandates.get(mandate);
    const fault =
      (before === undefined ? undefined : `record ${before} had decided about its mandate`) ??
      this.rulesFault(step) ??
      paysFault(step, approved) ??
      (outcome === "escalated" && review === undefined ? "it names no review" : undefined) ??
      this.counters.fault(step);
    if (policy !== undefined && before === undefined) this.mandates.set(mandate, seq);
    this.counters.countDecision(step.agent, step.at);
    this.remember(step, outcome === "escalated" ? step.approvals : 0, approved);
    return fault;
  }

  private reviewed(step: ReviewedStep): string | undefined {
    const parent = this.parentOf(step);
    const known = typeof parent === "object" ? parent : undefined;
    const fault =
      (typeof parent === "string" ? parent : undefined) ??
      (known && reviewFault(step, known)) ??
      this.rulesFault(step) ??
      paysFault(step, step.approved) ??
      this.counters.fault(step, known?.at);
    if (known !== undefined) known.ended ??= step.seq;
    this.remember(step, 0, step.approved);
    return fault;
  }

  private paid(step: PaidStep): string | undefined {
    const { attempt, parent: parentId, seq } = step;
    const parent = this.parentOf(step);
    const known = typeof parent === "object" ? parent : undefined;
    const course = this.courses.get(parentId);
    const used = this.attempts.get(attempt);
    const fault =
      outcomeFault(step) ??
      (typeof parent === "string" ? parent : undefined) ??
      (known && paymentFault(step, known)) ??
      (used === undefined || used === parentId ? undefined : "its attempt is another decision's") ??
      courseFault(step, course, known !== undefined);
    const state = paymentState(step);
    if (state === undefined) return fault;
    if (fault === undefined) this.courses.set(parentId, { attempt, state, seq });
    if (used === undefined) this.attempts.set(attempt, parentId);
    const over = state === "declined" || state === "releasing" || state === "released";
    if (over && known?.spending !== undefined) this.counters.takeBack(known.spending);
    return fault;
  }

  private rulesFault({ policy }: DecidedStep | ReviewedStep): string | undefined {
    if (policy === undefined || policy === this.rules?.policy) return undefined;
    if (this.rules !== undefined) {
      return `it follows other rules than those published last, in record ${this.rules.seq}`;
    }
    return this.beginning.whole ? "it follows rules that were never published" : undefined;
  }

  /** The record another one follows from, or what is wrong with it; undefined where it is not here. */
  private parentOf({ parent }: ReviewedStep | PaidStep): Known | string | undefined {
    const known = this.known.get(parent);
    if (known !== undefined) return known;
    if (parent === "") return "it names no record to follow from";
    const refused = this.refused.get(parent);
    if (refused !== undefined)
      return `it follows from record ${refused}, which refused the mandate`;
    if (this.reaches(parent)) return "it names a record to follow from that is not in the log";
    this.before++;
    return undefined;
  }

  /** Whether a record of this id would have been read and be remembered. */
  private reaches(recordId: string): boolean {
    if (this.known.forgotten + this.refused.forgotten > 0) return false;
    if (this.beginning.whole) return true;
    const [, high, low] = TIMED_ID.exec(recordId) ?? [];
    if (high === undefined) return false;
    return Number.parseInt(`${high}${low}`, 16) > this.beginning.at + CLOCK_MS_MAX;
  }

  private remember(step: DecidedStep | ReviewedStep, approvals: number, approved: boolean): void {
    const { seq, at, subject, amount, protocol, review, agent, skill } = step;
    const pays = approved && step.pays;
    const known: Known = { seq, at, subject, amount, protocol, pays, review, approvals };
    if (pays && amount !== undefined && movesMoney(skill)) {
      known.spending = this.counters.countSpent(agent, amount, at);
    }
    this.known.set(step.recordId, known);
  }
}

function paysFault({ pays, skill }: DecidedStep | ReviewedStep, approved: boolean) {
  if (!pays) return undefined;
  if (!approved) return "it asks for a payment of what was not approved";
  return movesMoney(skill) ? undefined : "it asks for a payment, and its skill moves no money";
}

function reviewFault(step: ReviewedStep, known: Known): string | undefined {
  const { seq, approvals, ended } = known;
  if (approvals === 0) return `it follows from record ${seq}, which asked no person`;
  if (step.review !== known.review) return `record ${seq} opened another review`;
  if (step.subject !== known.subject) return aboutAnother(seq);
  if (ended !== undefined) return `record ${ended} had ended its review`;
  if (step.policy !== undefined && !isSame(step.amount, known.amount)) {
    return `it is about ${sumText(step.amount)}, and record ${seq} about ${sumText(known.amount)}`;
  }
  if (step.policy !== undefined && step.protocol !== known.protocol) return aboutAnother(seq);
  if (!step.approved || step.approvers >= approvals) return undefined;
  return `${step.approvers} of the ${approvals} people that its rule wants approved it`;
}

function paymentFault({ subject, amount }: PaidStep, known: Known): string | undefined {
  const { seq } = known;
  if (!known.pays) return `it follows from record ${seq}, which asked for no payment`;
  if (subject !== known.subject) return aboutAnother(seq);
  if (isSame(amount, known.amount)) return undefined;
  return `it is about ${sumText(amount)}, and record ${seq} approved ${sumText(known.amount)}`;
}

const aboutAnother = (seq: number) => `it is about something else than record ${seq}`;
