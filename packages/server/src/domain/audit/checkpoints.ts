import { type Frontier, toHex, treeRoot } from "@gatehouse/protocol";
import type { Clock } from "../../infra/clock.js";
import type { CrashPoint } from "../../infra/crash-points.js";
import { DatabaseUnavailableError, type Queries } from "../../infra/db/database.js";
import type { Log } from "../../infra/log/log.js";
import type { KeptCheckpoints } from "./kept-checkpoints.js";
import { behind, FrozenLogError, type LogHead, OTHER_HISTORY } from "./log.js";
import type { LogReader } from "./log-reader.js";
import { frontierOf, type LogKey, sha256Now, signCheckpoint } from "./log-writer.js";
import { logByChain } from "./store.js";

/** How often the checkpoints of changed logs are stored, even if nobody requests them. */
const PUBLISH_EVERY_MS = 1000;
/** Checkpoints stored in one run; further logs wait for the next. */
const PUBLISH_LOGS_MAX = 64;
/** Signed checkpoints in memory. */
const SIGNED_MAX = 10_000;

export interface CheckpointTools {
  readonly db: Queries;
  readonly clock: Clock;
  readonly log: Log;
  readonly kept: KeptCheckpoints;
  readonly reader: LogReader;
  readonly crashPoint: CrashPoint;
  key(): Promise<LogKey>;
  /** Why a log is frozen; undefined if it is not. */
  freezeReason(chain: string): string | undefined;
  /** From now on nothing is added to the log, and no checkpoint of it is signed. */
  freeze(chain: string, why: string): void;
}

export interface PublishedCheckpoint {
  readonly chain: string;
  readonly size: number;
  /** The signed text. */
  readonly note: string;
}

/** Signs checkpoints of what is committed, and stores each one before anybody sees it. */
export class Checkpoints {
  private readonly tools: CheckpointTools;
  private readonly waiting = new Map<string, LogHead>();
  private readonly signed = new Map<string, string>();
  private cancel: (() => void) | undefined;

  constructor(tools: CheckpointTools) {
    this.tools = tools;
  }

  /** Notes logs with new records. Their checkpoints are stored shortly after. */
  grown(heads: readonly LogHead[]): void {
    for (const head of heads) {
      // A batch that lost its connection may learn late that it was committed.
      const known = this.waiting.get(head.chain)?.size ?? 0;
      if (head.size >= known) this.waiting.set(head.chain, head);
    }
    if (this.waiting.size > 0) this.later();
  }

  private later(): void {
    this.cancel ??= this.tools.clock.after(PUBLISH_EVERY_MS, () => {
      this.cancel = undefined;
      this.publish(PUBLISH_LOGS_MAX)
        .catch((error) => this.tools.log.error({ error }, "audit.checkpoint_not_kept"))
        .finally(() => {
          if (this.waiting.size > 0) this.later();
        });
    });
  }

  /**
   * A log whose checkpoint cannot be stored does not delay the others: it goes to the end of the
   * queue.
   */
  private async publish(logsMax: number): Promise<void> {
    for (const head of [...this.waiting.values()].slice(0, logsMax)) {
      if (this.waiting.get(head.chain) === head) this.waiting.delete(head.chain);
      await this.latest(head).catch((error) => {
        this.tools.log.error({ chain: head.chain, error }, "audit.checkpoint_not_kept");
        const again = this.tools.freezeReason(head.chain) === undefined;
        if (again && !this.waiting.has(head.chain)) this.waiting.set(head.chain, head);
      });
    }
  }

  /** The checkpoint of the current state of a log. */
  async latest(head: LogHead): Promise<PublishedCheckpoint> {
    const kept = this.tools.kept.of(head.chain);
    if (kept === undefined || kept.size <= head.size) {
      return this.published(head.chain, frontierOf(head));
    }
    // More was published than this head knows. Either the log has grown since it was read, or the
    // database was set back.
    const now = await logByChain(this.tools.db, head.chain);
    if (now !== undefined) this.freezeIfBehind(now);
    return this.published(head.chain, frontierOf(now ?? head));
  }

  /**
   * A database can also be set back under a running process, by a failover or a replaced copy.
   * `head` must be current or locked: everything published was committed before it was read. A log that
   * has ended stays as it is: the next epoch names what it has lost.
   */
  freezeIfBehind({ chain, size, state }: LogHead): void {
    if (state === "closed") return;
    const kept = this.tools.kept.of(chain);
    if (kept === undefined || size >= kept.size || this.tools.freezeReason(chain) !== undefined)
      return;
    this.tools.freeze(chain, behind(size, kept.size));
  }

  /** The checkpoint of a log at an earlier size. */
  async at(chain: string, size: number): Promise<PublishedCheckpoint> {
    return this.published(chain, await this.tools.reader.frontierAt(chain, size));
  }

  private freeze(chain: string, why: string): never {
    this.tools.freeze(chain, why);
    throw new FrozenLogError(chain, why);
  }

  /**
   * Each checkpoint must extend every earlier one (C2SP tlog-checkpoint). So before a new one is
   * signed, the tree in the database is compared with the last published one.
   */
  private async compare(chain: string, frontier: Frontier): Promise<void> {
    const why = this.tools.freezeReason(chain);
    if (why !== undefined) throw new FrozenLogError(chain, why);
    const kept = this.tools.kept.of(chain);
    if (kept === undefined || kept.size > frontier.size) return;
    const then = kept.size === frontier.size ? frontier : await this.treeAt(chain, kept.size);
    const same = then && toHex(await treeRoot(then, sha256Now)) === toHex(kept.root);
    if (same !== true) this.freeze(chain, OTHER_HISTORY);
  }

  /** The tree at a size; undefined if its records no longer exist. */
  private treeAt(chain: string, size: number): Promise<Frontier | undefined> {
    return this.tools.reader.frontierAt(chain, size).catch((error) => {
      if (error instanceof DatabaseUnavailableError) throw error;
      return undefined;
    });
  }

  private async published(chain: string, frontier: Frontier): Promise<PublishedCheckpoint> {
    const { size } = frontier;
    const key = await this.tools.key();
    const root = await treeRoot(frontier, sha256Now);
    const name = `${chain} ${size} ${toHex(root)} ${key.signer.kid}`;
    let note = this.signed.get(name);
    if (note === undefined) {
      await this.compare(chain, frontier);
      note = await signCheckpoint(chain, frontier, key);
      if (this.signed.size >= SIGNED_MAX) this.signed.clear();
      this.signed.set(name, note);
    }
    this.tools.crashPoint("audit.checkpoint_signed");
    await this.tools.kept.keep({ origin: chain, size, root }, note);
    this.tools.crashPoint("audit.checkpoint_kept");
    return { chain, size, note };
  }

  /** Stores the checkpoints that are still waiting, so that a regular shutdown loses none. */
  async close(): Promise<void> {
    this.cancel?.();
    await this.publish(Number.POSITIVE_INFINITY);
  }
}
