import { ed25519Bytes, inclusionHashes } from "@gatehouse/protocol";
import type { Clock } from "../../infra/clock.js";
import type { CrashPoint } from "../../infra/crash-points.js";
import type { Database, Queries } from "../../infra/db/database.js";
import type { Ids } from "../../infra/ids.js";
import { newRecordId } from "../../infra/ids.js";
import type { KeyRing } from "../../infra/keys/key-ring.js";
import type { Log } from "../../infra/log/log.js";
import type { Metrics } from "../../infra/metrics.js";
import { type Telemetry, traced } from "../../infra/telemetry/telemetry.js";
import { DAY_MS } from "../../infra/time.js";
import { Archive } from "./archive/archive.js";
import type { BatchTools, CommitBody, NewEpoch, ReadsOfBody } from "./batch.js";
import { Checkpoints, type PublishedCheckpoint } from "./checkpoints.js";
import { comparePublished } from "./compare-published.js";
import { PartDigests } from "./exports/snapshot.js";
import { KeptCheckpoints } from "./kept-checkpoints.js";
import { AuditUnavailableError, HeadMovedError, type LogHead, type StoredRecord } from "./log.js";
import { LogReader } from "./log-reader.js";
import { type LogKey, sha256Now } from "./log-writer.js";
import { type Committed, Sequencer } from "./sequencer.js";
import { sizeBefore } from "./size-before.js";
import { logsOfSite, sitesToMaintain, someOpenLogs } from "./store.js";

/** Logs maintained in one run. */
const MAINTAINED_LOGS_MAX = 256;

export interface AuditTools {
  readonly db: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly telemetry?: Telemetry | undefined;
  readonly keys: KeyRing;
  readonly dataDir: string;
  /** The number of this process among the workers of the machine. */
  readonly worker: number;
  readonly archiveDir: string;
  readonly crashPoint: CrashPoint;
  domainOf: BatchTools["domainOf"];
}

/**
 * A proof that a record is in the log: its position, the sibling hashes on the path to the root,
 * and the root.
 */
export interface RecordProof extends PublishedCheckpoint {
  readonly index: number;
  readonly hashes: readonly Uint8Array[];
}

/** The logs of all sites. Everything is recorded here, and records are proven here. */
export class AuditLog {
  private readonly tools: AuditTools;
  private readonly kept: KeptCheckpoints;
  private readonly sequencer: Sequencer;
  /** Frozen logs and the reasons. Nothing is added to them. */
  private readonly frozen = new Map<string, string>();
  /** The name of this process in records. */
  readonly node: string;
  readonly archive: Archive;
  readonly reader: LogReader;
  readonly checkpoints: Checkpoints;
  readonly partDigests = new PartDigests();

  constructor(tools: AuditTools) {
    this.tools = tools;
    this.kept = new KeptCheckpoints(tools.dataDir, tools.worker);
    this.node = tools.ids.id("node");
    const { clock, log, crashPoint, db } = tools;
    this.archive = new Archive(tools.archiveDir, tools.ids);
    this.reader = new LogReader(db, this.archive);
    this.checkpoints = new Checkpoints({
      db,
      clock,
      log,
      crashPoint,
      kept: this.kept,
      reader: this.reader,
      key: () => this.key(),
      freezeReason: (chain) => this.frozen.get(chain),
      freeze: (chain, why) => this.freeze(chain, why),
    });
    this.sequencer = new Sequencer({
      db,
      crashPoint,
      batchTools: () => this.batchTools(),
      grown: (heads) => this.checkpoints.grown(heads),
      count: tools.metrics.counter("gatehouse_audit_commits_total"),
    });
    this.measure(tools.metrics);
  }

  private measure(metrics: Metrics): void {
    metrics.gauge("gatehouse_audit_commits_waiting", () => this.sequencer.waiting);
    metrics.gauge("gatehouse_audit_logs_frozen", () => this.frozen.size);
  }

  /** Compares the database with the published checkpoints and freezes the logs that differ. */
  async start(): Promise<void> {
    const { frozen, lost, missing } = await comparePublished(
      this.tools.db,
      this.reader,
      this.kept.read(),
    );
    for (const { chain, reason } of frozen) this.freeze(chain, reason);
    for (const { chain, size, recordedBy } of lost) {
      // A loss that the next log records itself is public. It needs no warning at every start.
      if (recordedBy === undefined)
        this.tools.log.warn({ chain, published: size }, "audit.ended_log_is_behind");
    }
    for (const { origin, file } of missing) {
      this.tools.log.warn({ chain: origin, file }, "audit.published_log_missing");
    }
  }

  private freeze(chain: string, why: string): void {
    this.frozen.set(chain, why);
    this.tools.log.error({ chain, why }, "audit.log_frozen");
  }

  /** The current signing key. */
  async key(): Promise<LogKey> {
    const { signer, jwk } = await this.tools.keys.signingKey("audit");
    return { signer, publicKey: ed25519Bytes(jwk) };
  }

  private async batchTools(): Promise<BatchTools> {
    const { clock, ids, crashPoint, domainOf, keys } = this.tools;
    const now = clock.now();
    const key = await this.key();
    return {
      now,
      node: this.node,
      crashPoint,
      domainOf,
      key,
      // Read after the locks, so that a log never returns to an earlier key.
      requireCurrentKey: async (tx) => {
        const isCurrent = await keys.isCurrent(tx, "audit", key.signer.kid);
        if (!isCurrent) throw new HeadMovedError("key");
      },
      newRecordId: () => newRecordId(ids, now),
      publishedEpoch: (host) => this.kept.epochOf(host),
      published: (chain) => this.kept.of(chain),
      freezeIfBehind: (head) => this.checkpoints.freezeIfBehind(head),
      freezeReason: (chain) => this.frozen.get(chain),
    };
  }

  /**
   * The commit seam: runs `body` and writes its records in one transaction of the site's log, then
   * runs the returned `after` once and releases the answer. If this resolves, both are durable. If
   * it rejects, neither happened, unless the connection was lost during the commit and the database
   * could not be asked again: a caller that retries must look for what exists. `reads`: what the body
   * will read, which is read together with what other commits read.
   */
  commit<T>(
    siteKeyHash: string,
    body: CommitBody<T>,
    reads: ReadsOfBody = () => [],
  ): Promise<Committed<T>> {
    const { telemetry } = this.tools;
    return traced(telemetry, "audit commit", {}, () =>
      this.sequencer.commit(siteKeyHash, body, reads),
    );
  }

  /**
   * Closes a log that must not continue, and opens the next epoch, whose first record gives the
   * reason.
   */
  async renew(siteKeyHash: string, why: NewEpoch): Promise<void> {
    await this.commit(siteKeyHash, async () => ({ records: [], answer: null, maintenance: why }));
    for (const { chain } of await logsOfSite(this.tools.db, siteKeyHash)) this.frozen.delete(chain);
  }

  /** Opens a site's log if there is none, and writes the records that are due about the log itself. */
  async maintainLog(siteKeyHash: string): Promise<void> {
    await this.commit(siteKeyHash, async () => ({
      records: [],
      answer: null,
      maintenance: "catch_up",
    }));
  }

  /** Closes finished days and records a new key in logs that nothing else was written to. */
  async maintainLogs(stopping: () => boolean = () => false): Promise<void> {
    const { clock, db, log } = this.tools;
    const before = Math.floor(clock.now() / DAY_MS) * DAY_MS;
    const { signer } = await this.key();
    for (let after = ""; !stopping(); ) {
      const due = await sitesToMaintain(db, {
        before,
        keyId: signer.kid,
        after,
        limit: MAINTAINED_LOGS_MAX,
      });
      const maintained = await Promise.allSettled(due.map((site) => this.maintainLog(site)));
      for (const one of maintained) {
        if (one.status === "rejected") log.warn({ error: one.reason }, "audit.not_tended");
      }
      if (due.length < MAINTAINED_LOGS_MAX) return;
      after = due.at(-1) as string;
    }
  }

  /** The newest log of a site. */
  async newest(db: Queries, siteKeyHash: string): Promise<LogHead | undefined> {
    const [head] = await logsOfSite(db, siteKeyHash);
    return head;
  }

  /** The size of a log at a time. */
  sizeAt(db: Queries, head: LogHead, moment: number): Promise<number> {
    return sizeBefore(db, head.chain, head.size, moment);
  }

  /** Proves that a record is in the tree of a size. */
  async prove({ chain, seq }: StoredRecord, size: number): Promise<RecordProof> {
    const hashes = await inclusionHashes(seq, size, this.reader.nodesOf(chain), sha256Now);
    return { ...(await this.checkpoints.at(chain, size)), index: seq, hashes };
  }

  /** Why a log is frozen; undefined if it is not. */
  freezeReason(chain: string): string | undefined {
    return this.frozen.get(chain);
  }

  /** Throws while the database accepts no writes. */
  async checkWriting(): Promise<void> {
    this.tools.db.checkFile();
    await this.sequencer.probe();
  }

  /** Throws while every site's log is frozen. A single frozen log affects only its own site. */
  async checkLogs(): Promise<void> {
    const frozen = this.frozen.size;
    if (frozen === 0) return;
    const open = await someOpenLogs(this.tools.db, frozen + 1);
    const writable = open.length === 0 || open.some((chain) => !this.frozen.has(chain));
    if (!writable) throw new AuditUnavailableError("every log is frozen");
  }

  async close(): Promise<void> {
    await this.sequencer.drain();
    await this.checkpoints.close().catch((error) => {
      this.tools.log.error({ error }, "audit.checkpoint_not_kept");
    });
  }
}
