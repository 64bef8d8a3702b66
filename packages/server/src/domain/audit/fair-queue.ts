interface Queued {
  readonly siteKeyHash: string;
  readonly queuedAt: number;
}

/** Waiting commits, in order for each site. Sites take turns, so that a busy one does not delay the others. */
export class FairQueue<T extends Queued> {
  /** In the order of their turns. No list is empty. */
  private readonly bySite = new Map<string, T[]>();
  size = 0;

  sizeOf(siteKeyHash: string): number {
    return this.bySite.get(siteKeyHash)?.length ?? 0;
  }

  push(entry: T): void {
    const list = this.bySite.get(entry.siteKeyHash);
    if (list === undefined) this.bySite.set(entry.siteKeyHash, [entry]);
    else list.push(entry);
    this.size++;
  }

  /** Takes one of each site in turn, until there are as many as asked for. */
  take(max: number): T[] {
    const taken: T[] = [];
    while (taken.length < max && this.size > 0) {
      const [siteKeyHash, list] = this.bySite.entries().next().value as [string, T[]];
      taken.push(list.shift() as T);
      this.size--;
      // To the end of the order, if it has more.
      this.bySite.delete(siteKeyHash);
      if (list.length > 0) this.bySite.set(siteKeyHash, list);
    }
    return taken;
  }

  /** Removes and returns the entries that were queued at this moment or earlier. */
  takeQueuedUntil(moment: number): T[] {
    const taken: T[] = [];
    for (const [siteKeyHash, list] of this.bySite) {
      const late = list.filter(({ queuedAt }) => queuedAt <= moment);
      if (late.length === 0) continue;
      taken.push(...late);
      this.size -= late.length;
      const rest = list.filter(({ queuedAt }) => queuedAt > moment);
      if (rest.length === 0) this.bySite.delete(siteKeyHash);
      else this.bySite.set(siteKeyHash, rest);
    }
    return taken;
  }
}
