/** Keys one limiter remembers; the oldest are forgotten first, which only ever forgives. */
const KEYS_MAX = 100_000;
export const MINUTE_US = 60_000_000;

export interface Rate {
  readonly perMinute: number;
  /** How many may come at once; the per-minute number unless said. */
  readonly burst?: number;
}

/**
 * Generic cell rate algorithm in memory, for limits that are per process: sources, sessions,
 * beacons, failed sign-ins. Limits that guard money use the exact limiter instead.
 */
export class LocalLimiter {
  /** Whole microseconds, so that sums are exact. */
  private readonly interval: number;
  private readonly tolerance: number;
  /** Theoretical arrival time by key, oldest use first. */
  private readonly arrivals = new Map<string, number>();
  private latest: string | undefined;

  constructor({ perMinute, burst = perMinute }: Rate) {
    this.interval = Math.floor(MINUTE_US / perMinute);
    this.tolerance = burst * this.interval;
  }

  /** Keys it remembers. */
  get size(): number {
    return this.arrivals.size;
  }

  /** When the next one after `places` of them would be due, had they come evenly. */
  private arrival(key: string, nowUs: number, places = 1): number {
    const due = this.arrivals.get(key) ?? 0;
    // Further ahead than anything that passed could bring it: the clock was set back, and nobody
    // should wait for the time it had.
    const from = due > nowUs + this.tolerance ? nowUs : Math.max(due, nowUs);
    return from + places * this.interval;
  }

  private waitUntil(arrival: number, nowUs: number): number {
    return Math.max(0, Math.ceil((arrival - nowUs - this.tolerance) / 1000));
  }

  /** Milliseconds to wait before so many more may pass; 0 when they may pass now. Takes nothing. */
  wait(key: string, now: number, places = 1): number {
    return this.waitUntil(this.arrival(key, now * 1000, places), now * 1000);
  }

  /** Lets one pass that takes so many places, or says how many milliseconds to wait. */
  take(key: string, now: number, places = 1): number {
    const arrival = this.arrival(key, now * 1000, places);
    const wait = this.waitUntil(arrival, now * 1000);
    if (wait > 0) return wait;
    this.keep(key, arrival);
    return 0;
  }

  /** Takes places whether they are there or not; whoever comes next waits for them, a burst at most. */
  charge(key: string, now: number, places: number): void {
    const latest = now * 1000 + this.tolerance;
    this.keep(key, Math.min(this.arrival(key, now * 1000, places), latest));
  }

  private keep(key: string, arrival: number): void {
    // Moved to the end, where the latest used stands; mostly it stands there already.
    if (key !== this.latest) this.arrivals.delete(key);
    this.latest = key;
    this.arrivals.set(key, arrival);
    if (this.arrivals.size > KEYS_MAX) this.forgetOldest();
  }

  /** Gives back what {@link take} took; where that was all, nothing is remembered. */
  refund(key: string, now: number): void {
    const arrival = (this.arrivals.get(key) ?? 0) - this.interval;
    if (arrival > now * 1000) this.arrivals.set(key, arrival);
    else this.arrivals.delete(key);
  }

  private forgetOldest(): void {
    const oldest = this.arrivals.keys().next();
    if (!oldest.done) this.arrivals.delete(oldest.value);
  }
}
