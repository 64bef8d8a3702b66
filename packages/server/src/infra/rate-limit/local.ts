/** Keys in one limiter. Removing the oldest only admits more. */
const KEYS_MAX = 100_000;
export const MINUTE_US = 60_000_000;

export interface Rate {
  readonly perMinute: number;
  /** How many may come at once; by default the number per minute. */
  readonly burst?: number;
}

/**
 * Generic cell rate algorithm in memory, for limits that are per process: addresses, sessions,
 * beacons, failed sign-ins. Limits that guard money use the exact limiter instead.
 */
export class LocalLimiter {
  /** Whole microseconds, so that sums are exact. */
  private readonly interval: number;
  private readonly tolerance: number;
  /**
   * Theoretical arrival time by key. Recent keys are in `young`. When that is full it becomes `old`, and
   * the former `old` is dropped, so a request costs one read and one write however many keys there are.
   */
  private young = new Map<string, number>();
  private old = new Map<string, number>();

  constructor({ perMinute, burst = perMinute }: Rate) {
    this.interval = Math.floor(MINUTE_US / perMinute);
    this.tolerance = burst * this.interval;
  }

  /** Keys it remembers. */
  get size(): number {
    return this.young.size + this.old.size;
  }

  /** The theoretical arrival time after `places` more. Changes nothing. */
  arrival(key: string, now: number, places = 1): number {
    const nowUs = now * 1000;
    const due = this.young.get(key) ?? this.old.get(key) ?? 0;
    // Further ahead than any allowed request could set it, so the clock was set back, and nobody should
    // wait for the old time.
    const from = due > nowUs + this.tolerance || due < nowUs ? nowUs : due;
    return from + places * this.interval;
  }

  /** Milliseconds until an arrival is allowed; 0 if it is allowed now. */
  waitFor(arrival: number, now: number): number {
    const overUs = arrival - now * 1000 - this.tolerance;
    return overUs > 0 ? Math.ceil(overUs / 1000) : 0;
  }

  /** Milliseconds until `places` more are allowed; 0 if they are allowed now. Changes nothing. */
  wait(key: string, now: number, places = 1): number {
    return this.waitFor(this.arrival(key, now, places), now);
  }

  /** Admits a request that counts as `places`, or returns how many milliseconds to wait. */
  take(key: string, now: number, places = 1): number {
    const arrival = this.arrival(key, now, places);
    const wait = this.waitFor(arrival, now);
    if (wait === 0) this.keep(key, arrival);
    return wait;
  }

  /** Takes places even beyond the limit; the next request waits for them, at most for one burst. */
  charge(key: string, now: number, places: number): void {
    const latest = now * 1000 + this.tolerance;
    this.keep(key, Math.min(this.arrival(key, now, places), latest));
  }

  /** Stores an allowed arrival that {@link arrival} returned. */
  keep(key: string, arrival: number): void {
    this.young.set(key, arrival);
    if (this.young.size <= KEYS_MAX / 2) return;
    this.old = this.young;
    this.young = new Map();
  }

  /** Gives back what {@link take} took; a key with nothing left is removed. */
  refund(key: string, now: number): void {
    const arrival = (this.young.get(key) ?? this.old.get(key) ?? 0) - this.interval;
    this.old.delete(key);
    if (arrival > now * 1000) this.young.set(key, arrival);
    else this.young.delete(key);
  }
}
