import type { Clock } from "./infra/clock.js";
import type { Log } from "./infra/log/log.js";

/** How long a failed process may take to finish the requests under way. */
const STOP_MS_MAX = 15_000;

const FAILED = 1;

interface FailureTools {
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Ends the process when an error or a rejection reaches nobody: its state cannot be trusted any more, so
 * it logs, finishes the requests under way, and exits with 1. Call the result when the process stops by
 * itself.
 */
export function exitOnFailure({ clock, log }: FailureTools, stop: () => Promise<void>): () => void {
  let isStopping = false;
  const fail = (error: unknown) => {
    log.error({ error }, "process.failed");
    // A second failure, or a stop that does not end, must not keep a broken process alive.
    if (isStopping) process.exit(FAILED);
    isStopping = true;
    clock.after(STOP_MS_MAX, () => process.exit(FAILED));
    stop().then(
      () => process.exit(FAILED),
      () => process.exit(FAILED),
    );
  };
  process.on("uncaughtException", fail);
  process.on("unhandledRejection", fail);
  return () => {
    process.off("uncaughtException", fail);
    process.off("unhandledRejection", fail);
  };
}
