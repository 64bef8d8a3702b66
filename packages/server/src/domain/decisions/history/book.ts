import type { WorkBudget } from "../../../infra/work-budget.js";

/** An amount that is added to counters at a time. */
export interface Entry {
  readonly at: number;
  /** The identities whose counters it adds to; null means the counter of the site. */
  readonly whose: readonly (string | null)[];
  /** Empty if it counts decisions and not money. */
  readonly currency: string;
  readonly value: number | bigint;
}

const ENTRIES_PER_TURN = 2_000;

/** The number of entries, in order of time, that are not after a time. */
function placeAfter(length: number, atOf: (place: number) => number, at: number): number {
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
    const place = placeAfter(this.times.length, (one) => this.times[one] as number, since);
    return Number(this.sum - (this.sums[place] as bigint));
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
    this.entries = [...entries].sort((one, other) => one.at - other.at);
  }

  /** Adds an entry that is not before the time of the last `advance`. */
  add(entry: Entry): void {
    const { entries } = this;
    const place = placeAfter(entries.length, (one) => (entries[one] as Entry).at, entry.at);
    entries.splice(Math.max(place, this.next), 0, entry);
  }

  /** Adds all entries up to a time to the ledgers. */
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

  /** The sum of the entries after a time, up to the time of the last `advance`. */
  after(since: number, whose: string | null, currency = ""): number {
    return this.ledgers.get(`${whose ?? ""} ${currency}`)?.after(since) ?? 0;
  }
}
