import { movesMoney } from "../../discovery/built-in-skills.js";
import { Adjustments } from "./adjustments.js";
import { Counters } from "./counters.js";
import { type Known, paymentFault, paysFault, reviewFault } from "./faults.js";
import { type Course, courseFault, outcomeFault, paymentState } from "./payment-course.js";
import { Remembered } from "./remembered.js";
import {
  type AdjustedStep,
  BUYER,
  type DecidedStep,
  type PaidStep,
  type ReviewedStep,
  type Step,
} from "./step.js";

/** Decisions, and besides them refusals and payments, that are remembered to compare with. */
export const REMEMBERED_MAX = 200_000;
/** A record is written down after its id was made: no later than this, whatever a commit waits for. */
const COMMIT_MS_MAX = 600_000;
/** A UUID of version 7 begins with its moment. */
const TIMED_ID = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-/;

/** Where the records begin. */
export interface Beginning {
  /** The first record of a log that goes on from no other: nothing was before. */
  readonly whole: boolean;
  /** When the first record was written down, in milliseconds. */
  readonly at: number;
}

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
  private readonly adjustments: Adjustments;
  private rules: { readonly policy: string; readonly seq: number } | undefined;
  /** Records that name one from before the first. */
  before = 0;

  constructor(beginning: Beginning, max = REMEMBERED_MAX) {
    this.beginning = beginning;
    // What becomes of a forgotten decision's money can no longer be told.
    const release = ({ spending = [] }: Known) => this.counters.takeBack(spending);
    this.known = new Remembered(max, release);
    this.refused = new Remembered(max);
    this.mandates = new Remembered(max);
    this.courses = new Remembered(max);
    this.attempts = new Remembered(max);
    this.adjustments = new Adjustments(max);
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
      case "adjusted":
        return this.adjusted(step);
    }
  }

  private adjusted(step: AdjustedStep): string | undefined {
    const { attempt, amount } = step;
    const { whole } = this.beginning;
    const parent = this.attempts.get(attempt);
    if (parent === undefined) {
      const all = whole && this.attempts.forgotten === 0;
      return all ? "it is about a payment that is not in the log" : undefined;
    }
    const course = this.courses.get(parent);
    if (course !== undefined && course.state !== "authorized") {
      return `it is about a payment that was ${course.state} according to record ${course.seq}`;
    }
    const authorized = this.known.get(parent)?.amount;
    const fault = this.adjustments.take(step, { whole, authorized });
    const { currency } = authorized ?? {};
    const other = amount !== undefined && currency !== undefined && amount.currency !== currency;
    return fault ?? (other ? "it is in a different currency from the authorization" : undefined);
  }

  private decided(step: DecidedStep): string | undefined {
    const { seq, outcome, mandate = "", review } = step;
    const approved = outcome === "approved";
    const before = this.mandates.get(mandate);
    const fault =
      this.idFault(step) ??
      this.rulesFault(step) ??
      (before === undefined ? undefined : `record ${before} already decided its mandate`) ??
      paysFault(step, approved) ??
      (outcome === "escalated" && review === undefined ? "it names no review" : undefined) ??
      this.counters.fault(step);
    if (mandate !== "" && before === undefined) this.mandates.set(mandate, seq);
    if (step.agent !== BUYER) this.counters.countDecision(step.agent, step.at);
    const asks = outcome === "escalated";
    this.remember(step, { approved, asks, wanted: step.wanted, mandate, opener: undefined });
    return fault;
  }

  private reviewed(step: ReviewedStep): string | undefined {
    const parent = this.parentOf(step);
    const known = typeof parent === "object" ? parent : undefined;
    const fault =
      this.idFault(step) ??
      (typeof parent === "string" ? parent : undefined) ??
      (known && reviewFault(step, known)) ??
      this.rulesFault(step) ??
      paysFault(step, step.approved) ??
      this.counters.fault(step, known?.at);
    if (known !== undefined) known.ended ??= step.seq;
    const { approved } = step;
    this.remember(step, { approved, asks: false, wanted: undefined, mandate: "", opener: known });
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
      (used === undefined || used === parentId
        ? undefined
        : "its payment attempt belongs to another decision") ??
      courseFault(step, course, known !== undefined && this.courses.forgotten === 0);
    const state = paymentState(step);
    if (state === undefined) return fault;
    if (fault === undefined) this.courses.set(parentId, { attempt, state, seq });
    if (used === undefined) this.attempts.set(attempt, parentId);
    const ordered = state === "authorized" || state === "unknown";
    if (!ordered && known?.spending !== undefined) this.counters.takeBack(known.spending);
    if (step.reopens && known !== undefined && fault === undefined) this.reopen(known, step);
    return fault;
  }

  /** Nobody was asked for money: the mandate may be decided once more, or the review that is open again. */
  private reopen({ mandate, opener }: Known, { outcome }: PaidStep): void {
    if (opener !== undefined && outcome === "escalated") opener.ended = undefined;
    const decided = opener?.mandate ?? mandate;
    if (decided !== "" && outcome === "rejected") this.mandates.delete(decided);
  }

  /** Two records of one id would let one stand for the other. */
  private idFault({ recordId }: Step): string | undefined {
    const other = this.known.get(recordId)?.seq ?? this.refused.get(recordId);
    return other === undefined ? undefined : `it has the same id as record ${other}`;
  }

  private rulesFault({ policy }: DecidedStep | ReviewedStep): string | undefined {
    if (policy === undefined || policy === this.rules?.policy) return undefined;
    if (this.rules !== undefined) {
      return `it does not follow the rules that were published last, in record ${this.rules.seq}`;
    }
    return this.beginning.whole ? "it follows rules that were never published" : undefined;
  }

  /** The record another one follows from, or what is wrong with it; undefined where it is not here. */
  private parentOf({ parent }: ReviewedStep | PaidStep): Known | string | undefined {
    const known = this.known.get(parent);
    if (known !== undefined) return known;
    if (parent === "") return "it does not name the record that it follows";
    const refused = this.refused.get(parent);
    if (refused !== undefined)
      return `it follows from record ${refused}, which refused the mandate`;
    if (this.reaches(parent)) return "it follows a record that is not in the log";
    this.before++;
    return undefined;
  }

  /** Whether a record of this id would have been read and be remembered. */
  private reaches(recordId: string): boolean {
    if (this.known.forgotten + this.refused.forgotten > 0) return false;
    if (this.beginning.whole) return true;
    const [, high, low] = TIMED_ID.exec(recordId) ?? [];
    if (high === undefined) return false;
    return Number.parseInt(`${high}${low}`, 16) > this.beginning.at + COMMIT_MS_MAX;
  }

  private remember(
    step: DecidedStep | ReviewedStep,
    {
      approved,
      ...more
    }: Pick<Known, "asks" | "wanted" | "mandate" | "opener"> & {
      readonly approved: boolean;
    },
  ): void {
    const { seq, at, subject, amount, protocol, review, agent, skill, recordId } = step;
    const pays = approved && step.pays;
    const elsewhere = step.kind === "decided" && step.elsewhere;
    const known: Known = Object.assign(
      { seq, at, subject, amount, protocol, pays, elsewhere, review },
      more,
    );
    if (pays && amount !== undefined && movesMoney(skill) && agent !== BUYER) {
      known.spending = this.counters.countSpent(agent, amount, at);
    }
    this.known.set(recordId, known);
  }
}
