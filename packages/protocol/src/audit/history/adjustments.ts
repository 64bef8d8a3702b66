import type { Money } from "../../money/amount.js";
import { Remembered } from "./remembered.js";
import type { AdjustedStep } from "./step.js";

/** What ends an authorization. */
const ENDS = ["captured", "released", "lapsed"];
const REFUND = "refund";
/** Money that was taken, and goes back. */
const GOES_BACK = [REFUND, "dispute"];
/** What becomes of the goods says nothing of the money. */
const GOODS = ["fulfillment", "cancellation"];

/** How an authorization ended, and what of it was given back since. */
interface Ended {
  readonly seq: number;
  readonly became: string;
  /** What was taken, in minor units; undefined where that is not said. */
  readonly taken: number | undefined;
  refunded: number;
}

interface Reported {
  readonly seq: number;
  readonly attempt: string;
  readonly status: string;
  readonly minor: number | undefined;
}

/** What was told of payments after they were authorized, as far as it is remembered. */
export class Adjustments {
  /** By the attempt. */
  private readonly ends: Remembered<Ended>;
  /** By what the processor calls it. */
  private readonly returns: Remembered<Reported>;

  constructor(max: number) {
    this.ends = new Remembered(max);
    this.returns = new Remembered(max);
  }

  /**
   * Takes what is told next. `whole`: nothing was told before the first record. `authorized` is what
   * the payment was of, where that is known.
   */
  take(
    step: AdjustedStep,
    { whole, authorized }: { readonly whole: boolean; readonly authorized: Money | undefined },
  ): string | undefined {
    const { attempt, became = "", amount, seq } = step;
    if (GOODS.includes(became)) return undefined;
    const before = this.ends.get(attempt);
    if (GOES_BACK.includes(became)) {
      const unseen = before === undefined && (!whole || this.ends.forgotten > 0);
      if (!unseen && before?.became !== "captured")
        return "it refunds or disputes a payment that was not captured";
      return this.returned(step, before);
    }
    if (!ENDS.includes(became)) return "it does not say how the payment ended";
    if (before !== undefined) return `record ${before.seq} already says how the payment ended`;
    const taken = became === "captured" ? (amount ?? authorized)?.minor : undefined;
    this.ends.set(attempt, { seq, became, taken, refunded: 0 });
    const more = taken !== undefined && authorized !== undefined && taken > authorized.minor;
    return more ? "it captures more than was authorized" : undefined;
  }

  private returned(step: AdjustedStep, ended: Ended | undefined): string | undefined {
    const { attempt, became, returned, amount, seq } = step;
    if (returned === undefined) return "it does not name the refund or dispute, or not its status";
    const { id, status } = returned;
    const now: Reported = { seq, attempt, status, minor: amount?.minor };
    const before = this.returns.get(id);
    this.returns.set(id, now);
    if (before !== undefined && before.attempt !== attempt) {
      return `record ${before.seq} has the same refund or dispute for another payment`;
    }
    if (before?.status === status && before.minor === now.minor) {
      return `record ${before.seq} already says the same`;
    }
    if (became !== REFUND || ended === undefined) return undefined;
    ended.refunded += givenBack(now) - givenBack(before);
    const more = ended.taken !== undefined && ended.refunded > ended.taken;
    return more ? "more was refunded than was captured" : undefined;
  }
}

/** What a refund has given back; one that failed, or is under way, nothing yet. */
const givenBack = (reported: Reported | undefined) =>
  reported?.status === "completed" ? (reported.minor ?? 0) : 0;
