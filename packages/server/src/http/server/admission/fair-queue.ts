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
  private readonly running = new Map<string, number>();
  private readonly queues = new Map<string, Waiter[]>();
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
    if (!this.enter(key) && !(await this.waitForTurn(key))) return undefined;
    try {
      return { done: await work() };
    } finally {
      this.leave(key);
    }
  }

  private mayEnter(key: string): boolean {
    if (this.busy >= this.places) return false;
    return this.busy < this.places * (1 - RESERVED) || !this.running.has(key);
  }

  private enter(key: string): boolean {
    if (!this.mayEnter(key)) return false;
    this.busy++;
    this.running.set(key, (this.running.get(key) ?? 0) + 1);
    return true;
  }

  private waitForTurn(key: string): Promise<boolean> {
    const queue = this.queues.get(key) ?? [];
    if (queue.length >= WAITING_PER_KEY_MAX || this.waitingCount >= WAITING_MAX) {
      return Promise.resolve(false);
    }
    this.queues.set(key, queue);
    return new Promise((resolve) => {
      const cancel = this.clock.after(TURN_MS_MAX, () => {
        this.removeWaiter(key, waiter);
        resolve(false);
      });
      const waiter = {
        start: () => {
          cancel();
          resolve(true);
        },
      };
      queue.push(waiter);
      this.waitingCount++;
    });
  }

  private removeWaiter(key: string, waiter: Waiter): void {
    const queue = this.queues.get(key) ?? [];
    const at = queue.indexOf(waiter);
    if (at < 0) return;
    queue.splice(at, 1);
    this.waitingCount--;
    if (queue.length === 0) this.queues.delete(key);
  }

  private leave(key: string): void {
    this.busy--;
    const left = (this.running.get(key) as number) - 1;
    if (left === 0) this.running.delete(key);
    else this.running.set(key, left);
    this.startNext();
  }

  /** Starts work of the first queue that may run some, and moves that queue to the end. */
  private startNext(): void {
    for (const [key, queue] of this.queues) {
      if (!this.enter(key)) continue;
      const waiter = queue.shift() as Waiter;
      this.waitingCount--;
      this.queues.delete(key);
      if (queue.length > 0) this.queues.set(key, queue);
      waiter.start();
      return;
    }
  }
}
