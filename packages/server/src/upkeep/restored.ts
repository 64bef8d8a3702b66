import { z } from "zod";
import { countSuspendedBy } from "../owners/agents/store.js";
import type { Database, Queries } from "../platform/db/database.js";
import { readFact, writeFact } from "../platform/installation/installation.js";
import type { Finding } from "./finding.js";
import { RESTORE_ACTOR } from "./suspend-restored.js";

const Restored = z.object({
  at: z.int(),
  backupAt: z.iso.datetime(),
  proof: z.enum(["verified", "unverified"]),
});

/** What an installation remembers of the restore it came from. */
type Restored = z.infer<typeof Restored>;

/** In the transaction that writes the rows. It goes over what an earlier restore left in the backup. */
export async function noteRestore(tx: Queries, restored: Restored): Promise<void> {
  await writeFact(tx, "restored", JSON.stringify(restored));
}

/** What a restore left to be confirmed; nothing for an installation that was never restored. */
export async function checkRestored(db: Database): Promise<Finding[]> {
  const text = await readFact(db, "restored");
  if (text === undefined) return [];
  const { backupAt, proof } = Restored.parse(JSON.parse(text));
  const part = "restore";
  const from = `restored from the backup of ${backupAt}`;
  const waiting = await countSuspendedBy(db, RESTORE_ACTOR);
  if (waiting === 0) return [{ part, verdict: "good", says: `${from}, nothing left to confirm` }];
  const why = proof === "verified" ? "" : ", which nothing verified";
  const says =
    `${from}${why}: ${waiting} ${waiting === 1 ? "agent is" : "agents are"} suspended, and every ` +
    "token of then is void. Look at each agent, then run `gatehouse agent approve <site> <agent_id>`; make new tokens with " +
    "`gatehouse token create`";
  return [{ part, verdict: "warning", says }];
}
