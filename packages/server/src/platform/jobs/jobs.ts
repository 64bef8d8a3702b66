import { type Clock, systemClock } from "../clock.js";
import type { Database } from "../db/database.js";
import type { Ids } from "../ids.js";
import type { Log } from "../log/log.js";
import { claimJob, finishJob, planJob } from "./store.js";

/** How often due jobs are looked for. */
export const JOB_TICK_MS = 1000;
/** What wakes a job within this time wakes it once. */
export const JOB_WAKE_MS = 100;
/** A node that dies in a job loses its lease after this; another then runs the job again. */
export const JOB_LEASE_MS = 5 * 60_000;

/** How long a stopping process waits for the job under way. */
const STOP_MS_MAX = 5000;

export interface Job {
  readonly name: string;
  readonly everyMs: number;
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
  private cancel = () => {};
  private running: Promise<void> | undefined;
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
    this.cancel();
    const delayMs = this.woken.size > 0 ? JOB_WAKE_MS : JOB_TICK_MS;
    this.cancel = this.clock.after(delayMs, () => {
      this.running = this.runDue().finally(() => {
        this.running = undefined;
        this.tickLater();
      });
    });
  }

  /** Runs a job soon, though it is not due. While another node runs it, it waits until it is. */
  wake(name: string): void {
    if (this.stopping || this.woken.has(name)) return;
    this.woken.add(name);
    if (this.running === undefined) this.tickLater();
  }

  /** Runs what is due now, one job after the other. A failure is logged; the job stays planned. */
  async runDue(): Promise<void> {
    for (const job of this.jobs) {
      if (this.stopping) return;
      const now = this.clock.now();
      // A plan ahead of its interval counts as due: of a woken job any plan is.
      const everyMs = this.woken.delete(job.name) ? 0 : job.everyMs;
      const claimed = { name: job.name, everyMs };
      try {
        if (!(await claimJob(this.db, claimed, this.owner, now, now + JOB_LEASE_MS))) continue;
        const error = await job
          .run(now, () => this.stopping)
          .then(
            () => null,
            (failure: Error) => failure,
          );
        if (error !== null) this.log.error({ job: job.name, error }, "job.failed");
        await finishJob(this.db, job.name, this.owner, {
          ranAt: now,
          nextRunAt: now + job.everyMs,
          error: error === null ? null : error.message,
        });
      } catch (error) {
        this.log.warn({ job: job.name, error }, "job.database_unavailable");
      }
    }
  }

  /** Waits for the job under way, but not for ever: its lease lets another node finish it. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.cancel();
    await new Promise<void>((resolve) => {
      const cancel = systemClock.after(STOP_MS_MAX, resolve);
      void Promise.resolve(this.running).then(resolve).finally(cancel);
    });
    this.cancel();
  }
}
