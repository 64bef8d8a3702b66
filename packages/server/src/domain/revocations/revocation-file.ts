import type { Clock } from "../../infra/clock.js";
import type { Database, Transaction } from "../../infra/db/database.js";
import type { Log } from "../../infra/log/log.js";
import { MINUTE_MS } from "../../infra/time.js";
import { readLists, writeList } from "./list-file.js";
import {
  allRevocations,
  insertRevocations,
  newerThan,
  REVOCATION_TOPIC,
  type Revocation,
  revocationName,
} from "./store.js";

/** The list is written this often even if nothing was revoked, because it says until when it is complete. */
const WRITE_EVERY_MS = MINUTE_MS;

export interface RevocationFileTools {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly dataDir: string;
  readonly worker: number;
  /** Applies revocations to their tables. */
  apply(tx: Transaction, revocations: readonly Revocation[]): Promise<void>;
}

/**
 * Writes a list of all revocations to a file beside the checkpoints of this node, so that restoring an
 * older database does not undo them.
 */
export class RevocationFile {
  private readonly tools: RevocationFileTools;
  /** All revocations that this node has seen, even if an older database no longer has them. */
  private readonly known = new Map<string, Revocation>();
  private last: Promise<void> = Promise.resolve();
  private cancel: (() => void) | undefined;
  private unsubscribe: (() => void) | undefined;

  private constructor(tools: RevocationFileTools) {
    this.tools = tools;
  }

  /** Applies revocations that the database does not have, then updates the list with every change. */
  static async start(tools: RevocationFileTools): Promise<RevocationFile> {
    const file = new RevocationFile(tools);
    await file.applyMissing();
    await file.write();
    file.unsubscribe = tools.db.changes.subscribe(({ topic }) => {
      if (topic === REVOCATION_TOPIC) void file.write();
    });
    file.writeLater();
    return file;
  }

  private async applyMissing(): Promise<void> {
    const { db, dataDir, log } = this.tools;
    for (const { revocations } of readLists(dataDir)) this.remember(revocations);
    const missing = newerThan([...this.known.values()], await allRevocations(db));
    if (missing.length > 0) {
      await db.transaction(async (tx) => {
        await this.tools.apply(tx, missing);
        await insertRevocations(tx, missing);
      });
      log.warn({ count: missing.length }, "revocations.applied_from_list");
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

  private writeLater(): void {
    this.cancel = this.tools.clock.after(WRITE_EVERY_MS, () => {
      void this.write().then(() => {
        if (this.unsubscribe !== undefined) this.writeLater();
      });
    });
  }

  /**
   * Writes the list as of now. It is durable when this resolves, or the log says why not. The database has
   * the revocation in either case, and the next attempt is a minute away.
   */
  write(): Promise<void> {
    this.last = this.last
      .then(() => this.writeNow())
      .catch((error) => {
        this.tools.log.error({ error }, "revocations.not_kept");
      });
    return this.last;
  }

  private async writeNow(): Promise<void> {
    const { db, clock, dataDir, worker } = this.tools;
    const asOf = clock.now();
    this.remember(await allRevocations(db));
    await writeList(dataDir, worker, { asOf, revocations: [...this.known.values()] });
  }

  /** Writes the list a last time. */
  async close(): Promise<void> {
    this.cancel?.();
    this.unsubscribe?.();
    this.unsubscribe = undefined;
    await this.write();
  }
}
