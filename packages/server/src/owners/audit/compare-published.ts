import { toHex, treeRoot } from "@gatehouse/protocol";
import type { Queries } from "../../platform/db/database.js";
import { StartupError } from "../../startup-error.js";
import type { KeptCheckpoint } from "./kept-checkpoints.js";
import type { LogHead } from "./log.js";
import { frontierOf, sha256Now } from "./log-writer.js";
import { frontierAt } from "./nodes.js";
import { logByChain } from "./store.js";

/** Why a log must not be written to: somebody outside holds proof that it was another. */
export interface HeldLog {
  readonly chain: string;
  readonly siteKeyHash: string;
  readonly why: string;
}

async function differs(
  db: Queries,
  head: LogHead,
  kept: KeptCheckpoint,
): Promise<string | undefined> {
  if (head.size < kept.size) {
    return `it has ${head.size} records, and a checkpoint of ${kept.size} was published`;
  }
  const rootAt = async (frontier: ReturnType<typeof frontierOf>) =>
    toHex(await treeRoot(frontier, sha256Now));
  const then = await rootAt(await frontierAt(db, head.chain, kept.size));
  if (then !== toHex(kept.root)) return "its records are not those of the published checkpoint";
  const now = await rootAt(await frontierAt(db, head.chain, head.size));
  return now === (await rootAt(frontierOf(head)))
    ? undefined
    : "its head is not that of its records";
}

/**
 * Compares every open log with the last checkpoint published of it. A database that is behind, put
 * back from a copy or taken over from a replica that lagged, would tell a second history.
 */
export async function heldLogs(
  db: Queries,
  published: readonly KeptCheckpoint[],
): Promise<HeldLog[]> {
  const held: HeldLog[] = [];
  for (const kept of published) {
    const head = await logByChain(db, kept.origin);
    if (head === undefined) {
      throw new StartupError(
        `A checkpoint of the log ${kept.origin} was published from here, and this database has no ` +
          `such log: use the right database, or, if it is lost, take ${kept.file} away.`,
      );
    }
    if (head.state === "closed") continue;
    const why = await differs(db, head, kept);
    if (why !== undefined) held.push({ chain: head.chain, siteKeyHash: head.siteKeyHash, why });
  }
  return held;
}
