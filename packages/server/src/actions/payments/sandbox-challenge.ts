import type { Database } from "../../infra/db/database.js";
import { endChallenge, type SandboxRow, sandboxByReference } from "../../payments/sandbox/store.js";

export type { SandboxRow };

/** A payment of the embedded provider that its buyer was, or is, asked about. */
export async function sandboxChallenge(
  db: Database,
  reference: string,
): Promise<SandboxRow | undefined> {
  const row = await sandboxByReference(db, reference);
  return row?.returnUrl ? row : undefined;
}

/** The buyer's word, in the provider's own books. What comes of it is found out by asking. */
export async function answerChallenge(
  db: Database,
  reference: string,
  confirmed: boolean,
): Promise<void> {
  await db.transaction((tx) => endChallenge(tx, reference, confirmed));
}
