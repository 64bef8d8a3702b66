import type { JsonObject } from "@gatehouse/protocol";
import type { CrashPoint } from "../../infra/crash-points.js";
import {
  DatabaseUnavailableError,
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

/** What a commit's body has done, and what is to be recorded of it. */
interface Made<T> {
  readonly records: readonly RecordDraft[];
  readonly answer: T;
  /**
   * Changes the memory of this process. Runs once, when everything is durable and before the answer is
   * released; it does not run if the commit failed. It must not throw. A crash before it loses no
   * decision: memory is lost with the process anyway.
   */
  readonly after?: (() => void) | undefined;
  /** What the log does after the records: close days that are over, or end and continue in the next epoch. */
  readonly maintenance?: "catch_up" | NewEpoch | undefined;
}

/** Why a log ends and another goes on from it, and who wanted that. */
export interface NewEpoch {
  readonly reason: string;
  readonly actor: Actor;
}

/**
 * Reads and writes the rooms' own tables; may run more than once, each time from the beginning, so
 * it changes nothing outside its transaction: that is for `after`.
 * `now` is the moment its records will carry, or one that an earlier record of the log carries.
 */
export type CommitBody<T> = (tx: Transaction, now: number) => Promise<Made<T>>;

export interface BatchEntry {
  readonly siteKeyHash: string;
  readonly body: CommitBody<unknown>;
}

/** One entry of a batch cannot be done; the others can, without it. */
export class EntryFailedError extends Error {
  override readonly name = "EntryFailedError";
  readonly index: number;
  /** A database's own word, where it said one: some ask for the whole transaction again. */
  readonly code: unknown;

  constructor(index: number, cause: unknown) {
    super("an entry of a batch failed", { cause });
    this.index = index;
    this.code = (cause as { code?: unknown } | undefined)?.code;
  }
}

/** Says whose fault it was, unless it is the database's, or another process was first. */
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

/** What was written of one entry. */
export interface Written extends Pick<Made<unknown>, "answer" | "after"> {
  readonly recordIds: readonly string[];
}

export interface BatchTools extends WriterTools {
  readonly crashPoint: CrashPoint;
  /** The domain a site has now; its room tells. */
  domainOf(tx: Queries, siteKeyHash: string): Promise<string | undefined>;
  /** Highest epoch of a host that this installation has published, whatever the database says. */
  publishedEpoch(host: string): number;
  /** Why a log must not be written to; undefined for one that may. */
  freezeReason(chain: string): string | undefined;
  /** Holds a log that has fewer records than were published of it: a database went back meanwhile. */
  freezeIfBehind(head: LogHead): void;
  /** The last checkpoint published of a log. */
  published(chain: string): { readonly size: number; readonly note: string } | undefined;
}

export interface WrittenBatch {
  readonly written: readonly Written[];
  /** Logs that grew. */
  readonly heads: readonly LogHead[];
  /** Any record of the batch: the whole is in the log if it is. */
  readonly firstRecordId: string | undefined;
}

/** The logs one batch writes to, locked until its transaction ends. */
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
   * In sorted order, so that two processes that need the same logs do not wait for each other. Where
   * bodies lock rows of their own and then name further logs they may; the database then tells one
   * of them to begin again.
   */
  async lock(sites: Iterable<string>): Promise<void> {
    const wanted = [...new Set(sites)].filter((site) => !this.writers.has(site)).sort();
    for (const site of wanted) {
      const head = await lockOpenLog(this.tx, site);
      if (head !== undefined) this.tools.freezeIfBehind(head);
      this.writers.set(site, head && new LogWriter(head, this.tools));
    }
  }

  /** The open log of a site; opened if there is none. Refuses a frozen one. */
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
    // A log that ended without a successor was ended by a restore.
    const reason = why?.reason ?? (previous === undefined ? "begun" : "restored");
    const end = previous === undefined ? null : await this.endOf(previous);
    await writer.genesis({ previous: end, reason, actor: why?.actor ?? null });
    this.writers.set(site, writer);
    return writer;
  }

  /** Where a log ended. Of one that has lost records, or tells others, what was published counts. */
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

  /** Ends an open log here, and opens the one that goes on from it. */
  async renew(site: string, why: NewEpoch): Promise<void> {
    const writer = this.writers.get(site);
    if (writer !== undefined) {
      writer.close();
      // The old head moves before the new log is inserted: a site has one open log at a time.
      await this.move(writer);
    }
    await this.open(site, why);
  }

  private async move(writer: LogWriter): Promise<void> {
    const { rows, head, from } = writer.written();
    await insertRecords(this.tx, rows);
    this.firstRecordId ??= rows[0]?.record_id as string | undefined;
    this.tools.crashPoint("audit.records_written");
    await moveHead(this.tx, head, from);
    this.finished.push(writer);
  }

  async write(): Promise<readonly LogHead[]> {
    for (const writer of this.writers.values()) {
      if (writer !== undefined && writer.written().rows.length > 0) await this.move(writer);
    }
    this.tools.crashPoint("audit.heads_moved");
    return this.finished.map(({ head }) => head);
  }
}

async function record(
  logs: Logs,
  { siteKeyHash }: BatchEntry,
  made: Made<unknown>,
  recordIds: readonly string[],
): Promise<void> {
  for (const [i, draft] of made.records.entries()) {
    const log = await logs.of(draft.siteKeyHash ?? siteKeyHash);
    await log.add(draft, recordIds[i] as string);
  }
  if (made.maintenance === "catch_up") await (await logs.of(siteKeyHash)).catchUp();
  else if (made.maintenance !== undefined) await logs.renew(siteKeyHash, made.maintenance);
}

/**
 * Runs a batch inside one transaction: holds the logs, runs each body, then gives every record its
 * place. A crash anywhere in here leaves nothing; what was signed was never seen by anybody.
 */
export async function writeBatch(
  tx: Transaction,
  entries: readonly BatchEntry[],
  tools: BatchTools,
): Promise<WrittenBatch> {
  const logs = new Logs(tx, tools);
  await logs.lock(entries.map(({ siteKeyHash }) => siteKeyHash));
  tools.crashPoint("audit.heads_locked");
  const made: Made<unknown>[] = [];
  const others: string[] = [];
  for (const [i, { body }] of entries.entries()) {
    const one = await blaming(i, () => body(tx, tools.now));
    made.push(one);
    for (const { siteKeyHash } of one.records)
      if (siteKeyHash !== undefined) others.push(siteKeyHash);
  }
  tools.crashPoint("audit.bodies_run");
  await logs.lock(others);
  const written: Written[] = [];
  for (const [i, entry] of entries.entries()) {
    const { answer, records, after } = made[i] as Made<unknown>;
    const recordIds = records.map(({ recordId }) => recordId ?? tools.newRecordId());
    await blaming(i, () => record(logs, entry, made[i] as Made<unknown>, recordIds));
    written.push({ answer, recordIds, after });
  }
  const heads = await logs.write();
  return { written, heads, firstRecordId: logs.firstRecordId };
}
