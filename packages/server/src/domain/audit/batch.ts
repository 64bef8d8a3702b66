import type { JsonObject } from "@gatehouse/protocol";
import type { CrashPoint } from "../../infra/crash-points.js";
import {
  DatabaseUnavailableError,
  type ExpectedRead,
  type Queries,
  type Transaction,
} from "../../infra/db/database.js";
import type { Actor, RecordDraft } from "./drafts.js";
import { FrozenLogError, HeadMovedError, type LogHead } from "./log.js";
import { frontierOf, LogWriter, signCheckpoint, type WriterTools } from "./log-writer.js";
import {
  highestEpoch,
  insertLog,
  insertRecords,
  lockOpenLog,
  logsOfSite,
  moveHead,
} from "./store.js";

/** The result of a commit's body, and the records to write. */
interface Made<T> {
  readonly records: readonly RecordDraft[];
  readonly answer: T;
  /**
   * Changes the memory of this process. Runs once, when everything is durable and before the answer is
   * released; it does not run if the commit failed. It must not throw. A crash before it loses no
   * decision: memory is lost with the process anyway.
   */
  readonly after?: (() => void) | undefined;
  /**
   * What the log does after the records: close finished days, or end and continue in the next
   * epoch.
   */
  readonly maintenance?: "catch_up" | NewEpoch | undefined;
}

/** Why a log ends and its successor begins, and who requested that. */
export interface NewEpoch {
  readonly reason: string;
  readonly actor: Actor;
}

/**
 * Reads and writes the tables of the domain rooms. It may run more than once, each time from the
 * beginning, so it changes nothing outside its transaction; `after` is for that. `now` is the time
 * of its records, or that of an earlier record of the log.
 */
export type CommitBody<T> = (tx: Transaction, now: number) => Promise<Made<T>>;

/** What a body will probably read, at the time at which it runs. */
export type ReadsOfBody = (now: number) => readonly ExpectedRead[];

export interface BatchEntry {
  readonly siteKeyHash: string;
  readonly body: CommitBody<unknown>;
  /** Read for all entries at once. A body may read more. */
  readonly reads: ReadsOfBody;
}

/** One entry of a batch failed. The batch can be written without it. */
export class EntryFailedError extends Error {
  override readonly name = "EntryFailedError";
  readonly index: number;
  /** The database's error code, if there is one: some codes ask to repeat the whole transaction. */
  readonly code: unknown;

  constructor(index: number, cause: unknown) {
    super("an entry of a batch failed", { cause });
    this.index = index;
    this.code = (cause as { code?: unknown } | undefined)?.code;
  }
}

/** Names the entry that failed, unless the database failed or another process moved the head first. */
async function blaming<T>(index: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const own = error instanceof FrozenLogError;
    if (!own && error instanceof DatabaseUnavailableError) throw error;
    if (error instanceof HeadMovedError) throw error;
    throw new EntryFailedError(index, error);
  }
}

/** The result of one entry. */
export interface Written extends Pick<Made<unknown>, "answer" | "after"> {
  readonly recordIds: readonly string[];
}

export interface BatchTools extends WriterTools {
  readonly crashPoint: CrashPoint;
  /** Throws unless the key still signs, as the transaction sees it. */
  requireCurrentKey(tx: Queries): Promise<void>;
  /** The current domain of a site. */
  domainOf(tx: Queries, siteKeyHash: string): Promise<string | undefined>;
  /** The highest epoch of a host that this installation has published. The database may know fewer. */
  publishedEpoch(host: string): number;
  /** Why a log is frozen; undefined if it is not. */
  freezeReason(chain: string): string | undefined;
  /**
   * Freezes a log with fewer records than were published: the database was set back while the
   * process ran.
   */
  freezeIfBehind(head: LogHead): void;
  /** The last published checkpoint of a log. */
  published(chain: string): { readonly size: number; readonly note: string } | undefined;
}

export interface WrittenBatch {
  readonly written: readonly Written[];
  /** Logs with new records. */
  readonly heads: readonly LogHead[];
  /** Any record of the batch. If it is in the log, the whole batch is. */
  readonly firstRecordId: string | undefined;
}

/** The logs of one batch, locked until its transaction ends. */
class Logs {
  private readonly tx: Transaction;
  private readonly tools: BatchTools;
  private readonly writers = new Map<string, LogWriter | undefined>();
  private readonly finished: LogWriter[] = [];
  firstRecordId: string | undefined;

  constructor(tx: Transaction, tools: BatchTools) {
    this.tx = tx;
    this.tools = tools;
  }

  /**
   * Locks in sorted order, so that two processes that need the same logs do not deadlock. They
   * still may if bodies lock other rows and then need further logs; the database then makes one of
   * them start again.
   */
  async lock(sites: Iterable<string>): Promise<void> {
    const wanted = [...new Set(sites)].filter((site) => !this.writers.has(site)).sort();
    const heads = await Promise.all(wanted.map((site) => lockOpenLog(this.tx, site)));
    for (const [i, site] of wanted.entries()) {
      const head = heads[i];
      if (head !== undefined) this.tools.freezeIfBehind(head);
      this.writers.set(site, head && new LogWriter(head, this.tools));
    }
  }

  /** The open log of a site, which is created if there is none. Throws if it is frozen. */
  async of(site: string): Promise<LogWriter> {
    const writer = this.writers.get(site) ?? (await this.open(site));
    const why = this.tools.freezeReason(writer.chain);
    if (why !== undefined) throw new FrozenLogError(writer.chain, why);
    return writer;
  }

  private async open(site: string, why?: NewEpoch): Promise<LogWriter> {
    const host = await this.tools.domainOf(this.tx, site);
    if (host === undefined) throw new Error("a log was asked for a site that does not exist");
    const [last] = await logsOfSite(this.tx, site);
    const previous = this.writers.get(site)?.head ?? last;
    const used = Math.max(await highestEpoch(this.tx, host), this.tools.publishedEpoch(host));
    const ordinal = (previous?.ordinal ?? 0) + 1;
    const place = { siteKeyHash: site, host, epoch: used + 1, ordinal };
    const head = LogWriter.opening(place, this.tools);
    await insertLog(this.tx, head);
    const writer = new LogWriter(head, this.tools);
    // Only a restore ends a log without a successor.
    const reason = why?.reason ?? (previous === undefined ? "begun" : "restored");
    const end = previous === undefined ? null : await this.endOf(previous);
    await writer.genesis({ previous: end, reason, actor: why?.actor ?? null });
    this.writers.set(site, writer);
    return writer;
  }

  /** Where a log ended. For a log that lost records or was changed, the published checkpoint counts. */
  private async endOf(head: LogHead): Promise<JsonObject> {
    const published = this.tools.published(head.chain);
    const held = this.tools.freezeReason(head.chain) !== undefined;
    if (published !== undefined && (held || published.size > head.size)) {
      const { size, note } = published;
      return { chain: head.chain, size, checkpoint: note, records_left: head.size };
    }
    const checkpoint = await signCheckpoint(head.chain, frontierOf(head), this.tools.key);
    return { chain: head.chain, size: head.size, checkpoint };
  }

  /** Closes an open log and opens its successor. */
  async renew(site: string, why: NewEpoch): Promise<void> {
    const writer = this.writers.get(site);
    if (writer !== undefined) {
      writer.close();
      // The old head moves before the new log is inserted, because a site has one open log at a
      // time.
      await this.move([writer]);
    }
    await this.open(site, why);
  }

  /** Writes the records of logs and moves their heads, without waiting for one statement before the next. */
  private async move(writers: readonly LogWriter[]): Promise<void> {
    const written = writers.map((writer) => writer.written());
    const rows = written.flatMap((one) => one.rows);
    this.firstRecordId ??= rows[0]?.record_id as string | undefined;
    const inserted = insertRecords(this.tx, rows);
    this.tools.crashPoint("audit.records_written");
    const moved = written.map(({ head, from }) => moveHead(this.tx, head, from));
    await Promise.all([inserted, ...moved, this.tools.requireCurrentKey(this.tx)]);
    this.finished.push(...writers);
  }

  async write(): Promise<readonly LogHead[]> {
    const writers = [...this.writers.values()].filter((writer) => writer !== undefined);
    const grown = writers.filter(({ hasRecords }) => hasRecords);
    if (grown.length > 0) await this.move(grown);
    this.tools.crashPoint("audit.heads_moved");
    return this.finished.map(({ head }) => head);
  }
}

async function record(
  logs: Logs,
  { siteKeyHash }: BatchEntry,
  body: Made<unknown>,
  recordIds: readonly string[],
): Promise<void> {
  for (const [i, draft] of body.records.entries()) {
    const log = await logs.of(draft.siteKeyHash ?? siteKeyHash);
    await log.add(draft, recordIds[i] as string);
  }
  if (body.maintenance === "catch_up") await (await logs.of(siteKeyHash)).catchUp();
  else if (body.maintenance !== undefined) await logs.renew(siteKeyHash, body.maintenance);
}

/**
 * Runs a batch inside one transaction: locks the logs, runs each body, then gives every record its
 * position. A crash here leaves nothing, and nobody has seen what was signed.
 */
export async function writeBatch(
  tx: Transaction,
  entries: readonly BatchEntry[],
  tools: BatchTools,
): Promise<WrittenBatch> {
  const logs = new Logs(tx, tools);
  await logs.lock(entries.map(({ siteKeyHash }) => siteKeyHash));
  tools.crashPoint("audit.heads_locked");
  await tx.prefetch(entries.flatMap(({ reads }) => reads(tools.now)));
  const bodies: Made<unknown>[] = [];
  const others: string[] = [];
  for (const [i, { body }] of entries.entries()) {
    const one = await blaming(i, () => body(tx, tools.now));
    bodies.push(one);
    for (const { siteKeyHash } of one.records)
      if (siteKeyHash !== undefined) others.push(siteKeyHash);
  }
  // Before the records, so that a conflict of theirs is one of the log.
  await tx.write();
  tools.crashPoint("audit.bodies_run");
  await logs.lock(others);
  const written: Written[] = [];
  for (const [i, entry] of entries.entries()) {
    const { answer, records, after } = bodies[i] as Made<unknown>;
    const recordIds = records.map(({ recordId }) => recordId ?? tools.newRecordId());
    await blaming(i, () => record(logs, entry, bodies[i] as Made<unknown>, recordIds));
    written.push({ answer, recordIds, after });
  }
  const heads = await logs.write();
  return { written, heads, firstRecordId: logs.firstRecordId };
}
