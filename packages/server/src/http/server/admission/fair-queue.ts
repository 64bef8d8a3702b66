import type { Clock } from "../../../infra/clock.js";
import { RESERVED } from "./fair-rate.js";

/** How long work waits for its turn. */
const TURN_MS_MAX = 2000;
/** Pieces of work of one prefix that wait. */
const WAITING_PER_KEY_MAX = 64;
const WAITING_MAX = 2000;

interface Waiter {
  start(): void;
}

/**
 * Limits how much work for anonymous callers runs at a time. Each network waits in its own queue, and the
 * queues take turns, so a network that sends much delays only itself. The last places are reserved for
 * networks that have no work running.
 */
export class FairQueue {
  private readonly places: number;
  private readonly clock: Clock;
  private readonly underWay = new Map<string, number>();
  private readonly lines = new Map<string, Waiter[]>();
  private busy = 0;
  private waitingCount = 0;

  constructor(places: number, clock: Clock) {
    this.places = places;
    this.clock = clock;
  }

  /** Pieces of work that wait for their turn. */
  get waiting(): number {
    return this.waitingCount;
  }

  /** Runs the work when its turn comes; undefined if the queue is full or the turn comes too late. */
  async run<T>(key: string, work: () => Promise<T>): Promise<{ readonly done: T } | undefined> {
    if (!this.enter(key) && !(await this.turn(key))) return undefined;
    try {
      return { done: await work() };
    } finally {
      this.leave(key);
    }
  }

  private mayEnter(key: string): boolean {
    if (this.busy >= this.places) return false;
    return this.busy < this.places * (1 - RESERVED) || !this.underWay.has(key);
  }

  private enter(key: string): boolean {
    if (!this.mayEnter(key)) return false;
    this.busy++;
    this.underWay.set(key, (this.underWay.get(key) ?? 0) + 1);
    return true;
  }

  private turn(key: string): Promise<boolean> {
    const line = this.lines.get(key) ?? [];
    if (line.length >= WAITING_PER_KEY_MAX || this.waitingCount >= WAITING_MAX) {
      return Promise.resolve(false);
    }
    this.lines.set(key, line);
    return new Promise((resolve) => {
      const cancel = this.clock.after(TURN_MS_MAX, () => {
        this.drop(key, waiter);
        resolve(false);
      });
      const waiter = {
        start: () => {
          cancel();
          resolve(true);
        },
      };
      line.push(waiter);
      this.waitingCount++;
    });
  }

  private drop(key: string, waiter: Waiter): void {
    const line = this.lines.get(key) ?? [];
    const at = line.indexOf(waiter);
    if (at < 0) return;
    line.splice(at, 1);
    this.waitingCount--;
    if (line.length === 0) this.lines.delete(key);
  }

  private leave(key: string): void {
    this.busy--;
    const left = (this.underWay.get(key) as number) - 1;
    if (left === 0) this.underWay.delete(key);
    else this.underWay.set(key, left);
    this.next();
  }

  /** The first queue that may run work; it then moves to the end. */
  private next(): void {
    for (const [key, line] of this.lines) {
      if (!this.enter(key)) continue;
      const waiter = line.shift() as Waiter;
      this.waitingCount--;
      this.lines.delete(key);
      if (line.length > 0) this.lines.set(key, line);
      waiter.start();
      return;
    }
  }
}
