/** Answers that have no end of their own; a process that stops ends them, and need not wait for them. */
export class OpenStreams {
  private readonly ends = new Set<() => void>();
  private readonly max: number;

  constructor(max: number) {
    this.max = max;
  }

  /** Takes one more; undefined where there are too many. What it gives back says that one has ended. */
  add(end: () => void): (() => void) | undefined {
    if (this.ends.size >= this.max) return undefined;
    this.ends.add(end);
    return () => this.ends.delete(end);
  }

  endAll(): void {
    for (const end of [...this.ends]) end();
  }
}
