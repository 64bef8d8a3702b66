const PER_ADDRESS_MAX = 2;
const PER_SITE_MAX = 100;

/** Requests that are held open until something happens; each costs a little for all its time. */
export class Waiting {
  private readonly counts = new Map<string, number>();

  private add(key: string, by: 1 | -1): void {
    const count = (this.counts.get(key) ?? 0) + by;
    if (count === 0) this.counts.delete(key);
    else this.counts.set(key, count);
  }

  /** What to call when it is over; undefined where too many wait already, and it is answered at once. */
  enter(siteKeyHash: string, address: string): (() => void) | undefined {
    const [site, source] = [`site ${siteKeyHash}`, `address ${address}`];
    if ((this.counts.get(site) ?? 0) >= PER_SITE_MAX) return undefined;
    if ((this.counts.get(source) ?? 0) >= PER_ADDRESS_MAX) return undefined;
    for (const key of [site, source]) this.add(key, 1);
    return () => {
      for (const key of [site, source]) this.add(key, -1);
    };
  }
}
