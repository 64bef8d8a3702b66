/**
 * Points at which a crash leaves something half done. Each has a name, so that tests can kill the process
 * exactly there; the service itself does nothing at them.
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

/** A payment of a site with a shop system: the goods are reserved there, and the provider was not asked yet. */
export const RESERVED_POINT = "decide.reserved";

/** A payment: the intent is written, the provider has answered, the outcome is written, it is voided. */
export const PURCHASE_POINTS = [
  "decide.intended",
  "decide.asked",
  "decide.ended",
  "decide.released",
] as const;

/** A capture or refund: the request is written, the provider has answered, the outcome is written. */
export const CHANGE_POINTS = ["change.intended", "change.asked", "change.ended"] as const;

/** A checkout: its payment has ended, and the platform has no answer yet. */
export const CHECKOUT_POINT = "ucp.settled";

/** A message: the receiver has it; that is written. */
export const OUTBOX_POINTS = ["outbox.sent", "outbox.delivered"] as const;

/** Counted refusals: a minute's counts are about to be written; they are in the log. */
export const REJECTION_POINTS = ["rejections.sealed", "rejections.written"] as const;

/** Erasing: the request is stored; a batch of a request is erased; a batch of old orders is. */
const BUYER_POINTS = ["buyers.requested", "buyers.erased", "buyers.expired"] as const;

type CrashPointName =
  | (typeof BUYER_POINTS)[number]
  | (typeof ARCHIVE_POINTS)[number]
  | (typeof REJECTION_POINTS)[number]
  | (typeof OUTBOX_POINTS)[number]
  | (typeof AUDIT_POINTS)[number]
  | (typeof PURCHASE_POINTS)[number]
  | typeof RESERVED_POINT
  | (typeof CHANGE_POINTS)[number]
  | typeof CHECKOUT_POINT;
export type CrashPoint = (point: CrashPointName) => void;
