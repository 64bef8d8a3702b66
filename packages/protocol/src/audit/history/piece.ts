import type { Bundle } from "../bundle.js";
import type { Beginning } from "./history.js";
import type { Step } from "./step.js";

/** The records of a part that hold, as far as they are compared with others. */
export interface Piece {
  readonly firstSeq: number;
  /** The place behind the last of them. */
  readonly nextSeq: number;
  /** False where a record behind them does not hold: nothing follows from here. */
  readonly whole: boolean;
  readonly beginning: Beginning;
  readonly steps: readonly Step[];
}

/** What of a part is compared with others: the steps of its records up to the last that holds. */
export function pieceOf(bundle: Bundle, held: number, steps: readonly Step[]): Piece | undefined {
  const { first_seq: firstSeq, count, records } = bundle;
  const [first] = records;
  if (held === 0 || first === undefined) return undefined;
  const { type, previous, recorded_at } = first.record;
  return {
    firstSeq,
    nextSeq: firstSeq + held,
    whole: held === records.length && held === count,
    beginning: {
      whole: type === "chain.genesis" && (previous ?? null) === null,
      at: Date.parse(recorded_at),
    },
    steps,
  };
}
