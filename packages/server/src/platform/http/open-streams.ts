/** How many there may be: in all, and of one owner. */
interface StreamLimits {
  readonly all: number;
  readonly ofOne: number;
}

/** Answers that have no end of their own; a process that stops ends them, and need not wait for them. */
export class OpenStreams {
  private readonly ends = new Map<() => void, string>();
  private readonly limits: StreamLimits;

  constructor(limits: StreamLimits) {
    this.limits = limits;
  }

  /**
   * Takes one more of an owner; undefined where there are too many, theirs or all. What it gives back
   * says that one has ended.
   */
  add(owner: string, end: () => void): (() => void) | undefined {
    const theirs = [...this.ends.values()].filter((one) => one === owner).length;
    if (this.ends.size >= this.limits.all || theirs >= this.limits.ofOne) return undefined;
    this.ends.set(end, owner);
    return () => this.ends.delete(end);
  }

  endAll(): void {
    for (const end of [...this.ends.keys()]) end();
  }
}
