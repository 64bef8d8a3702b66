import { DatabaseUnavailableError } from "../../infra/db/database.js";

/** The head of one log: everything needed to go on writing it. */
export interface LogHead {
  /** Origin of the log, `{host}/audit/{epoch}`. */
  readonly chain: string;
  /** The site it is of, or {@link INSTALLATION}. */
  readonly siteKeyHash: string;
  readonly host: string;
  readonly epoch: number;
  /** Counts the logs of its site, whatever domains they were for. */
  readonly ordinal: number;
  readonly state: "open" | "closed";
  /** Records in it; the next one gets this number. */
  readonly size: number;
  /** Roots of the complete subtrees, largest first, in hex. */
  readonly frontier: readonly string[];
  readonly lastHash: string;
  /** Of the last record; no later one is dated before it. */
  readonly recordedAt: number;
  /** The key that signed the last record. */
  readonly keyId: string;
  readonly openedAt: number;
}

/**
 * Takes the place of a site's key hash for the installation's own log, which records what concerns no
 * single site. A site's hash has 43 characters, so it never equals this.
 */
export const INSTALLATION = "installation";

/** The name of the installation's log, in the place of a site's domain. */
export function installationHost(baseUrl: string): string {
  return `${new URL(baseUrl).host}/installation`;
}

export function originOf(host: string, epoch: number): string {
  return `${host}/audit/${epoch}`;
}

/** The UTC day a moment lies in, as exports name it. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** The first moment of a UTC day; undefined for a day that is none. */
export function startOfDay(day: string): number | undefined {
  const ms = Date.parse(`${day}T00:00:00.000Z`);
  return Number.isNaN(ms) || dayOf(ms) !== day ? undefined : ms;
}

/** Nothing can be recorded now, so nothing may happen. */
export class AuditUnavailableError extends DatabaseUnavailableError {
  override readonly name: string = "AuditUnavailableError";
}

export function behind(size: number, published: number): string {
  return `it has ${size} records, and a checkpoint of ${published} was published`;
}

export const OTHER_HISTORY = "its records are not those of the published checkpoint";

/** A log tells another history than was published of it: nothing may be added to it. */
export class FrozenLogError extends AuditUnavailableError {
  override readonly name = "FrozenLogError";
  override readonly advice =
    "The audit log of this site is frozen, so nothing that must be recorded can happen. An operator must act: see docs/guide/audit.md.";

  constructor(chain: string, why: string) {
    super(`${chain} is frozen: ${why}`);
  }
}

/** Another process was first at the head, or has changed the key: what was signed is thrown away. */
export class HeadMovedError extends Error {
  override readonly name = "HeadMovedError";
}

/** A record with its place in the log, its hash and its signature. */
export interface StoredRecord {
  readonly chain: string;
  readonly seq: number;
  readonly type: string;
  readonly record_id: string;
  readonly recorded_at: number;
  readonly text: string;
  readonly hash: string;
  readonly sig: string;
  readonly key_id: string;
}

const HASH_HEX_CHARS = 64;

/** The hashes in a text that has them one after the other, in hexadecimal. */
export function hashesIn(text: string): string[] {
  return text.match(new RegExp(`.{${HASH_HEX_CHARS}}`, "g")) ?? [];
}
