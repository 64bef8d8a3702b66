/** Limits how much work of one kind runs at the same time in this process. */
export class ConcurrencyLimit {
  private readonly perKey: number;
  private readonly total: number;
  private readonly taken = new Map<string, number>();
  private all = 0;

  constructor({ perKey, total }: { readonly perKey: number; readonly total: number }) {
    this.perKey = perKey;
    this.total = total;
  }

  /** Does the work if there is a place for it, and gives the place back; undefined if there is none. */
  async run<T>(key: string, work: () => Promise<T>): Promise<{ readonly result: T } | undefined> {
    const mine = this.taken.get(key) ?? 0;
    if (mine >= this.perKey || this.all >= this.total) return undefined;
    this.taken.set(key, mine + 1);
    this.all++;
    try {
      return { result: await work() };
    } finally {
      this.leave(key);
    }
  }

  private leave(key: string): void {
    const left = (this.taken.get(key) as number) - 1;
    if (left === 0) this.taken.delete(key);
    else this.taken.set(key, left);
    this.all--;
  }
}
