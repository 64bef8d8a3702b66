const MINUTE_MS = 60_000;
/** Part of a total that only callers far below their share may use. */
export const RESERVED = 0.3;
/** How far below its share a caller must be for that. */
export const SMALL = 0.1;
/** Below this part of a total nobody's share is asked about. */
const QUIET = 0.35;
/** Callers told apart in one minute; all others of that minute are counted as one. */
const KEYS_MAX = 20_000;
const OTHERS = "others";

/** One minute of a total. */
interface Minute {
  used: number;
  readonly byKey: Map<string, number>;
}

const newMinute = (): Minute => ({ used: 0, byKey: new Map() });

/**
 * So many in a minute for all callers together, shared out fairly between them: while there is
 * plenty anybody may take it; then each caller has an equal share; and the last part is kept for those
 * who have used hardly any of theirs, so that a newcomer gets in however many crowd it.
 * The last sixty seconds count: this minute, and what is left of the one before.
 */
export class FairRate {
  private readonly perMinute: number;
  private startedAt = 0;
  private current = newMinute();
  private previous = newMinute();

  constructor(perMinute: number) {
    this.perMinute = perMinute;
  }

  /** When it was used last, as far as memory is concerned: whole minutes. */
  get lastMinute(): number {
    return this.startedAt;
  }

  /** Lets one pass, or says how many milliseconds to wait. */
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
    // Whoever used nothing is no caller that others share with.
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
    // Set back, the clock says nothing about what is still remembered.
    this.previous = start === this.startedAt + MINUTE_MS ? this.current : newMinute();
    this.current = newMinute();
    this.startedAt = start;
  }
}

/** Sites whose totals are remembered; those that are quiet are dropped first. */
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
    // All of them busy within two minutes: the oldest is forgiven.
    if (this.sites.size >= SITES_MAX) this.sites.delete(this.sites.keys().next().value as string);
  }
}
