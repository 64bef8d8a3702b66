import {
  ADDRESS_RATE,
  type AskedQuestion,
  SITE_DAY_RATE,
  SITE_RATE,
} from "../../domain/questions/question.js";
import { type StoreResult, storeQuestion } from "../../domain/questions/store.js";
import { lockSite } from "../../domain/sites/store.js";
import type { Clock } from "../../infra/clock.js";
import type { Database } from "../../infra/db/database.js";
import type { Ids } from "../../infra/ids.js";
import type { Log } from "../../infra/log/log.js";
import type { Metrics } from "../../infra/metrics.js";
import { type Networks, networksAt } from "../../infra/networks.js";
import { AddressLimiter } from "../../infra/rate-limit/address-limiter.js";
import { LocalLimiter } from "../../infra/rate-limit/local.js";

/** Questions in memory that wait to be written. Further ones are dropped. */
const QUEUE_MAX = 1000;
/** Questions of one site that are written in one transaction. */
const BATCH_MAX = 100;

interface Tools {
  readonly db: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics: Metrics;
}

/**
 * Takes the questions of calls that were answered, and writes them in the background. A question over a limit is
 * dropped: its caller has its answer, and nothing a stranger sends may fill the disk or hold up a call.
 */
export class QuestionInbox {
  private readonly tools: Tools;
  private readonly byAddress = new AddressLimiter(ADDRESS_RATE);
  private readonly bySite = new LocalLimiter(SITE_RATE);
  private readonly bySiteAndDay = new LocalLimiter(SITE_DAY_RATE);
  private queue: AskedQuestion[] = [];
  private running: Promise<void> | undefined;

  constructor(tools: Tools) {
    this.tools = tools;
  }

  take(question: Omit<AskedQuestion, "askedAt">, networks: Networks): void {
    const askedAt = this.tools.clock.now();
    if (!this.hasRoom(question.siteKeyHash, networks, askedAt)) {
      this.count("dropped");
      return;
    }
    this.queue.push({ ...question, askedAt });
    this.running ??= this.run();
  }

  /** Waits until everything that was taken is written or dropped. */
  async drain(): Promise<void> {
    while (this.running !== undefined) await this.running;
  }

  private hasRoom(siteKeyHash: string, networks: Networks, now: number): boolean {
    if (this.queue.length >= QUEUE_MAX) return false;
    // The address first, so that one caller does not use up what the site takes from all.
    if (this.byAddress.take(networksAt(siteKeyHash, networks), now) > 0) return false;
    if (this.bySite.take(siteKeyHash, now) > 0) return false;
    return this.bySiteAndDay.take(siteKeyHash, now) === 0;
  }

  private async run(): Promise<void> {
    while (this.queue.length > 0) {
      // Calls that have been answered meanwhile share this batch.
      await new Promise((resolve) => setImmediate(resolve));
      const batch = this.nextBatch();
      await this.write(batch).catch((error: unknown) => {
        this.tools.log.warn({ error, questions: batch.length }, "questions.not_stored");
        for (const _ of batch) this.count("dropped");
      });
    }
    this.running = undefined;
  }

  /** The oldest questions of one site: a transaction that locks several sites could block another. */
  private nextBatch(): readonly AskedQuestion[] {
    const site = this.queue[0]?.siteKeyHash;
    const batch = this.queue.filter(({ siteKeyHash }) => siteKeyHash === site).slice(0, BATCH_MAX);
    const taken = new Set(batch);
    this.queue = this.queue.filter((question) => !taken.has(question));
    return batch;
  }

  private async write(batch: readonly AskedQuestion[]): Promise<void> {
    const { db, ids } = this.tools;
    const results = await db.transaction(async (tx) => {
      const stored: StoreResult[] = [];
      // A site that was deleted meanwhile gets no new rows.
      if (!(await lockSite(tx, (batch[0] as AskedQuestion).siteKeyHash))) return stored;
      for (const question of batch) {
        const questionId = ids.timeId("qst", question.askedAt);
        stored.push(await storeQuestion(tx, question, questionId));
      }
      return stored;
    });
    for (const result of results) this.count(result === "full" ? "dropped" : result);
  }

  private count(result: "stored" | "counted" | "dropped"): void {
    this.tools.metrics.counter("gatehouse_questions_total")({ result });
  }
}
