import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Clock } from "./clock.js";

/** Requests of one lane under way, if nothing else is said; of one host, and waiting. */
const IN_ALL_MAX = 32;
const PER_HOST_MAX = 2;
const WAITING_MAX = 256;
/** One slow host must not fill the line for everybody. */
const WAITING_PER_HOST_MAX = 16;
/** Neither must one source that names many slow hosts. */
const PER_SOURCE_MAX = 4;
const WAITING_PER_SOURCE_MAX = 16;
/** How long the use of a source is remembered. */
const USAGE_WINDOW_MS = 60_000;
const SOURCES_REMEMBERED_MAX = 10_000;
/** The estimated duration of a request until it is known. */
const EXPECTED_MS = 1000;

/** The source and host of a request. */
export interface Visitor {
  readonly host: string;
  /** The stranger's network; undefined for requests of this service or of an owner. */
  readonly source: string | undefined;
}

interface Waiter extends Visitor {
  proceed(): void;
  /** Its place in line goes to somebody else. */
  giveUp(): void;
}

/**
 * Limits concurrent requests of one kind. The source that has used least goes first, so a source that names
 * slow hosts delays only itself.
 */
export class Lane {
  private readonly clock: Clock;
  private readonly inAllMax: number;
  private readonly perHost = new Map<string, number>();
  private readonly perSource = new Map<string, number>();
  private underWay = 0;
  private waiting: Waiter[] = [];
  private used = new Map<string, number>();
  private usedSince = 0;

  constructor(clock: Clock, inAllMax = IN_ALL_MAX) {
    this.clock = clock;
    this.inAllMax = inAllMax;
  }

  get load(): { readonly underWay: number; readonly waiting: number } {
    return { underWay: this.underWay, waiting: this.waiting.length };
  }

  /** Waits for a place until the deadline; what it returns gives the place back. */
  async enter(visitor: Visitor, deadline: number): Promise<Result<() => void, "too_busy">> {
    while (!this.isFree(visitor)) {
      if (!this.mayWait(visitor)) return refuse("too_busy", "too many requests are waiting");
      const left = deadline - this.clock.now();
      if (left <= 0 || !(await this.waitInLine(visitor, left))) {
        return refuse("too_busy", "no place was free in time");
      }
    }
    const { host, source } = visitor;
    const enteredAt = this.clock.now();
    this.underWay++;
    add(this.perHost, host, 1);
    if (source !== undefined) add(this.perSource, source, 1);
    this.use(source, EXPECTED_MS);
    return ok(() => {
      this.use(source, this.clock.now() - enteredAt - EXPECTED_MS);
      this.leave(visitor);
    });
  }

  private isFree({ host, source }: Visitor): boolean {
    if (this.underWay >= this.inAllMax || (this.perHost.get(host) ?? 0) >= PER_HOST_MAX)
      return false;
    return source === undefined || (this.perSource.get(source) ?? 0) < PER_SOURCE_MAX;
  }

  private mayWait(visitor: Visitor): boolean {
    const { host, source } = visitor;
    const own = this.waiting.filter((waiter) => waiter.source === source).length;
    if (source !== undefined && own >= WAITING_PER_SOURCE_MAX) return false;
    const sameHost = this.waiting.filter((waiter) => waiter.host === host);
    if (sameHost.length >= WAITING_PER_HOST_MAX) return this.displace(sameHost, visitor);
    return this.waiting.length < WAITING_MAX || this.displace(this.waiting, visitor);
  }

  /**
   * Refuses the last waiting request of the source that uses most, if that is more than the newcomer uses. So
   * a full queue does not lock out a source that asks for little.
   */
  private displace(line: readonly Waiter[], { source }: Visitor): boolean {
    const waits = new Map<string | undefined, number>();
    for (const waiter of this.waiting) add(waits, waiter.source, EXPECTED_MS);
    const costOf = (one: Visitor) => this.usedBy(one) + (waits.get(one.source) ?? 0);
    const costliest = line.reduce((most, one) => (costOf(one) >= costOf(most) ? one : most));
    const own = costOf({ host: "", source }) + EXPECTED_MS;
    if (source === undefined || costliest.source === undefined) return false;
    if (costOf(costliest) <= own) return false;
    costliest.giveUp();
    return true;
  }

  /** True when a place may have become free, false when the time was up first. */
  private waitInLine(visitor: Visitor, ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const proceed = () => {
        cancel();
        resolve(true);
      };
      const leaveLine = () => {
        this.waiting.splice(this.waiting.indexOf(waiter), 1);
        resolve(false);
      };
      const giveUp = () => {
        cancel();
        leaveLine();
      };
      const waiter = { ...visitor, proceed, giveUp };
      const cancel = this.clock.after(ms, leaveLine);
      this.waiting.push(waiter);
    });
  }

  private leave({ host, source }: Visitor): void {
    this.underWay--;
    add(this.perHost, host, -1);
    if (source !== undefined) add(this.perSource, source, -1);
    // All check again, because the first one may be for a host that is still full. The source that has
    // used least checks first; the order of arrival decides between equals.
    const line = this.waiting.toSorted((a, b) => this.usedBy(a) - this.usedBy(b));
    this.waiting = [];
    for (const { proceed } of line) proceed();
  }

  private usedBy({ source }: Visitor): number {
    return source === undefined ? 0 : (this.used.get(source) ?? 0);
  }

  private use(source: string | undefined, ms: number): void {
    if (source === undefined) return;
    const now = this.clock.now();
    const over = now < this.usedSince || now >= this.usedSince + USAGE_WINDOW_MS;
    if (over || this.used.size >= SOURCES_REMEMBERED_MAX) {
      this.used = new Map();
      this.usedSince = now;
    }
    this.used.set(source, (this.used.get(source) ?? 0) + ms);
  }
}

/** Counts by key; a key with zero is removed. */
function add<Key>(counts: Map<Key, number>, key: Key, amount: number): void {
  const count = (counts.get(key) ?? 0) + amount;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
