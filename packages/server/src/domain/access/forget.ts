import type { Transaction } from "../../infra/db/database.js";
import { deleteExpiredLinks } from "./links/store.js";
import { deleteSpentChallenges } from "./passkeys/store.js";
import { deleteExpiredSessions } from "./sessions/store.js";

/** Deletes sessions, links and answered challenges that have expired. */
export async function forgetExpiredAccess(tx: Transaction, now: number): Promise<void> {
  await deleteExpiredSessions(tx, now);
  await deleteExpiredLinks(tx, now);
  await deleteSpentChallenges(tx, now);
}
