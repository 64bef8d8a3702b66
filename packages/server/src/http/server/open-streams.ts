import type { Clock } from "../../infra/clock.js";

/** How many there may be: in all, and of one owner. */
interface StreamLimits {
  readonly all: number;
  readonly ofOne: number;
}

/** Answers that wait for a change. A stopping process completes them, so that none is cut off. */
export class OpenStreams {
  private readonly ends = new Map<() => void, string>();
  private readonly waits = new Set<() => void>();
  private readonly limits: StreamLimits;
  private ended = false;

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

  /**
   * Waits for a time, or until the process stops: false then. For answers whose waits are bounded and
   * counted elsewhere, such as long-polls.
   */
  pause(clock: Clock, ms: number): Promise<boolean> {
    if (this.ended) return Promise.resolve(false);
    return new Promise((resolve) => {
      const done = () => {
        cancel();
        this.waits.delete(done);
        resolve(!this.ended);
      };
      const cancel = clock.after(ms, done);
      this.waits.add(done);
    });
  }

  endAll(): void {
    this.ended = true;
    for (const end of [...this.ends.keys()]) end();
    for (const done of [...this.waits]) done();
  }
}
