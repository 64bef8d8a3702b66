/** How many entries one that comes late may pass; clocks of two nodes differ by less. */
const LATE_ENTRIES_MAX = 1000;

/**
 * Adds up what happened within windows that end now. It never says more than was: verifiers accuse
 * with it.
 */
export class Tally {
  /** Moments, never falling: where one comes late, those before it count as no later than it. */
  private times: number[] = [];
  private values: number[] = [];
  /** The number of the first entry that is still here. */
  private first = 0;
  /** Of all that are here; kept where sums are exact. */
  private total = 0;
  /** By length: the number of the first entry within, and the sum from there on. */
  private readonly windows = new Map<number, { from: number; sum: number }>();

  /** Adds an entry and gives its number. */
  add(at: number, value: number): number {
    const late = this.passed(at);
    if (late > LATE_ENTRIES_MAX || this.total + value > Number.MAX_SAFE_INTEGER) this.clear();
    else this.times.fill(at, this.times.length - late);
    this.times.push(at);
    this.values.push(value);
    this.total += value;
    for (const window of this.windows.values()) window.sum += value;
    return this.first + this.times.length - 1;
  }

  /** Takes an entry back: from here on it does not count. */
  takeBack(number: number): void {
    const value = this.values[number - this.first];
    if (value === undefined) return;
    this.values[number - this.first] = 0;
    this.total -= value;
    for (const window of this.windows.values()) if (number >= window.from) window.sum -= value;
  }

  /** The sum of what came after `now - length`. */
  sum(length: number, now: number): number {
    const window = this.windows.get(length) ?? { from: this.first, sum: this.total };
    this.windows.set(length, window);
    for (let i = window.from - this.first; (this.times[i] ?? now) <= now - length; i++) {
      window.sum -= this.values[i] as number;
      window.from++;
    }
    return window.sum;
  }

  /** Drops what came up to a moment. Returns how many entries that were. */
  dropUntil(until: number): number {
    const kept = this.times.findIndex((at) => at > until);
    const gone = kept < 0 ? this.times.length : kept;
    if (gone === this.times.length) this.clear();
    else {
      for (const window of this.windows.values()) {
        for (let n = window.from; n < this.first + gone; n++) {
          window.sum -= this.values[n - this.first] as number;
        }
        window.from = Math.max(window.from, this.first + gone);
      }
      for (const value of this.values.slice(0, gone)) this.total -= value;
      this.times = this.times.slice(gone);
      this.values = this.values.slice(gone);
      this.first += gone;
    }
    return gone;
  }

  /** How many entries are later than a moment, up to one more than may be passed. */
  private passed(at: number): number {
    let late = 0;
    while (late <= LATE_ENTRIES_MAX && (this.times.at(-1 - late) ?? at) > at) late++;
    return late;
  }

  private clear(): void {
    this.first += this.times.length;
    this.times = [];
    this.values = [];
    this.total = 0;
    this.windows.clear();
  }
}
