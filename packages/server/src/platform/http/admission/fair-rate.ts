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
    const known = this.current.byKey.has(key) || this.current.byKey.size < KEYS_MAX;
    const name = known ? key : OTHERS;
    if (!this.mayPass(name, now)) return this.startedAt + MINUTE_MS - now;
    this.current.used++;
    this.current.byKey.set(name, (this.current.byKey.get(name) ?? 0) + 1);
    return 0;
  }

  private mayPass(name: string, now: number): boolean {
    const { perMinute, current, previous } = this;
    const left = 1 - (now - this.startedAt) / MINUTE_MS;
    const used = current.used + previous.used * left + 1;
    if (used > perMinute) return false;
    if (used <= perMinute * QUIET) return true;
    const own = (current.byKey.get(name) ?? 0) + (previous.byKey.get(name) ?? 0) * left + 1;
    const callers = Math.max(current.byKey.size, previous.byKey.size, 1);
    const open = perMinute * (1 - RESERVED);
    if (used <= open && own <= open / callers) return true;
    return own <= Math.max(1, (perMinute * SMALL) / callers);
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
    let rate = this.sites.get(siteKeyHash);
    if (rate === undefined) {
      if (this.sites.size >= SITES_MAX) this.dropQuiet(now);
      rate = new FairRate(this.perMinute);
      this.sites.set(siteKeyHash, rate);
    }
    return rate.take(key, now);
  }

  private dropQuiet(now: number): void {
    for (const [site, { lastMinute }] of this.sites) {
      if (now - lastMinute >= 2 * MINUTE_MS) this.sites.delete(site);
    }
    // All of them busy within two minutes: the oldest is forgiven.
    if (this.sites.size >= SITES_MAX) this.sites.delete(this.sites.keys().next().value as string);
  }
}
