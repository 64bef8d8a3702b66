interface Queued {
  readonly siteKeyHash: string;
  readonly queuedAt: number;
}

/**
 * Waiting commits, in order for each site. Sites take turns, so that a busy one does not delay the others.
 * Nothing is taken of a site that is held.
 */
export class FairQueue<T extends Queued> {
  /** In the order of their turns. No list is empty. */
  private readonly bySite = new Map<string, T[]>();
  private readonly held = new Map<string, T[]>();
  /** Entries that can be taken. */
  ready = 0;
  /** All entries. */
  size = 0;

  sizeOf(siteKeyHash: string): number {
    return (this.held.get(siteKeyHash) ?? this.bySite.get(siteKeyHash))?.length ?? 0;
  }

  push(entry: T): void {
    const { siteKeyHash } = entry;
    const held = this.held.get(siteKeyHash);
    const list = held ?? this.bySite.get(siteKeyHash);
    if (list === undefined) this.bySite.set(siteKeyHash, [entry]);
    else list.push(entry);
    this.size++;
    if (held === undefined) this.ready++;
  }

  /** Takes one of each site in turn, until there are as many as asked for. */
  take(max: number): T[] {
    const taken: T[] = [];
    while (taken.length < max && this.ready > 0) {
      const [siteKeyHash, list] = this.bySite.entries().next().value as [string, T[]];
      taken.push(list.shift() as T);
      this.ready--;
      // To the end of the order, if it has more.
      this.bySite.delete(siteKeyHash);
      if (list.length > 0) this.bySite.set(siteKeyHash, list);
    }
    this.size -= taken.length;
    return taken;
  }

  /** Takes nothing more of these sites until they are released. */
  hold(sites: Iterable<string>): void {
    for (const site of sites) {
      const list = this.bySite.get(site) ?? [];
      this.bySite.delete(site);
      this.held.set(site, list);
      this.ready -= list.length;
    }
  }

  release(sites: Iterable<string>): void {
    for (const site of sites) {
      const list = this.held.get(site) ?? [];
      this.held.delete(site);
      if (list.length > 0) this.bySite.set(site, list);
      this.ready += list.length;
    }
  }

  /** Removes and returns the entries that were queued at this moment or earlier. */
  takeQueuedUntil(moment: number): T[] {
    const taken: T[] = [];
    for (const lists of [this.bySite, this.held]) {
      for (const [site, list] of lists) {
        const late = list.filter(({ queuedAt }) => queuedAt <= moment);
        if (late.length === 0) continue;
        taken.push(...late);
        const rest = list.filter(({ queuedAt }) => queuedAt > moment);
        if (rest.length === 0 && lists === this.bySite) lists.delete(site);
        else lists.set(site, rest);
        if (lists === this.bySite) this.ready -= late.length;
      }
    }
    this.size -= taken.length;
    return taken;
  }
}
