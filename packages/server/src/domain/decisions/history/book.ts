import type { WorkBudget } from "../../../infra/work-budget.js";

/** Something that adds to counters at a moment. */
export interface Entry {
  readonly at: number;
  /** Whose counters it adds to: an identity, or null for those of the site. */
  readonly whose: readonly (string | null)[];
  /** Empty where no money is counted. */
  readonly currency: string;
  readonly value: number | bigint;
}

const ENTRIES_PER_TURN = 2_000;

/** How many of the first entries, in order of time, are not after a moment. */
function placeAfter(length: number, atOf: (place: number) => number, at: number): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (atOf(middle) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Running sums of one counter: what any window holds is the difference of two of them. */
class Ledger {
  private readonly times: number[] = [];
  /** Whole, however much a long history comes to: a rounded sum would show in every difference. */
  private readonly sums: bigint[] = [0n];
  private sum = 0n;

  add(at: number, value: number | bigint): void {
    this.sum += BigInt(value);
    this.times.push(at);
    this.sums.push(this.sum);
  }

  after(since: number): number {
    const place = placeAfter(this.times.length, (one) => this.times[one] as number, since);
    return Number(this.sum - (this.sums[place] as bigint));
  }
}

/** What was counted, by whose it is and currency, read in order of time. */
export class Book {
  private readonly ledgers = new Map<string, Ledger>();
  /** In order of time; those before `next` are in the ledgers. */
  private readonly entries: Entry[];
  private next = 0;

  constructor(entries: readonly Entry[]) {
    // Mostly sorted: they come as a few sorted lists.
    this.entries = [...entries].sort((one, other) => one.at - other.at);
  }

  /** Adds what counts from its moment on, which is not before the last that was advanced to. */
  add(entry: Entry): void {
    const { entries } = this;
    const place = placeAfter(entries.length, (one) => (entries[one] as Entry).at, entry.at);
    entries.splice(Math.max(place, this.next), 0, entry);
  }

  /** Counts everything up to a moment. */
  async advance(now: number, allowance: WorkBudget): Promise<void> {
    for (; this.next < this.entries.length; this.next++) {
      const { at, whose, currency, value } = this.entries[this.next] as Entry;
      if (at > now) return;
      for (const one of whose) this.ledger(one, currency).add(at, value);
      if (this.next % ENTRIES_PER_TURN === 0) await allowance.turn();
    }
  }

  private ledger(whose: string | null, currency: string): Ledger {
    const key = `${whose ?? ""} ${currency}`;
    const ledger = this.ledgers.get(key) ?? new Ledger();
    this.ledgers.set(key, ledger);
    return ledger;
  }

  /** What came after a moment, up to the one that was advanced to. */
  after(since: number, whose: string | null, currency = ""): number {
    return this.ledgers.get(`${whose ?? ""} ${currency}`)?.after(since) ?? 0;
  }
}
