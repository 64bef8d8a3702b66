import { dirname } from "node:path";
import { toHex, treeRoot } from "@gatehouse/protocol";
import type { Queries } from "../../platform/db/database.js";
import { StartupError } from "../../startup-error.js";
import type { KeptCheckpoint } from "./kept-checkpoints.js";
import { behind, type LogHead, OTHER_HISTORY } from "./log.js";
import { frontierOf, sha256Now } from "./log-writer.js";
import { frontierAt } from "./nodes.js";
import { logByChain } from "./store.js";

/** Why a log must not be written to: somebody outside holds proof that it was another. */
interface HeldLog {
  readonly chain: string;
  readonly why: string;
}

async function differs(
  db: Queries,
  head: LogHead,
  kept: KeptCheckpoint,
): Promise<string | undefined> {
  if (head.size < kept.size) {
    return behind(head.size, kept.size);
  }
  const rootAt = async (frontier: ReturnType<typeof frontierOf>) =>
    toHex(await treeRoot(frontier, sha256Now));
  const then = await rootAt(await frontierAt(db, head.chain, kept.size));
  if (then !== toHex(kept.root)) return OTHER_HISTORY;
  const now = await rootAt(await frontierAt(db, head.chain, head.size));
  return now === (await rootAt(frontierOf(head)))
    ? undefined
    : "its head is not that of its records";
}

export interface Comparison {
  readonly held: readonly HeldLog[];
  /** Ended with fewer records than were published: after a restore, or because somebody cut them. */
  readonly lost: readonly { readonly chain: string; readonly size: number }[];
  /** Published from here, and not in this database: of a time after the backup it came from, say. */
  readonly missing: readonly KeptCheckpoint[];
}

/**
 * Compares every open log with the last checkpoint published of it. A database that is behind, put
 * back from a copy or taken over from a replica that lagged, would tell a second history.
 */
export async function comparePublished(
  db: Queries,
  published: readonly KeptCheckpoint[],
): Promise<Comparison> {
  const held: HeldLog[] = [];
  const missing: KeptCheckpoint[] = [];
  const lost: { chain: string; size: number }[] = [];
  for (const kept of published) {
    const head = await logByChain(db, kept.origin);
    if (head === undefined) missing.push(kept);
    if (head?.state === "closed" && head.size < kept.size) {
      lost.push({ chain: head.chain, size: kept.size });
    }
    if (head?.state !== "open") continue;
    const why = await differs(db, head, kept);
    if (why !== undefined) held.push({ chain: head.chain, why });
  }
  if (missing.length > 0 && missing.length === published.length) {
    const [{ origin, file }] = missing as [KeptCheckpoint];
    throw new StartupError(
      `Checkpoints were published from here, of ${origin} among others, and this database has none ` +
        `of these logs: use the right database, or, if it is lost, move ${dirname(file)} away.`,
    );
  }
  return { held, lost, missing };
}
