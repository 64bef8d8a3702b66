import { ed25519Bytes, inclusionHashes } from "@gatehouse/protocol";
import type { Clock } from "../../platform/clock.js";
import type { PassPoint } from "../../platform/crash-points.js";
import type { Database, Queries } from "../../platform/db/database.js";
import type { Ids } from "../../platform/ids.js";
import type { KeyRing } from "../../platform/keys/key-ring.js";
import type { Log } from "../../platform/log/log.js";
import type { Metrics } from "../../platform/metrics.js";
import type { BatchTools, CommitBody } from "./batch.js";
import { Checkpoints, type PublishedCheckpoint } from "./checkpoints.js";
import { type HeldLog, heldLogs } from "./compare-published.js";
import { PartDigests } from "./exports/part-digests.js";
import { KeptCheckpoints } from "./kept-checkpoints.js";
import { AuditUnavailableError, DAY_MS, type LogHead } from "./log.js";
import { type LogKey, sha256Now } from "./log-writer.js";
import { nodesOf, sizeBefore } from "./nodes.js";
import { newRecordId } from "./record-id.js";
import { type Committed, Sequencer } from "./sequencer.js";
import { logsOfSite, type StoredRecord, sitesToTend } from "./store.js";

/** Logs tended in one go. */
const TEND_LOGS_MAX = 256;

export interface AuditTools {
  readonly db: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly keys: KeyRing;
  readonly dataDir: string;
  readonly pass: PassPoint;
  domainOf: BatchTools["domainOf"];
}

/** That a record is in the log: its place, the hashes beside its way to the root, and the root. */
export interface RecordProof extends PublishedCheckpoint {
  readonly index: number;
  readonly hashes: readonly Uint8Array[];
}

/** Every site's log: the one place where something is recorded, and where records are proven. */
export class AuditLog {
  private readonly tools: AuditTools;
  private readonly kept: KeptCheckpoints;
  private readonly sequencer: Sequencer;
  private readonly held = new Map<string, HeldLog>();
  private readonly node: string;
  readonly checkpoints: Checkpoints;
  readonly partDigests = new PartDigests();

  constructor(tools: AuditTools) {
    this.tools = tools;
    this.kept = new KeptCheckpoints(tools.dataDir);
    this.node = tools.ids.id("node");
    const { clock, log, pass, db, keys } = tools;
    const key = () => this.key();
    this.checkpoints = new Checkpoints({ clock, log, pass, kept: this.kept, key });
    this.sequencer = new Sequencer({
      ...{ db, pass },
      batchTools: () => this.batchTools(),
      keyIsCurrent: (tx, keyId) => keys.isCurrent(tx, "audit", keyId),
      grown: (heads) => this.checkpoints.grown(heads),
      count: tools.metrics.counter("gatehouse_audit_commits_total", "Commits to audit logs."),
    });
    this.measure(tools.metrics);
  }

  private measure(metrics: Metrics): void {
    const waiting = () => this.sequencer.waiting;
    metrics.gauge("gatehouse_audit_commits_waiting", "Commits waiting for their turn.", waiting);
    const held = () => this.held.size;
    metrics.gauge("gatehouse_audit_logs_held", "Logs behind what was published of them.", held);
  }

  /** Compares the database with what was published; logs that differ are not written to. */
  async start(): Promise<void> {
    for (const held of await heldLogs(this.tools.db, this.kept.read())) {
      this.held.set(held.siteKeyHash, held);
      this.tools.log.error({ chain: held.chain, why: held.why }, "audit.log_held");
    }
  }

  /** The key that signs now. */
  async key(): Promise<LogKey> {
    const { signer, jwk } = await this.tools.keys.signingKey("audit");
    return { signer, publicKey: ed25519Bytes(jwk) };
  }

  private async batchTools(): Promise<BatchTools> {
    const { clock, ids, pass, domainOf } = this.tools;
    const now = clock.now();
    return {
      ...{ now, node: this.node, pass, domainOf, key: await this.key() },
      newRecordId: () => newRecordId(ids, now),
      publishedEpoch: (host) => this.kept.epochOf(host),
    };
  }

  newRecordId(): string {
    return newRecordId(this.tools.ids, this.tools.clock.now());
  }

  /**
   * The commit seam: runs `body` and records what it asks for in one transaction of the site's log.
   * Resolved, both are durable; rejected, neither happened.
   */
  commit<T>(siteKeyHash: string, body: CommitBody<T>): Promise<Committed<T>> {
    const held = this.held.get(siteKeyHash);
    if (held === undefined) return this.sequencer.commit(siteKeyHash, body);
    return Promise.reject(new AuditUnavailableError(`${held.chain} is held: ${held.why}`));
  }

  /** Ends a log that may not go on and opens the next epoch, which says so in its first record. */
  async renew(siteKeyHash: string, reason: string): Promise<void> {
    const besides = { newEpoch: reason };
    await this.sequencer.commit(siteKeyHash, async () => ({ records: [], answer: null, besides }));
    this.held.delete(siteKeyHash);
  }

  /** Opens a site's log if it has none, and writes what it owes of itself. */
  async tend(siteKeyHash: string): Promise<void> {
    await this.commit(siteKeyHash, async () => ({ records: [], answer: null, besides: "tend" }));
  }

  /** Closes days that are over, and names a new key, in logs where nothing else happened since. */
  async tendAll(stopping: () => boolean = () => false): Promise<void> {
    const { clock, db, log } = this.tools;
    const before = Math.floor(clock.now() / DAY_MS) * DAY_MS;
    const { signer } = await this.key();
    for (let after = ""; !stopping(); ) {
      const due = await sitesToTend(db, { before, keyId: signer.kid, after, limit: TEND_LOGS_MAX });
      const tended = await Promise.allSettled(due.map((site) => this.tend(site)));
      for (const one of tended) {
        if (one.status === "rejected") log.warn({ error: one.reason }, "audit.not_tended");
      }
      if (due.length < TEND_LOGS_MAX) return;
      after = due.at(-1) as string;
    }
  }

  /** The newest log of a site. */
  async newest(db: Queries, siteKeyHash: string): Promise<LogHead | undefined> {
    const [head] = await logsOfSite(db, siteKeyHash);
    return head;
  }

  /** How far a log was at a moment. */
  sizeAt(db: Queries, head: LogHead, moment: number): Promise<number> {
    return sizeBefore(db, head.chain, head.size, moment);
  }

  /** Proves a record to be in the tree of a size. */
  async prove(db: Queries, record: StoredRecord, size: number): Promise<RecordProof> {
    const { chain, seq } = record;
    const hashes = await inclusionHashes(seq, size, nodesOf(db, chain), sha256Now);
    return { ...(await this.checkpoints.at(db, chain, size)), index: seq, hashes };
  }

  /** Logs that are not written to, and why. */
  get heldLogs(): readonly HeldLog[] {
    return [...this.held.values()];
  }

  /** Throws while something that must be recorded could not be. */
  check(): void {
    const [held] = this.held.values();
    if (held !== undefined) throw new Error(`${held.chain} is held: ${held.why}`);
    if (this.sequencer.failing !== undefined) throw this.sequencer.failing;
  }

  async close(): Promise<void> {
    await this.sequencer.drain();
    await this.checkpoints.close().catch((error) => {
      this.tools.log.error({ error }, "audit.checkpoint_not_kept");
    });
  }
}
