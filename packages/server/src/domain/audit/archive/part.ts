import type { Advice } from "../../../infra/db/database.js";
import { AuditUnavailableError } from "../log.js";

/**
 * One archived part of a day: where its records are, and what is known about them without reading
 * the file.
 */
export interface ArchivePart {
  readonly chain: string;
  readonly firstSeq: number;
  readonly count: number;
  readonly day: string;
  readonly part: number;
  readonly parts: number;
  /** Path inside the archive folder. */
  readonly file: string;
  readonly bytes: number;
  /** Of the whole file, in hexadecimal. */
  readonly sha256: string;
  /** The tree after its last record: roots of the complete subtrees, largest first, in hexadecimal. */
  readonly frontier: readonly string[];
  /** The number of records of each type. */
  readonly types: Readonly<Record<string, number>>;
  /** The process that archived it, as records name it. */
  readonly node: string;
  readonly archivedAt: number;
}

export function endOf({ firstSeq, count }: Pick<ArchivePart, "firstSeq" | "count">): number {
  return firstSeq + count;
}

/** Subtrees of at least 2^8 leaves stay in the database. Smaller ones are computed from their file. */
export const KEPT_LEVEL_MIN = 8;

/** A day cannot be archived and stays in the database; the message says why. */
export class NotArchivedError extends Error {
  override readonly name = "NotArchivedError";
}

/** The file of an archived record cannot be used. The record is never treated as absent. */
export class ArchiveUnavailableError extends AuditUnavailableError {
  override readonly name = "ArchiveUnavailableError";
  override readonly advice: Advice;

  constructor({ chain, day, file }: ArchivePart, why: string, options?: ErrorOptions) {
    super(`${file}, with records of ${chain} on ${day}, ${why}`, options);
    this.advice = {
      fault: `The records of ${day} are archived, but their archive file ${why}.`,
      remedy: "An operator must put the file back: `gatehouse doctor` names it.",
      page: "operations/archive.md#a-file-that-is-missing-or-damaged",
    };
  }
}

/** An archived day of a log, all parts together. */
export interface ArchivedDay {
  readonly chain: string;
  readonly day: string;
  readonly firstSeq: number;
  readonly count: number;
  readonly parts: number;
  readonly bytes: number;
  readonly archivedAt: number;
}
