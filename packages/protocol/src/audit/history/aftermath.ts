import { Remembered } from "./remembered.js";
import type { AdjustedStep } from "./step.js";

/** What ends an authorization. */
const ENDS = ["captured", "released", "lapsed"];
/** Money that was taken, and goes back. */
const GOES_BACK = ["refund", "dispute"];
/** What becomes of the goods says nothing of the money. */
const GOODS = ["fulfillment", "cancellation"];

interface Told {
  readonly seq: number;
  readonly attempt: string;
  readonly status: string;
  readonly minor: number | undefined;
}

/** What was told of payments after they were authorized, as far as it is remembered. */
export class Aftermath {
  /** By the attempt. */
  private readonly ends: Remembered<{ readonly seq: number; readonly became: string }>;
  /** By what the processor calls it. */
  private readonly returns: Remembered<Told>;

  constructor(max: number) {
    this.ends = new Remembered(max);
    this.returns = new Remembered(max);
  }

  /** Takes what is told next. `whole`: nothing was told before the first record. */
  take(step: AdjustedStep, whole: boolean): string | undefined {
    const { attempt, became = "", seq } = step;
    if (GOODS.includes(became)) return undefined;
    const before = this.ends.get(attempt);
    if (GOES_BACK.includes(became)) {
      const taken = before === undefined ? !whole || this.ends.forgotten > 0 : undefined;
      if (!(taken ?? before?.became === "captured")) return "it gives back what nobody had taken";
      return this.returned(step);
    }
    if (!ENDS.includes(became)) return "it does not say what became of the payment";
    if (before !== undefined) return `record ${before.seq} had told what became of the payment`;
    this.ends.set(attempt, { seq, became });
    return undefined;
  }

  private returned({ attempt, returned, amount, seq }: AdjustedStep): string | undefined {
    if (returned === undefined) return "it does not say what goes back, or how far it is";
    const { id, status } = returned;
    const minor = amount?.minor;
    const told = this.returns.get(id);
    this.returns.set(id, { seq, attempt, status, minor });
    if (told === undefined) return undefined;
    if (told.attempt !== attempt) return `record ${told.seq} said it of another payment`;
    const same = told.status === status && told.minor === minor;
    return same ? `record ${told.seq} had told the same` : undefined;
  }
}
