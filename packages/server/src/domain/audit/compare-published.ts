import { dirname } from "node:path";
import { isJsonObject, type JsonObject, toHex, treeRoot } from "@gatehouse/protocol";
import type { Queries } from "../../infra/db/database.js";
import { StartupError } from "../../startup-error.js";
import { ArchiveUnavailableError } from "./archive/part.js";
import type { KeptCheckpoint } from "./kept-checkpoints.js";
import { behind, type LogHead, OTHER_HISTORY } from "./log.js";
import type { LogReader } from "./log-reader.js";
import { frontierOf, sha256Now } from "./log-writer.js";
import { logByChain, logsOfSite } from "./store.js";

/** A log that must not be written to, because others can prove that it was different. */
interface FrozenLog {
  readonly chain: string;
  readonly reason: string;
}

async function differs(
  reader: LogReader,
  head: LogHead,
  kept: KeptCheckpoint,
): Promise<string | undefined> {
  if (head.size < kept.size) {
    return behind(head.size, kept.size);
  }
  const rootAt = async (frontier: ReturnType<typeof frontierOf>) =>
    toHex(await treeRoot(frontier, sha256Now));
  const then = await rootAt(await reader.frontierAt(head.chain, kept.size));
  if (then !== toHex(kept.root)) return OTHER_HISTORY;
  const now = await rootAt(await reader.frontierAt(head.chain, head.size));
  return now === (await rootAt(frontierOf(head)))
    ? undefined
    : "its head does not match its records";
}

/** A log that cannot be compared with its published checkpoint is frozen. */
const unreadable = ({ message }: ArchiveUnavailableError) =>
  `it cannot be compared with its published checkpoint: ${message}`;

/** An archive that cannot be read proves nothing. Doctor reports it separately. */
function unlessArchived(error: unknown): [] {
  if (error instanceof ArchiveUnavailableError) return [];
  throw error;
}

/** A closed log with fewer records than were published. */
interface LostRecords {
  readonly chain: string;
  /** The number of published records. */
  readonly size: number;
  readonly left: number;
  /** The next log, if its first record states the same loss. Then the loss is public. */
  readonly recordedBy: { readonly chain: string; readonly at: number } | undefined;
}

/** The log whose first record states what its predecessor lost. */
async function recorderOf(
  db: Queries,
  reader: LogReader,
  head: LogHead,
  published: number,
): Promise<LostRecords["recordedBy"]> {
  const logs = await logsOfSite(db, head.siteKeyHash);
  const next = logs.find(({ ordinal }) => ordinal === head.ordinal + 1);
  if (next === undefined) return undefined;
  const [genesis] = await reader.recordsBetween(next.chain, 0, 1).catch(unlessArchived);
  if (genesis === undefined) return undefined;
  const { previous } = JSON.parse(genesis.text) as JsonObject;
  const recordsLoss =
    isJsonObject(previous) &&
    previous.chain === head.chain &&
    previous.size === published &&
    previous.records_left === head.size;
  if (!recordsLoss) return undefined;
  return { chain: next.chain, at: next.openedAt };
}

export interface Comparison {
  readonly frozen: readonly FrozenLog[];
  /** Lost in a restore, or deleted by somebody. */
  readonly lost: readonly LostRecords[];
  /**
   * Published by this installation, but not in this database, for example because it comes from an
   * older backup.
   */
  readonly missing: readonly KeptCheckpoint[];
}

/**
 * Compares every open log with its last published checkpoint. A database that is behind, because it
 * was restored from a copy or taken over from a delayed replica, would start a second history.
 */
export async function comparePublished(
  db: Queries,
  reader: LogReader,
  published: readonly KeptCheckpoint[],
): Promise<Comparison> {
  const frozen: FrozenLog[] = [];
  const missing: KeptCheckpoint[] = [];
  const lost: LostRecords[] = [];
  for (const kept of published) {
    const head = await logByChain(db, kept.origin);
    if (head === undefined) missing.push(kept);
    if (head?.state === "closed" && head.size < kept.size) {
      const { chain, size: left } = head;
      lost.push({
        chain,
        size: kept.size,
        left,
        recordedBy: await recorderOf(db, reader, head, kept.size),
      });
    }
    if (head?.state !== "open") continue;
    const reason = await differs(reader, head, kept).catch((error) => {
      if (error instanceof ArchiveUnavailableError) return unreadable(error);
      throw error;
    });
    if (reason !== undefined) frozen.push({ chain: head.chain, reason });
  }
  if (missing.length > 0 && missing.length === published.length) {
    const [{ origin, file }] = missing as [KeptCheckpoint];
    throw new StartupError(
      `This installation published checkpoints of logs such as ${origin}, but this database has none ` +
        `of these logs. Use the right database. If it is lost, move ${dirname(file)} away.`,
    );
  }
  return { frozen, lost, missing };
}
