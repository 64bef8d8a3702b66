import type { Context } from "../../context.js";
import type { Database } from "../../infra/db/database.js";
import { endChallenge, type SandboxRow, sandboxByReference } from "../../payments/sandbox/store.js";

export type { SandboxRow };

/** A payment of the sandbox that its buyer confirms; undefined if it needs no confirmation. */
export async function sandboxChallenge(
  db: Database,
  reference: string,
): Promise<SandboxRow | undefined> {
  const row = await sandboxByReference(db, reference);
  return row?.returnUrl ? row : undefined;
}

/** Whether the page of a payment takes it now. */
export const isPayable = ({ status, closesAt }: SandboxRow, now: number): boolean =>
  status === "challenged" && closesAt !== null && now < closesAt;

/** Writes the buyer's answer at the sandbox. The payment is settled when it is synced. */
export async function answerChallenge(
  { clock, db }: Pick<Context, "clock" | "db">,
  reference: string,
  confirmed: boolean,
): Promise<void> {
  const now = clock.now();
  await db.transaction((tx) => endChallenge(tx, reference, { confirmed, now }));
}
