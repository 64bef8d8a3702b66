import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { type Actor, actorDraft } from "../../domain/audit/drafts.js";
import type { ExportFile } from "../../domain/audit/exports/export-stream.js";
import { exportFile } from "../../domain/audit/exports/export-stream.js";
import {
  type ExportFormat,
  type ExportSnapshot,
  findSnapshot,
  takeSnapshot,
} from "../../domain/audit/exports/snapshot.js";
import { dayOf, type LogHead, startOfDay } from "../../domain/audit/log.js";
import { logsOfSite } from "../../domain/audit/store.js";
import { policyByDigest } from "../../domain/policies/store.js";
import type { Queries, Transaction } from "../../infra/db/database.js";
import { DAY_MS } from "../../infra/time.js";
import { VERSION } from "../../version.js";

export interface ExportRequest {
  readonly day: string;
  readonly format: ExportFormat;
  readonly part: number;
  /** One of the site's logs; the newest that had begun by that day if none is named. */
  readonly chain: string | null;
  /** Asks for the signed note of the file instead of the file. */
  readonly note: boolean;
}

export type ExportFault = "invalid_request" | "not_found" | "conflict";

async function logOfDay(
  db: Queries,
  siteKeyHash: string,
  { chain, day }: ExportRequest,
  start: number,
): Promise<Result<LogHead, "not_found">> {
  const logs = await logsOfSite(db, siteKeyHash);
  const begun = logs.filter(({ openedAt }) => openedAt < start + DAY_MS);
  const log = chain === null ? begun[0] : begun.find((head) => head.chain === chain);
  if (log !== undefined) return ok(log);
  const why = logs.length === 0 ? "The site has no log." : `This log did not exist on ${day}.`;
  return refuse("not_found", why);
}

/**
 * Takes or finds the snapshot of an export and records the export, in one transaction. So it is in the log
 * before the caller gets a single byte.
 */
async function recordExport(
  { audit }: Context,
  siteKeyHash: string,
  request: ExportRequest,
  actor: Actor,
): Promise<Result<{ snapshot: ExportSnapshot; log: LogHead }, ExportFault>> {
  type Answer = Result<{ snapshot: ExportSnapshot; log: LogHead }, ExportFault>;
  const start = startOfDay(request.day);
  if (start === undefined)
    return refuse("invalid_request", "day: must be a day such as 2030-05-17.");
  const { signer } = await audit.key();
  const { answer } = await audit.commit<Answer>(siteKeyHash, async (tx: Transaction, now) => {
    const log = await logOfDay(tx, siteKeyHash, request, start);
    if (!log.ok) return { records: [], answer: log };
    // By the log's own time, so that records are not hidden if the clock was ahead when they were written.
    if (request.day > dayOf(Math.max(now, log.value.recordedAt))) {
      return { records: [], answer: refuse("invalid_request", "day: must not be in the future.") };
    }
    const { day, format, part, note } = request;
    const name = { tokenId: actor.id, day, format };
    const moment = { now, keyId: signer.kid };
    // The note of a file belongs to an export that its file has already started.
    const begins = part === 1 && !note;
    const snapshot = begins
      ? ok(await takeSnapshot(tx, name, log.value, moment))
      : await findSnapshot(tx, name, log.value, moment);
    if (!snapshot.ok) return { records: [], answer: snapshot };
    const { parts, firstSeq, count, chain } = snapshot.value;
    if (part > parts) {
      const why = `This export has ${parts} ${parts === 1 ? "part" : "parts"}.`;
      return { records: [], answer: refuse("not_found", why) };
    }
    const result = ok({ snapshot: snapshot.value, log: log.value });
    if (note) return { records: [], answer: result };
    const exported = { chain, day, format, part, parts, first_seq: firstSeq, count };
    const draft = actorDraft("audit.exported", actor, now, { export: exported });
    return { records: [draft], answer: result };
  });
  return answer;
}

/** One part of the export of a day, as a file that is made while it is sent. */
export async function exportDay(
  context: Context,
  siteKeyHash: string,
  request: ExportRequest,
  actor: Actor,
): Promise<Result<ExportFile, ExportFault>> {
  const recorded = await recordExport(context, siteKeyHash, request, actor);
  if (!recorded.ok) return recorded;
  const { audit, db, keys } = context;
  const { snapshot, log } = recorded.value;
  return ok(
    await exportFile(snapshot, log, request, {
      audit,
      version: VERSION,
      publicKeys: async () => (await keys.listed("audit")).map(({ kid, jwk }) => ({ kid, jwk })),
      policyByDigest: (digest) => policyByDigest(db, siteKeyHash, digest),
    }),
  );
}
