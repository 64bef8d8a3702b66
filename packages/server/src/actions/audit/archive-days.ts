import type { Context } from "../../context.js";
import { archiveBefore, type DueDay, dueDays } from "../../domain/audit/archive/due.js";
import { endOf } from "../../domain/audit/archive/part.js";
import {
  archivedEnd,
  insertNodes,
  insertPart,
  logsToTrim,
  partAt,
} from "../../domain/audit/archive/store.js";
import {
  type WriteTools,
  type WrittenDay,
  writeDay,
} from "../../domain/audit/archive/write-day.js";
import { type Actor, actorDraft, serviceActor } from "../../domain/audit/drafts.js";
import type { LogHead } from "../../domain/audit/log.js";
import { deleteArchivedRecords, firstKept } from "../../domain/audit/records/store.js";
import { allLogs } from "../../domain/audit/store.js";
import { policyByDigest } from "../../domain/policies/store.js";
import { VERSION } from "../../version.js";

/** Rows deleted in one transaction. A decision may have to wait for it. */
const ROWS_PER_DELETE = 250;
/** Logs read at a time. */
const LOGS_PER_READ = 256;

function writeTools(
  { audit, db, keys, crashPoint }: Context,
  siteKeyHash: string,
): Omit<WriteTools, "onWritten"> {
  return {
    audit,
    db,
    crashPoint,
    version: VERSION,
    publicKeys: async () => (await keys.listed("audit")).map(({ kid, jwk }) => ({ kid, jwk })),
    policyByDigest: (digest) => policyByDigest(db, siteKeyHash, digest),
    auditKeys: () => keys.everyKey("audit"),
  };
}

/**
 * Marks a written day as archived and records that, in one transaction. False if another node was faster:
 * both lock the head of the log here, so one of them is second. A crash before this leaves every row; a crash after it leaves rows that {@link deleteRows} deletes at the next run.
 */
async function commitDay(
  { audit }: Context,
  siteKeyHash: string,
  written: WrittenDay,
  actor: Actor,
): Promise<boolean> {
  const { chain, day, firstSeq, count, parts, nodes, bundleSha256 } = written;
  const { answer } = await audit.commit(siteKeyHash, async (tx, now) => {
    if ((await archivedEnd(tx, chain)) !== firstSeq) return { records: [], answer: false };
    for (const part of parts) await insertPart(tx, part, now);
    await insertNodes(tx, nodes);
    const archived = {
      purpose: "archive",
      chain,
      day,
      format: "json",
      parts: parts.length,
      first_seq: firstSeq,
      count,
      bundle_sha256: bundleSha256,
    };
    return {
      records: [actorDraft("audit.exported", actor, now, { export: archived })],
      answer: true,
    };
  });
  return answer;
}

/**
 * Deletes the rows of archived days, part by part. Before each part its file is verified again. A crash
 * leaves some rows, which are still readable and are deleted at the next run.
 */
export async function deleteRows({ audit, db, crashPoint }: Context, chain: string): Promise<void> {
  for (;;) {
    const seq = await firstKept(db, chain);
    const part = seq === undefined ? undefined : await partAt(db, chain, seq);
    if (seq === undefined || part === undefined) return;
    await audit.archive.folder.read(part);
    for (let from = seq; from < endOf(part); from += ROWS_PER_DELETE) {
      const to = Math.min(from + ROWS_PER_DELETE, endOf(part));
      await db.transaction((tx) => deleteArchivedRecords(tx, chain, from, to));
      crashPoint("archive.rows_deleted");
    }
  }
}

/** Archives one day of a log, unless another node does it meanwhile. */
export async function archiveDay(
  context: Context,
  { siteKeyHash }: LogHead,
  due: DueDay,
  actor: Actor,
  onWritten: WriteTools["onWritten"] = () => undefined,
): Promise<void> {
  const { audit, db, log } = context;
  const { chain, day, firstSeq, count } = due;
  await audit.archive.folder.claim(db);
  const tools = { ...writeTools(context, siteKeyHash), onWritten };
  const written = await writeDay(tools, due).catch(async (error) => {
    // If rows disappear while they are compared, another node has archived the day.
    if ((await archivedEnd(db, chain)) > firstSeq) return undefined;
    throw error;
  });
  if (written !== undefined && (await commitDay(context, siteKeyHash, written, actor))) {
    log.info({ chain, day, records: count }, "audit.day_archived");
  }
  context.crashPoint("archive.committed");
  await deleteRows(context, chain);
}

/** Archives every day of a log before a given day. */
async function archiveLog(
  context: Context,
  log: LogHead,
  before: string,
  stopping: () => boolean,
): Promise<void> {
  const actor = serviceActor("audit.archive");
  // A frozen log is evidence and stays in the database.
  while (!stopping() && context.audit.freezeReason(log.chain) === undefined) {
    const [due] = await dueDays(context.db, log, before, 1);
    if (due === undefined) return;
    await archiveDay(context, log, due, actor);
  }
}

/**
 * Archives every day that is due by the setting, of every log including those of deleted sites, and
 * deletes rows that an earlier run left. A log that cannot be archived does not stop the others; the job
 * fails in the end.
 */
export async function archiveDueDays(
  context: Context,
  now: number,
  stopping: () => boolean,
): Promise<void> {
  const { config, db, log } = context;
  const failures: unknown[] = [];
  const attempt = (chain: string, work: Promise<void>) =>
    work.catch((error) => {
      log.error({ chain, error }, "audit.not_archived");
      failures.push(error);
    });
  for (const chain of await logsToTrim(db)) await attempt(chain, deleteRows(context, chain));
  const { auditKeepDays } = config;
  const before = auditKeepDays === undefined ? "" : archiveBefore(now, auditKeepDays);
  for (let after = ""; before !== "" && !stopping(); ) {
    const logs = await allLogs(db, after, LOGS_PER_READ);
    for (const head of logs) await attempt(head.chain, archiveLog(context, head, before, stopping));
    if (logs.length < LOGS_PER_READ) break;
    after = logs.at(-1)?.chain ?? "";
  }
  if (failures.length > 0) throw failures[0];
}
