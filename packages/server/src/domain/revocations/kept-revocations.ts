import type { Clock } from "../../infra/clock.js";
import type { Database, Transaction } from "../../infra/db/database.js";
import type { Log } from "../../infra/log/log.js";
import { MINUTE_MS } from "../../infra/time.js";
import { readLists, writeList } from "./list-file.js";
import {
  allRevocations,
  insertRevocations,
  REVOCATION_TOPIC,
  type Revocation,
  revocationName,
} from "./store.js";

/** How often the list is written even if nothing was revoked, because it says until when it is complete. */
const KEEP_EVERY_MS = MINUTE_MS;

export interface KeptRevocationsTools {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly dataDir: string;
  /** Applies revocations to their tables. */
  apply(tx: Transaction, revocations: readonly Revocation[]): Promise<void>;
}

/**
 * Keeps a list of everything that was revoked in a file beside the checkpoints of this node, so that an
 * older database does not bring back what was revoked since.
 */
export class KeptRevocations {
  private readonly tools: KeptRevocationsTools;
  /** All revocations that this node has seen, even if an older database no longer has them. */
  private readonly known = new Map<string, Revocation>();
  private last: Promise<void> = Promise.resolve();
  private cancel: (() => void) | undefined;
  private unsubscribe: (() => void) | undefined;

  private constructor(tools: KeptRevocationsTools) {
    this.tools = tools;
  }

  /** Applies revocations that the database does not have, then keeps the list up to date. */
  static async start(tools: KeptRevocationsTools): Promise<KeptRevocations> {
    const kept = new KeptRevocations(tools);
    await kept.applyForgotten();
    await kept.keep();
    kept.unsubscribe = tools.db.changes.subscribe(({ topic }) => {
      if (topic === REVOCATION_TOPIC) void kept.keep();
    });
    kept.later();
    return kept;
  }

  private async applyForgotten(): Promise<void> {
    const { db, dataDir, log } = this.tools;
    for (const { revocations } of readLists(dataDir)) this.remember(revocations);
    const stored = new Map(
      (await allRevocations(db)).map((one) => [revocationName(one), one.revokedAt]),
    );
    const forgotten = [...this.known.values()].filter(
      (one) => (stored.get(revocationName(one)) ?? 0) < one.revokedAt,
    );
    if (forgotten.length > 0) {
      await db.transaction(async (tx) => {
        await this.tools.apply(tx, forgotten);
        await insertRevocations(tx, forgotten);
      });
      log.warn({ count: forgotten.length }, "revocations.applied_from_list");
    }
  }

  private remember(revocations: readonly Revocation[]): void {
    for (const one of revocations) {
      const before = this.known.get(revocationName(one));
      if (before === undefined || before.revokedAt < one.revokedAt) {
        this.known.set(revocationName(one), one);
      }
    }
  }

  private later(): void {
    this.cancel = this.tools.clock.after(KEEP_EVERY_MS, () => {
      void this.keep().then(() => {
        if (this.unsubscribe !== undefined) this.later();
      });
    });
  }

  /**
   * Writes the list as of now. It is durable when this resolves, or the log says why not. The database has
   * the revocation in either case, and the next attempt is a minute away.
   */
  keep(): Promise<void> {
    this.last = this.last
      .then(() => this.write())
      .catch((error) => {
        this.tools.log.error({ error }, "revocations.not_kept");
      });
    return this.last;
  }

  private async write(): Promise<void> {
    const { db, clock, dataDir } = this.tools;
    const asOf = clock.now();
    this.remember(await allRevocations(db));
    await writeList(dataDir, { asOf, revocations: [...this.known.values()] });
  }

  /** Keeps the list as of the end of this process. */
  async close(): Promise<void> {
    this.cancel?.();
    this.unsubscribe?.();
    this.unsubscribe = undefined;
    await this.keep();
  }
}
