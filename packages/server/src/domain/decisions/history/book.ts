import type { WorkBudget } from "../../../infra/work-budget.js";

/** An amount that is added to counters at a time. */
export interface Entry {
  readonly at: number;
  /** The identities whose counters it adds to; null means the counter of the site. */
  readonly counters: readonly (string | null)[];
  /** Empty if it counts decisions and not money. */
  readonly currency: string;
  readonly value: number | bigint;
}

const ENTRIES_PER_TURN = 2_000;

/** The number of entries, in order of time, that are not after a time. */
function countUpTo(length: number, atOf: (index: number) => number, at: number): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (atOf(middle) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Running sums of one counter. The content of any window is the difference of two of them. */
class Ledger {
  private readonly times: number[] = [];
  /** Bigints, because a rounded sum would make every difference wrong. */
  private readonly sums: bigint[] = [0n];
  private sum = 0n;

  add(at: number, value: number | bigint): void {
    this.sum += BigInt(value);
    this.times.push(at);
    this.sums.push(this.sum);
  }

  after(since: number): number {
    const index = countUpTo(this.times.length, (i) => this.times[i] as number, since);
    return Number(this.sum - (this.sums[index] as bigint));
  }
}

/** Counters by identity and currency, which are read in order of time. */
export class Book {
  private readonly ledgers = new Map<string, Ledger>();
  /** In order of time. The entries before `next` are in the ledgers. */
  private readonly entries: Entry[];
  private next = 0;

  constructor(entries: readonly Entry[]) {
    // Fast, because the input is a few sorted lists.
    this.entries = [...entries].sort((a, b) => a.at - b.at);
  }

  /** Adds an entry that is not before the time of the last `advance`. */
  add(entry: Entry): void {
    const { entries } = this;
    const index = countUpTo(entries.length, (i) => (entries[i] as Entry).at, entry.at);
    entries.splice(Math.max(index, this.next), 0, entry);
  }

  /** Adds all entries up to a time to the ledgers. */
  async advance(now: number, budget: WorkBudget): Promise<void> {
    for (; this.next < this.entries.length; this.next++) {
      const { at, counters, currency, value } = this.entries[this.next] as Entry;
      if (at > now) return;
      for (const counter of counters) this.ledger(counter, currency).add(at, value);
      if (this.next % ENTRIES_PER_TURN === 0) await budget.turn();
    }
  }

  private ledger(counter: string | null, currency: string): Ledger {
    const key = `${counter ?? ""} ${currency}`;
    const ledger = this.ledgers.get(key) ?? new Ledger();
    this.ledgers.set(key, ledger);
    return ledger;
  }

  /** The sum of the entries after a time, up to the time of the last `advance`. */
  after(since: number, counter: string | null, currency = ""): number {
    return this.ledgers.get(`${counter ?? ""} ${currency}`)?.after(since) ?? 0;
  }
}
