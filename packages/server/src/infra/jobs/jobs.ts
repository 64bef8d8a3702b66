import { type Clock, systemClock } from "../clock.js";
import { type Database, DatabaseUnavailableError } from "../db/database.js";
import type { Ids } from "../ids.js";
import type { Log } from "../log/log.js";
import { MINUTE_MS } from "../time.js";
import { claimJob, finishJob, planJob } from "./store.js";

/** How often due jobs are looked for. */
export const JOB_TICK_MS = 1000;
/** Several wake-ups within this time run a job once. */
export const JOB_WAKE_MS = 100;
/** How long the lease of a node that died lasts. After that another node runs the job again. */
export const JOB_LEASE_MS = 5 * MINUTE_MS;

/** How long a stopping process waits for the job under way. */
const STOP_MS_MAX = 5000;

export interface Job {
  readonly name: string;
  readonly everyMs: number;
  /** Whether its first run is at once, as after an upgrade that brought it. Otherwise it is after `everyMs`. */
  readonly firstAtOnce?: boolean;
  /** The lease, if it is shorter because each piece of work is claimed separately. */
  readonly leaseMs?: number;
  /** How soon it runs again if it failed, or the process stopped during it. Otherwise it is after `everyMs`. */
  readonly retryMs?: number;
  /**
   * May run again after a crash, so it must be idempotent. A long job checks now and then whether the
   * process is stopping, and ends early.
   */
  run(now: number, stopping: () => boolean): Promise<void>;
}

/** Runs recurring jobs, each on one node at a time. */
export class Jobs {
  private readonly db: Database;
  private readonly clock: Clock;
  private readonly log: Log;
  private readonly owner: string;
  private readonly jobs: Job[] = [];
  /** Jobs that are to run before they are due. */
  private readonly woken = new Set<string>();
  /** The jobs this process is running, by name. A long job does not delay others. */
  private readonly running = new Map<string, Promise<void>>();
  /** The current search for due jobs. */
  private looking: Promise<void> = Promise.resolve();
  private cancel = () => {};
  private stopping = false;
  /** Whether the database did not answer last time. It is logged once for all jobs. */
  private unreachable = false;

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
    for (const { name, everyMs, firstAtOnce = false } of this.jobs) {
      await planJob(this.db, name, this.clock.now() + (firstAtOnce ? 0 : everyMs));
    }
    this.tickLater();
  }

  private tickLater(): void {
    if (this.stopping) return;
    this.cancel = this.clock.after(JOB_TICK_MS, () => {
      void this.look(this.jobs).finally(() => this.tickLater());
    });
  }

  /** Runs a job soon, before it is due. While another node runs it, it waits until it is due. */
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
    // A job planned further ahead than its interval counts as due, so 0 makes a woken job due.
    const everyMs = this.woken.delete(name) ? 0 : job.everyMs;
    try {
      const until = now + (job.leaseMs ?? JOB_LEASE_MS);
      const claimed = await claimJob(this.db, { name, everyMs }, this.owner, now, until);
      this.unreachable = false;
      if (!claimed) return;
    } catch (error) {
      this.logUnreachable(error);
      return;
    }
    const run = this.run(job, now).finally(() => {
      this.running.delete(name);
      // It was woken during the run, perhaps after it had read its work.
      if (this.woken.has(name) && !this.stopping) this.lookSoon(job);
    });
    this.running.set(name, run);
  }

  /** A failure is logged; the job stays planned. */
  private async run(job: Job, now: number): Promise<void> {
    const { name, everyMs, retryMs = everyMs } = job;
    let failure: Error | undefined;
    try {
      await job.run(now, () => this.stopping);
    } catch (error) {
      failure = error as Error;
    }
    const isWhole = failure === undefined && !this.stopping;
    const nextRunAt = now + (isWhole ? everyMs : retryMs);
    const end = { ranAt: now, nextRunAt, error: failure?.message ?? null };
    const isFinished = await finishJob(this.db, name, this.owner, end).then(
      () => true,
      (error) => this.logUnreachable(error),
    );
    if (failure === undefined) return;
    // The outage that ended the job is logged once, not as a failure of every job.
    const isOutage = failure instanceof DatabaseUnavailableError && !isFinished;
    if (!isOutage) this.log.error({ job: name, error: failure }, "job.failed");
  }

  private logUnreachable(error: unknown): false {
    if (!this.unreachable) {
      this.log.warn({ reason: (error as Error).message }, "database.unreachable");
    }
    this.unreachable = true;
    return false;
  }

  /** Runs what is due now, to its end. */
  async runDue(): Promise<void> {
    await this.look(this.jobs);
    await Promise.all(this.running.values());
  }

  /** Waits a limited time for the jobs under way. Another node finishes them after their lease. */
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
