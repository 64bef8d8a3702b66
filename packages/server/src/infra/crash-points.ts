/**
 * Moments at which a process may die and leave something half done. Each is passed by name, so
 * that tests can end the process exactly there; the service itself does nothing at them.
 */
export const AUDIT_POINTS = [
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

/** Archiving a day: a file is written, all are verified, the day is archived, rows are deleted. */
export const ARCHIVE_POINTS = [
  "archive.file_written",
  "archive.verified",
  "archive.committed",
  "archive.rows_deleted",
] as const;

/** Those of a payment: wanted, answered, written down, given up. */
export const PURCHASE_POINTS = [
  "decide.intended",
  "decide.asked",
  "decide.ended",
  "decide.released",
] as const;

/** That of a checkout: its payment has ended, and its platform was not answered yet. */
export const CHECKOUT_POINT = "ucp.settled";

/** Those of a message: a receiver has it, and that is written down. */
export const OUTBOX_POINTS = ["outbox.sent", "outbox.delivered"] as const;

/** Counted refusals: a minute's counts are about to be written; they are in the log. */
export const REJECTION_POINTS = ["rejections.sealed", "rejections.written"] as const;

type CrashPointName =
  | (typeof ARCHIVE_POINTS)[number]
  | (typeof REJECTION_POINTS)[number]
  | (typeof OUTBOX_POINTS)[number]
  | (typeof AUDIT_POINTS)[number]
  | (typeof PURCHASE_POINTS)[number]
  | typeof CHECKOUT_POINT;
export type CrashPoint = (point: CrashPointName) => void;
