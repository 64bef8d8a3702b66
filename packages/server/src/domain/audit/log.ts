import { type Advice, DatabaseUnavailableError } from "../../infra/db/database.js";

/** The head of one log: everything that is needed to continue it. */
export interface LogHead {
  /** The origin of the log, `{host}/audit/{epoch}`. */
  readonly chain: string;
  /** The site of the log, or {@link INSTALLATION}. */
  readonly siteKeyHash: string;
  readonly host: string;
  readonly epoch: number;
  /** The position among the logs of its site, over all domains. */
  readonly ordinal: number;
  readonly state: "open" | "closed";
  /** The number of records, which is also the position of the next one. */
  readonly size: number;
  /** Roots of the complete subtrees, largest first, in hexadecimal. */
  readonly frontier: readonly string[];
  readonly lastHash: string;
  /** The time of the last record. No later record has an earlier time. */
  readonly recordedAt: number;
  /** The key that signed the last record. */
  readonly keyId: string;
  readonly openedAt: number;
}

/**
 * Stands for a site's key hash in the installation's own log, which records what concerns no single
 * site. A site's hash has 43 characters, so it never equals this.
 */
export const INSTALLATION = "installation";

/** The name of the installation's log, used like a site's domain. */
export function installationHost(baseUrl: string): string {
  return `${new URL(baseUrl).host}/installation`;
}

export function originOf(host: string, epoch: number): string {
  return `${host}/audit/${epoch}`;
}

/** The UTC day of a time, as exports name it. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** The start of a UTC day; undefined for an invalid day. */
export function startOfDay(day: string): number | undefined {
  const ms = Date.parse(`${day}T00:00:00.000Z`);
  return Number.isNaN(ms) || dayOf(ms) !== day ? undefined : ms;
}

/** Nothing can be recorded now, so nothing may happen. */
export class AuditUnavailableError extends DatabaseUnavailableError {
  override readonly name: string = "AuditUnavailableError";
}

export function behind(size: number, published: number): string {
  return `it has ${size} records, but a checkpoint of ${published} records was published`;
}

export const OTHER_HISTORY = "its records differ from the published checkpoint";

/** The page about frozen logs, below `/docs/`. */
export const FROZEN_PAGE = "guide/audit.md#epochs-and-a-frozen-log";

/** What ends a freeze, as the rest of a sentence. */
export function frozenRemedy(chain: string): string {
  const [host = "", installation] = chain.split("/");
  const log = installation === INSTALLATION ? INSTALLATION : host;
  return `put a newer copy of the database back, or run: gatehouse audit renew ${log} --reason "…"`;
}

/** The history of a log differs from what was published. Nothing may be added to it. */
export class FrozenLogError extends AuditUnavailableError {
  override readonly name = "FrozenLogError";
  override readonly advice: Advice;

  constructor(chain: string, why: string) {
    super(`${chain} is frozen: ${why}`);
    this.advice = {
      fault: "The audit log of this site is frozen, so nothing can be decided or changed.",
      remedy: `An operator must ${frozenRemedy(chain)}`,
      page: FROZEN_PAGE,
    };
  }
}

/** Another process moved the head first, or changed the key. What was signed is discarded. */
export class HeadMovedError extends Error {
  override readonly name = "HeadMovedError";
}

/** A record with its position, hash and signature. */
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

/** The hashes in a text that contains them one after the other, in hexadecimal. */
export function hashesIn(text: string): string[] {
  return text.match(new RegExp(`.{${HASH_HEX_CHARS}}`, "g")) ?? [];
}
