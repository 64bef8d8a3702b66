import type { Clock } from "../../infra/clock.js";

/** How many streams may be open: in all, and of one owner. */
interface StreamLimits {
  readonly all: number;
  readonly perOwner: number;
}

/** Answers that wait for a change. A stopping process ends them, so that none is cut off. */
export class OpenStreams {
  private readonly ends = new Map<() => void, string>();
  private readonly waits = new Set<() => void>();
  private readonly limits: StreamLimits;
  private ended = false;

  constructor(limits: StreamLimits) {
    this.limits = limits;
  }

  /**
   * Counts one more stream of an owner, and returns a function to call when it has ended; undefined if
   * too many are open. `end` ends the stream.
   */
  add(owner: string, end: () => void): (() => void) | undefined {
    const theirs = [...this.ends.values()].filter((one) => one === owner).length;
    if (this.ends.size >= this.limits.all || theirs >= this.limits.perOwner) return undefined;
    this.ends.set(end, owner);
    return () => this.ends.delete(end);
  }

  /**
   * Waits for a time. False if the process stops before that. For answers that are limited elsewhere,
   * such as long polls.
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
