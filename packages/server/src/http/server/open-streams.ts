import type { Clock } from "../../infra/clock.js";

/** How many streams may be open: in all, of one token, and of one site, which can have many tokens. */
interface StreamLimits {
  readonly all: number;
  readonly perPrincipal: number;
  readonly perSite: number;
}

interface OpenStream {
  readonly principalId: string;
  readonly siteKeyHash: string;
  /** Ends the stream. */
  end(): void;
}

/** Answers that wait for a change. A stopping process ends them, so that none is cut off. */
export class OpenStreams {
  private readonly streams = new Set<OpenStream>();
  private readonly waits = new Set<() => void>();
  private readonly limits: StreamLimits;
  private ended = false;

  constructor(limits: StreamLimits) {
    this.limits = limits;
  }

  /** Counts one more stream, and returns a function to call when it has ended; undefined if too many are open. */
  add(stream: OpenStream): (() => void) | undefined {
    const { all, perPrincipal, perSite } = this.limits;
    const open = [...this.streams];
    const ofPrincipal = open.filter(({ principalId }) => principalId === stream.principalId).length;
    const ofSite = open.filter(({ siteKeyHash }) => siteKeyHash === stream.siteKeyHash).length;
    if (open.length >= all || ofPrincipal >= perPrincipal || ofSite >= perSite) return undefined;
    this.streams.add(stream);
    return () => this.streams.delete(stream);
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
    for (const { end } of [...this.streams]) end();
    for (const done of [...this.waits]) done();
  }
}
