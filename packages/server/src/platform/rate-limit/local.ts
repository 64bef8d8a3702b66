/** Keys one limiter remembers; the oldest are forgotten first, which only ever forgives. */
const KEYS_MAX = 100_000;

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
  private readonly intervalMs: number;
  private readonly toleranceMs: number;
  /** Theoretical arrival time by key, oldest use first. */
  private readonly arrivals = new Map<string, number>();

  constructor({ perMinute, burst = perMinute }: Rate) {
    this.intervalMs = 60_000 / perMinute;
    this.toleranceMs = burst * this.intervalMs;
  }

  /** Milliseconds to wait before one more may pass; 0 when it may pass now. Takes nothing. */
  wait(key: string, now: number): number {
    const arrival = Math.max(this.arrivals.get(key) ?? 0, now) + this.intervalMs;
    // Compared with a margin of a microsecond: sums of 60,000 / n are not exact in binary.
    return Math.max(0, Math.ceil(arrival - now - this.toleranceMs - 0.001));
  }

  /** Lets one pass, or says how long to wait. */
  take(key: string, now: number): number {
    const wait = this.wait(key, now);
    if (wait > 0) return wait;
    const arrival = Math.max(this.arrivals.get(key) ?? 0, now) + this.intervalMs;
    this.arrivals.delete(key);
    this.arrivals.set(key, arrival);
    if (this.arrivals.size > KEYS_MAX) this.forgetOldest();
    return 0;
  }

  private forgetOldest(): void {
    const oldest = this.arrivals.keys().next();
    if (!oldest.done) this.arrivals.delete(oldest.value);
  }
}
