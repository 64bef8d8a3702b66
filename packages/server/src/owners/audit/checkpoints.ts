import type { Clock } from "../../platform/clock.js";
import type { PassPoint } from "../../platform/crash-points.js";
import type { Queries } from "../../platform/db/database.js";
import type { Log } from "../../platform/log/log.js";
import type { KeptCheckpoints } from "./kept-checkpoints.js";
import type { LogHead } from "./log.js";
import { frontierOf, type LogKey, signCheckpoint } from "./log-writer.js";
import { frontierAt } from "./nodes.js";

/** A changed log's checkpoint is kept within this time, whether or not anybody asks for it. */
const PUBLISH_EVERY_MS = 1000;
/** Checkpoints kept in one go; more logs than that take turns. */
const PUBLISH_LOGS_MAX = 64;
/** Signed checkpoints remembered. */
const SIGNED_MAX = 10_000;

export interface CheckpointTools {
  readonly clock: Clock;
  readonly log: Log;
  readonly kept: KeptCheckpoints;
  readonly pass: PassPoint;
  key(): Promise<LogKey>;
}

export interface PublishedCheckpoint {
  readonly chain: string;
  readonly size: number;
  /** Signed. */
  readonly note: string;
}

/** Signs checkpoints of what is committed, and keeps each before it is shown to anybody. */
export class Checkpoints {
  private readonly tools: CheckpointTools;
  private readonly waiting = new Map<string, LogHead>();
  private readonly signed = new Map<string, string>();
  private cancel: (() => void) | undefined;

  constructor(tools: CheckpointTools) {
    this.tools = tools;
  }

  /** Logs that grew: their checkpoints are kept shortly. */
  grown(heads: readonly LogHead[]): void {
    for (const head of heads) this.waiting.set(head.chain, head);
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

  private async publish(logsMax: number): Promise<void> {
    for (const head of [...this.waiting.values()].slice(0, logsMax)) {
      await this.latest(head);
      if (this.waiting.get(head.chain) === head) this.waiting.delete(head.chain);
    }
  }

  /** The checkpoint of a log as it is now. */
  latest(head: LogHead): Promise<PublishedCheckpoint> {
    return this.published(head.chain, frontierOf(head));
  }

  /** The checkpoint of a log at an earlier size. */
  async at(db: Queries, chain: string, size: number): Promise<PublishedCheckpoint> {
    return this.published(chain, await frontierAt(db, chain, size));
  }

  private async published(
    chain: string,
    frontier: ReturnType<typeof frontierOf>,
  ): Promise<PublishedCheckpoint> {
    const { size } = frontier;
    const key = await this.tools.key();
    const name = `${chain} ${size} ${key.signer.kid}`;
    let note = this.signed.get(name);
    if (note === undefined) {
      note = await signCheckpoint(chain, frontier, key);
      if (this.signed.size >= SIGNED_MAX) this.signed.clear();
      this.signed.set(name, note);
    }
    this.tools.pass("audit.checkpoint_signed");
    await this.tools.kept.keep(chain, size, note);
    this.tools.pass("audit.checkpoint_kept");
    return { chain, size, note };
  }

  /** Keeps what is still waiting; a process that ends in peace forgets nothing. */
  async close(): Promise<void> {
    this.cancel?.();
    await this.publish(Number.POSITIVE_INFINITY);
  }
}
