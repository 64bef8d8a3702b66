import { type Clock, systemClock } from "../clock.js";
import type { Database } from "../db/database.js";
import type { Ids } from "../ids.js";
import type { Log } from "../log/log.js";
import { MINUTE_MS } from "../time.js";
import { claimJob, finishJob, planJob } from "./store.js";

/** How often due jobs are looked for. */
export const JOB_TICK_MS = 1000;
/** What wakes a job within this time wakes it once. */
export const JOB_WAKE_MS = 100;
/** A node that dies in a job loses its lease after this; another then runs the job again. */
export const JOB_LEASE_MS = 5 * MINUTE_MS;

/** How long a stopping process waits for the job under way. */
const STOP_MS_MAX = 5000;

export interface Job {
  readonly name: string;
  readonly everyMs: number;
  /** How long others leave it to a node that has died in it; shorter where each piece is claimed too. */
  readonly leaseMs?: number;
  /**
   * May run again after a crash half-way, so it must be safe to repeat. A long one asks now and
   * then whether the process is stopping, and ends early if so.
   */
  run(now: number, stopping: () => boolean): Promise<void>;
}

/** Recurring work, each job on one node at a time, driven by the clock. */
export class Jobs {
  private readonly db: Database;
  private readonly clock: Clock;
  private readonly log: Log;
  private readonly owner: string;
  private readonly jobs: Job[] = [];
  /** Jobs that have something to do before they are due. */
  private readonly woken = new Set<string>();
  /** What this process is running, by name: a job that takes long holds up no other. */
  private readonly running = new Map<string, Promise<void>>();
  /** Looking for due jobs; one look at a time. */
  private looking: Promise<void> = Promise.resolve();
  private cancel = () => {};
  private stopping = false;

  constructor(db: Database, clock: Clock, ids: Ids, log: Log) {
    this.db = db;
    this.clock = clock;
    this.log = log;
    this.owner = ids.id("node");
  }

  add(job: Job): void {
    this.jobs.push(job);
  }

  async start(): Promise<void> {
    for (const { name, everyMs } of this.jobs) {
      await planJob(this.db, name, this.clock.now() + everyMs);
    }
    this.tickLater();
  }

  private tickLater(): void {
    if (this.stopping) return;
    this.cancel = this.clock.after(JOB_TICK_MS, () => {
      void this.look(this.jobs).finally(() => this.tickLater());
    });
  }

  /** Runs a job soon, though it is not due. While another node runs it, it waits until it is. */
  wake(name: string): void {
    const job = this.jobs.find((one) => one.name === name);
    if (job === undefined || this.stopping || this.woken.has(name)) return;
    this.woken.add(name);
    this.lookSoon(job);
  }

  private lookSoon(job: Job): void {
    this.clock.after(JOB_WAKE_MS, () => void this.look([job]));
  }

  /** Starts those of the jobs that are due, and that this process is not running already. */
  private look(jobs: readonly Job[]): Promise<void> {
    this.looking = this.looking.then(async () => {
      for (const job of jobs) {
        if (!this.stopping && !this.running.has(job.name)) await this.startIfDue(job);
      }
    });
    return this.looking;
  }

  private async startIfDue(job: Job): Promise<void> {
    const { name } = job;
    const now = this.clock.now();
    // A plan ahead of its interval counts as due: of a woken job any plan is.
    const everyMs = this.woken.delete(name) ? 0 : job.everyMs;
    try {
      const until = now + (job.leaseMs ?? JOB_LEASE_MS);
      if (!(await claimJob(this.db, { name, everyMs }, this.owner, now, until))) return;
    } catch (error) {
      this.log.warn({ job: name, error }, "job.database_unavailable");
      return;
    }
    const run = this.run(job, now).finally(() => {
      this.running.delete(name);
      // Woken meanwhile, when it may have looked already.
      if (this.woken.has(name) && !this.stopping) this.lookSoon(job);
    });
    this.running.set(name, run);
  }

  /** A failure is logged; the job stays planned. */
  private async run(job: Job, now: number): Promise<void> {
    const { name, everyMs } = job;
    let message: string | null = null;
    try {
      await job.run(now, () => this.stopping);
    } catch (error) {
      this.log.error({ job: name, error }, "job.failed");
      message = (error as Error).message;
    }
    const end = { ranAt: now, nextRunAt: now + everyMs, error: message };
    await finishJob(this.db, name, this.owner, end).catch((error) => {
      this.log.warn({ job: name, error }, "job.database_unavailable");
    });
  }

  /** Runs what is due now, to its end. */
  async runDue(): Promise<void> {
    await this.look(this.jobs);
    await Promise.all(this.running.values());
  }

  /** Waits for the jobs under way, but not for ever: a lease lets another node finish them. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.cancel();
    await new Promise<void>((resolve) => {
      const cancel = systemClock.after(STOP_MS_MAX, resolve);
      const ended = this.looking.then(() => Promise.all(this.running.values()));
      void ended.then(() => resolve()).finally(cancel);
    });
  }
}
