import { MINUTE_MS } from "../../../infra/time.js";
/** The part of a total that is reserved for callers far below their share. */
export const RESERVED = 0.3;
/** A caller must have used less than this part of its share to use the reserve. */
export const SMALL = 0.1;
/** Below this part of a total every caller is admitted. */
const QUIET = 0.35;
/** Callers counted separately in one minute; all further ones count as one. */
const KEYS_MAX = 20_000;
const OTHERS = "others";

/** One minute of a total. */
interface Minute {
  used: number;
  readonly byKey: Map<string, number>;
}

const newMinute = (): Minute => ({ used: 0, byKey: new Map() });

/**
 * A rate for all callers together, shared out fairly. While less than a part of the total is used, every
 * caller is admitted; then each caller has an equal share. The last part is reserved for callers who have
 * used hardly any of their share, so a newcomer is admitted even in a crowd. The last sixty seconds
 * count: this minute, and the remaining part of the one before.
 */
export class FairRate {
  private readonly perMinute: number;
  private startedAt = 0;
  private current = newMinute();
  private previous = newMinute();

  constructor(perMinute: number) {
    this.perMinute = perMinute;
  }

  /** The whole minute in which it was last used. */
  get lastMinute(): number {
    return this.startedAt;
  }

  /** Admits one request, or says how many milliseconds to wait. */
  take(key: string, now: number): number {
    this.turn(now);
    const name = this.nameOf(key);
    if (!this.mayPass(name, now)) return this.startedAt + MINUTE_MS - now;
    this.add(name);
    return 0;
  }

  /**
   * Counts one for a caller, where the total itself is kept elsewhere. Returns whether the caller has
   * used so little that the reserved part is for it too.
   */
  count(key: string, now: number): boolean {
    this.turn(now);
    const name = this.nameOf(key);
    this.add(name);
    return this.usedBy(name, now) <= this.small();
  }

  /** Gives back what a caller took at that time and has no use for. */
  giveBack(key: string, takenAt: number): void {
    const start = takenAt - (takenAt % MINUTE_MS);
    const minutes = { [this.startedAt]: this.current, [this.startedAt - MINUTE_MS]: this.previous };
    const minute = minutes[start];
    const name = minute?.byKey.has(key) ? key : OTHERS;
    const own = minute?.byKey.get(name) ?? 0;
    if (minute === undefined || own === 0) return;
    minute.used--;
    // A caller that has used nothing does not share the total.
    if (own === 1) minute.byKey.delete(name);
    else minute.byKey.set(name, own - 1);
  }

  private mayPass(name: string, now: number): boolean {
    const { perMinute, current, previous } = this;
    const used = current.used + previous.used * this.leftOfPrevious(now) + 1;
    if (used > perMinute) return false;
    if (used <= perMinute * QUIET) return true;
    const own = this.usedBy(name, now) + 1;
    const open = perMinute * (1 - RESERVED);
    if (used <= open && own <= open / this.callers()) return true;
    return own <= this.small();
  }

  private nameOf(key: string): string {
    const { byKey } = this.current;
    return byKey.has(key) || byKey.size < KEYS_MAX ? key : OTHERS;
  }

  private add(name: string): void {
    const { current } = this;
    current.used++;
    current.byKey.set(name, (current.byKey.get(name) ?? 0) + 1);
  }

  private leftOfPrevious(now: number): number {
    return 1 - (now - this.startedAt) / MINUTE_MS;
  }

  private usedBy(name: string, now: number): number {
    const { current, previous } = this;
    const before = (previous.byKey.get(name) ?? 0) * this.leftOfPrevious(now);
    return (current.byKey.get(name) ?? 0) + before;
  }

  private callers(): number {
    return Math.max(this.current.byKey.size, this.previous.byKey.size, 1);
  }

  private small(): number {
    return Math.max(1, (this.perMinute * SMALL) / this.callers());
  }

  private turn(now: number): void {
    const start = now - (now % MINUTE_MS);
    if (start === this.startedAt) return;
    // After the clock was set back, the counts in memory have no meaning.
    this.previous = start === this.startedAt + MINUTE_MS ? this.current : newMinute();
    this.current = newMinute();
    this.startedAt = start;
  }
}

/** Sites whose totals are kept in memory; idle ones are removed first. */
const SITES_MAX = 10_000;

/** One {@link FairRate} for each site. */
export class FairRates {
  private readonly perMinute: number;
  private readonly sites = new Map<string, FairRate>();

  constructor(perMinute: number) {
    this.perMinute = perMinute;
  }

  get size(): number {
    return this.sites.size;
  }

  take(siteKeyHash: string, key: string, now: number): number {
    return this.rateOf(siteKeyHash, now).take(key, now);
  }

  count(siteKeyHash: string, key: string, now: number): boolean {
    return this.rateOf(siteKeyHash, now).count(key, now);
  }

  giveBack(siteKeyHash: string, key: string, takenAt: number): void {
    this.sites.get(siteKeyHash)?.giveBack(key, takenAt);
  }

  private rateOf(siteKeyHash: string, now: number): FairRate {
    let rate = this.sites.get(siteKeyHash);
    if (rate === undefined) {
      if (this.sites.size >= SITES_MAX) this.dropQuiet(now);
      rate = new FairRate(this.perMinute);
      this.sites.set(siteKeyHash, rate);
    }
    return rate;
  }

  private dropQuiet(now: number): void {
    for (const [site, { lastMinute }] of this.sites) {
      if (now - lastMinute >= 2 * MINUTE_MS) this.sites.delete(site);
    }
    // All were used within two minutes: the count of the oldest is dropped.
    if (this.sites.size >= SITES_MAX) this.sites.delete(this.sites.keys().next().value as string);
  }
}
