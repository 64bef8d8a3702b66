import type { Context } from "../../context.js";
import { AuditUnavailableError } from "../../domain/audit/log.js";
import type { Clock } from "../../infra/clock.js";
import { DatabaseUnavailableError } from "../../infra/db/database.js";
import { isOutOfRoom } from "../../infra/installation/installation.js";

/** The parts that every decision needs. */
export type ReadinessPart = "database" | "disk" | "keys" | "clock" | "audit";

/** A part that does not answer within this time is not ready. */
const PART_MS_MAX = 3000;

function inTime(clock: Clock, check: Promise<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(PART_MS_MAX, () => reject(new Error("no answer in time")));
    check.then(resolve, reject).finally(cancel);
  });
}

/** The part that failed. If the database fails while keys are read, the database is at fault. */
function failedPart(checked: ReadinessPart, error: unknown): ReadinessPart {
  if (error instanceof AuditUnavailableError) return "audit";
  if (!(error instanceof DatabaseUnavailableError)) return checked;
  return isOutOfRoom(error) ? "disk" : "database";
}

async function failing(
  { clock, log }: Context,
  checked: ReadinessPart,
  check: () => Promise<unknown>,
): Promise<ReadinessPart | undefined> {
  try {
    await inTime(clock, check());
    return undefined;
  } catch (error) {
    const part = failedPart(checked, error);
    log.warn({ part, error }, "ready.failing");
    return part;
  }
}

/**
 * The parts whose failure keeps this node from deciding anything. The reasons are in the log, not in the
 * answer. The other parts need the database, so if the database fails it is the only one.
 */
export async function failingParts(context: Context): Promise<ReadinessPart[]> {
  const { db, keys, clockGuard, audit } = context;
  const store = await failing(context, "database", () => audit.checkWriting());
  if (store !== undefined) return [store];
  const parts = await Promise.all([
    failing(context, "keys", () => keys.check()),
    failing(context, "clock", () => clockGuard.check(db)),
    failing(context, "audit", () => audit.checkLogs()),
  ]);
  return [...new Set(parts.filter((part) => part !== undefined))];
}
