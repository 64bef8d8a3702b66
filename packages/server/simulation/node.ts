import type { RequestListener } from "node:http";
import { createApp } from "../src/app.ts";
import { type Environment, readConfig } from "../src/config/config.ts";
import { type Context, createContext } from "../src/context.ts";
import { type ManualClock, systemClock } from "../src/infra/clock.ts";
import type { Database } from "../src/infra/db/database.ts";
import type { Ids } from "../src/infra/ids.ts";
import { createLog } from "../src/infra/log/log.ts";
import { planJobs } from "../src/jobs.ts";
import type { PaymentProvider } from "../src/payments/provider.ts";
import { ask, LOST, type SimulatedAnswer, type SimulatedRequest } from "./requests.ts";
import { Seams, type Trouble } from "./seams.ts";

/** What a node is given. All of it outlives its crashes. */
export interface NodeTools {
  readonly env: Environment;
  readonly clock: ManualClock;
  readonly ids: Ids;
  readonly provider: PaymentProvider;
  readonly trouble: Trouble;
  /** How far the clock of the database's machine is ahead. */
  skewMs(): number;
  /** Answers what the service fetches from others. */
  fetch: Context["safeFetch"]["get"];
}

/** Turns of the event loop without a call of a seam, after which nothing happens by itself any more. */
const QUIET_TURNS = 4;
const IDLE_TURNS_MAX = 20_000;

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * The service, in this process: composed as in production, but for its seams. A crash drops everything in
 * memory; `restart` opens it again on the same files.
 */
export class Node {
  private readonly tools: NodeTools;
  private seams: Seams | undefined;
  private raw: Database | undefined;
  private listener: RequestListener | undefined;
  private context: Context | undefined;
  private died: (() => void)[] = [];
  /** Where it died; undefined while it runs. */
  crashedAt: string | undefined;

  constructor(tools: NodeTools) {
    this.tools = tools;
  }

  /** The database as it is, to look at: no fault concerns whoever reads it. */
  get db(): Database {
    return this.raw as Database;
  }

  /** Starts it. It may die before it has started. */
  async start(): Promise<void> {
    // Work that is not simulated is never late: the machine's own clock only limits real waits.
    Object.assign(systemClock, { now: () => 0, after: () => () => {} });
    this.crashedAt = undefined;
    this.seams = new Seams(this.tools.trouble, this.tools.clock, (seam) => {
      this.crashedAt = seam;
      for (const tell of this.died.splice(0)) tell();
    });
    try {
      await this.compose(this.seams);
    } catch (error) {
      if (this.crashedAt === undefined) throw error;
    }
  }

  private async compose(seams: Seams): Promise<void> {
    const { env, clock, ids, provider, skewMs, fetch } = this.tools;
    const opened = await createContext(readConfig(env), {
      clock: seams.clock,
      ids,
      log: createLog("silent"),
      crashPoint: seams.crashPoint,
      databaseTime: async () => clock.now() + skewMs(),
      processor: () => seams.provider(provider),
      resolver: { addresses: async () => [], txt: async () => [] },
      database: (db) => {
        this.raw = db;
        return seams.database(db);
      },
    });
    const safeFetch = Object.assign(Object.create(opened.safeFetch), { get: fetch });
    this.context = { ...opened, safeFetch };
    planJobs(this.context);
    await this.context.jobs.start();
    this.listener = createApp(this.context);
  }

  /** Ends what the crash left of the old process, and starts a new one. */
  async restart(): Promise<void> {
    await this.idle();
    await this.raw?.close();
    await this.start();
  }

  /** Sends a request. If the process dies meanwhile, the client only sees that its connection is gone. */
  send(request: SimulatedRequest): Promise<SimulatedAnswer> {
    if (this.crashedAt !== undefined) return Promise.resolve(LOST);
    const dead = new Promise<SimulatedAnswer>((resolve) => this.died.push(() => resolve(LOST)));
    return Promise.race([ask(this.listener as RequestListener, request), dead]);
  }

  /** Waits until everything waits for the clock: nothing else that a node waits for is real. */
  async idle(): Promise<void> {
    let seen = -1;
    for (let turns = 0, quiet = 0; quiet < QUIET_TURNS; turns++) {
      await nextTurn();
      const calls = this.seams?.calls ?? 0;
      quiet = calls === seen ? quiet + 1 : 0;
      seen = calls;
      if (turns > IDLE_TURNS_MAX) throw new Error("the service does not come to rest");
    }
  }

  /** Runs until all of these have ended. Time goes on only while everything waits for it. */
  async until<T>(acts: readonly Promise<T>[]): Promise<readonly T[]> {
    const { clock } = this.tools;
    let isDone = false;
    const all = Promise.all(acts).finally(() => {
      isDone = true;
    });
    all.catch(() => undefined);
    for (;;) {
      await this.idle();
      if (isDone || this.crashedAt !== undefined) break;
      const due = this.seams?.nextDue() ?? Number.POSITIVE_INFINITY;
      if (due === Number.POSITIVE_INFINITY) throw new Error("a request never ends");
      clock.advance(Math.max(0, due - clock.now()));
    }
    return all;
  }

  /** Lets time pass. What came due meanwhile, jobs too, runs at the end of it, as on a machine that slept. */
  async pass(ms: number): Promise<void> {
    this.tools.clock.advance(ms);
    await this.idle();
  }

  /** Ends it without a word, whatever it was doing. */
  async kill(): Promise<void> {
    this.seams?.kill("the end");
    await this.raw?.close();
  }

  async stop(): Promise<void> {
    await this.context?.close();
    await this.raw?.close();
  }
}
