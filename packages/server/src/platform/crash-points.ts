/**
 * Moments at which a process may die and leave something half done. Each is passed by name, so
 * that tests can end the process exactly there; the service itself does nothing at them.
 */
export const CRASH_POINTS = [
  "audit.taken",
  "audit.heads_locked",
  "audit.bodies_run",
  "audit.records_written",
  "audit.heads_moved",
  "audit.committed",
  "audit.released",
  "audit.checkpoint_signed",
  "audit.checkpoint_kept",
] as const;

type CrashPoint = (typeof CRASH_POINTS)[number];
export type PassPoint = (point: CrashPoint) => void;
