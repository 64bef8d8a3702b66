import type { JsonObject } from "@gatehouse/protocol";
import type { PassPoint } from "../../platform/crash-points.js";
import {
  DatabaseUnavailableError,
  type Queries,
  type Transaction,
} from "../../platform/db/database.js";
import type { RecordDraft } from "./drafts.js";
import { HeadMovedError, type LogHead } from "./log.js";
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
  /** Closes days that are over, or ends this epoch of the log and opens the next. */
  readonly besides?: "tend" | { readonly newEpoch: string | null } | undefined;
}

/** Reads and writes the rooms' own tables; may run more than once, each time from the beginning. */
export type CommitBody<T> = (tx: Transaction) => Promise<Made<T>>;

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
    if (error instanceof DatabaseUnavailableError || error instanceof HeadMovedError) throw error;
    throw new EntryFailedError(index, error);
  }
}

/** What was written of one entry. */
export interface Written {
  readonly answer: unknown;
  readonly recordIds: readonly string[];
}

export interface BatchTools extends WriterTools {
  readonly pass: PassPoint;
  /** The domain a site has now; its room tells. */
  domainOf(tx: Queries, siteKeyHash: string): Promise<string | undefined>;
  /** Highest epoch of a host that this installation has published, whatever the database says. */
  publishedEpoch(host: string): number;
}

/** The logs one batch writes to, locked until its transaction ends. */
class Logs {
  private readonly tx: Transaction;
  private readonly tools: BatchTools;
  private readonly writers = new Map<string, LogWriter | undefined>();
  private readonly finished: LogWriter[] = [];

  constructor(tx: Transaction, tools: BatchTools) {
    this.tx = tx;
    this.tools = tools;
  }

  /** In sorted order: two processes that need the same logs then wait, and never for each other. */
  async lock(sites: Iterable<string>): Promise<void> {
    const wanted = [...new Set(sites)].filter((site) => !this.writers.has(site)).sort();
    for (const site of wanted) {
      const head = await lockOpenLog(this.tx, site);
      this.writers.set(site, head && new LogWriter(head, this.tools));
    }
  }

  /** The open log of a site; opened if there is none. */
  async of(site: string): Promise<LogWriter> {
    return this.writers.get(site) ?? (await this.open(site, null));
  }

  private async open(site: string, reason: string | null): Promise<LogWriter> {
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
    await writer.genesis(previous === undefined ? null : await this.endOf(previous), reason);
    this.writers.set(site, writer);
    return writer;
  }

  private async endOf(head: LogHead): Promise<JsonObject> {
    const checkpoint = await signCheckpoint(head.chain, frontierOf(head), this.tools.key);
    return { chain: head.chain, size: head.size, checkpoint };
  }

  /** Ends an open log here, and opens the one that goes on from it. */
  async renew(site: string, reason: string | null): Promise<void> {
    const writer = this.writers.get(site);
    if (writer !== undefined) {
      writer.close();
      // The old head moves before the new log is inserted: a site has one open log at a time.
      await this.move(writer);
    }
    await this.open(site, reason);
  }

  private async move(writer: LogWriter): Promise<void> {
    const { rows, head, from } = writer.written();
    await insertRecords(this.tx, rows);
    this.tools.pass("audit.records_written");
    await moveHead(this.tx, head, from);
    this.finished.push(writer);
  }

  async write(): Promise<readonly LogHead[]> {
    for (const writer of this.writers.values()) {
      if (writer !== undefined && writer.written().rows.length > 0) await this.move(writer);
    }
    this.tools.pass("audit.heads_moved");
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
  if (made.besides === "tend") await (await logs.of(siteKeyHash)).catchUp();
  else if (made.besides !== undefined) await logs.renew(siteKeyHash, made.besides.newEpoch);
}

/**
 * Runs a batch inside one transaction: holds the logs, runs each body, then gives every record its
 * place. A crash anywhere in here leaves nothing; what was signed was never seen by anybody.
 */
export async function writeBatch(
  tx: Transaction,
  entries: readonly BatchEntry[],
  tools: BatchTools,
): Promise<{ readonly written: readonly Written[]; readonly heads: readonly LogHead[] }> {
  const logs = new Logs(tx, tools);
  await logs.lock(entries.map(({ siteKeyHash }) => siteKeyHash));
  tools.pass("audit.heads_locked");
  const made: Made<unknown>[] = [];
  const others: string[] = [];
  for (const [i, { body }] of entries.entries()) {
    const one = await blaming(i, () => body(tx));
    made.push(one);
    for (const { siteKeyHash } of one.records)
      if (siteKeyHash !== undefined) others.push(siteKeyHash);
  }
  tools.pass("audit.bodies_run");
  await logs.lock(others);
  const written: Written[] = [];
  for (const [i, entry] of entries.entries()) {
    const { answer, records } = made[i] as Made<unknown>;
    const recordIds = records.map(({ recordId }) => recordId ?? tools.newRecordId());
    await blaming(i, () => record(logs, entry, made[i] as Made<unknown>, recordIds));
    written.push({ answer, recordIds });
  }
  return { written, heads: await logs.write() };
}
