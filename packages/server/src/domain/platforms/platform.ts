import type { PlatformConnection } from "./connection.js";

/** `seen`: it has called, and the owner has not decided about it. */
export const PLATFORM_STATUSES = ["seen", "admitted", "suspended"] as const;
export type PlatformStatus = (typeof PLATFORM_STATUSES)[number];

/** The decisions that an owner can make about a platform. */
export const LISTED_STATUSES = ["admitted", "suspended"] as const;
export type ListedStatus = (typeof LISTED_STATUSES)[number];

export const PLATFORM_NAME_CHARS_MAX = 80;
export const PLATFORM_NOTE_CHARS_MAX = 500;

/** A platform in a site's list: one the owner named, or one that has called. Times are milliseconds. */
export interface Platform {
  readonly siteKeyHash: string;
  /** Its identity: a registrable domain, or one host of it that the owner named. */
  readonly identity: string;
  /** The registrable domain of its identity. */
  readonly domain: string;
  readonly status: PlatformStatus;
  /** The name that the owner gave it. */
  readonly name: string | null;
  readonly note: string | null;
  /** The profile it named last, for people; null if it has not called. */
  readonly profileUrl: string | null;
  /** When it first proved who it is; null if it never did. */
  readonly firstSeenAt: number | null;
  readonly lastSeenAt: number | null;
  readonly createdAt: number;
  readonly changedBy: string | null;
  readonly changedAt: number | null;
  /** The formats that it wants, and where it is notified of its orders. */
  readonly connection: PlatformConnection;
}
