import { z } from "zod";
import { countSuspendedBy } from "../domain/agents/store.js";
import { countPlatformsSuspendedBy } from "../domain/platforms/store.js";
import type { Database, Queries } from "../infra/db/database.js";
import { readFact, writeFact } from "../infra/installation/installation.js";
import type { Finding } from "./finding.js";
import { RESTORE_ACTOR } from "./suspend-restored.js";

const Doubt = z.enum(["unverified", "no_newer_list"]);
const Restored = z.object({
  at: z.int(),
  backupAt: z.iso.datetime(),
  doubt: Doubt.optional(),
});

/** Why a restore did not trust the tokens, agents and platforms of the backup. */
export type Doubt = z.infer<typeof Doubt>;

/** What an installation has stored about the restore it came from. */
type Restored = z.infer<typeof Restored>;

/** Runs in the transaction that writes the rows. Replaces the note of an earlier restore in the backup. */
export async function noteRestore(
  tx: Queries,
  restored: Omit<Restored, "doubt"> & { readonly doubt: Doubt | undefined },
): Promise<void> {
  await writeFact(tx, "restored", JSON.stringify(restored));
}

/** The restore that this installation came from; undefined if there was none. */
export async function readRestored(db: Queries): Promise<Restored | undefined> {
  const text = await readFact(db, "restored");
  return text === undefined ? undefined : Restored.parse(JSON.parse(text));
}

const BECAUSE: Readonly<Record<Doubt, string>> = {
  unverified: "it was not verified",
  no_newer_list: "there was no newer list of revocations, so later revocations are unknown",
};

/** What has to be confirmed after a restore; nothing if the installation was never restored. */
export async function checkRestored(db: Database): Promise<Finding[]> {
  const restored = await readRestored(db);
  if (restored === undefined) return [];
  const { backupAt, doubt } = restored;
  const part = "restore";
  const from = `restored from the backup of ${backupAt}`;
  if (doubt === undefined) return [{ part, verdict: "good", message: `${from}, and verified` }];
  const agents = await countSuspendedBy(db, RESTORE_ACTOR);
  const platforms = await countPlatformsSuspendedBy(db, RESTORE_ACTOR);
  const why = `${from}; ${BECAUSE[doubt]}. All its tokens and passkeys are revoked`;
  if (agents + platforms === 0) {
    return [{ part, verdict: "good", message: `${why}, and nothing is left to confirm` }];
  }
  const message =
    `${why}. Suspended until you confirm them: agents ${agents}, platforms ${platforms}. ` +
    "Check each of them, then run `gatehouse agent approve <site> <agent_id>` or " +
    "`gatehouse platform admit <site> <domain>`. Create new tokens with `gatehouse token create`, and links for people with `gatehouse person link`";
  return [{ part, verdict: "warning", message }];
}
