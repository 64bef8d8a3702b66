import type { PaymentHandler, PublishedFeed, SkillSetting, UcpVersion } from "@gatehouse/protocol";
import { DAY_MS } from "../../infra/time.js";

type SiteStatus = "pending" | "verified";
export const VERIFICATION_METHODS = ["dns", "file", "meta", "operator"] as const;
export type VerificationMethod = (typeof VERIFICATION_METHODS)[number];

/** Who can see the checkpoints of a site's log: anybody at once, anybody once an hour, only its owner. */
export const AUDIT_PUBLIC = ["full", "hourly", "owner"] as const;
export type AuditPublic = (typeof AUDIT_PUBLIC)[number];

export const PROVIDER_KINDS: readonly PaymentHandler[] = ["sandbox", "stripe"];

/** The owner's settings for the payment provider. */
export interface ProviderSettings {
  readonly kind: PaymentHandler;
  /** Whether agents can pay through the provider. */
  readonly railOn: boolean;
  /** Whether the owner confirmed that the provider pays out to them. */
  readonly settles: boolean;
  /** Whether real money moves. */
  readonly live: boolean;
  readonly walletMerchantId: string | null;
  /** The publishable key of the account; null if the owner gave none. */
  readonly publishableKey: string | null;
}

/** The condition of everything that a site sells. */
export const CONDITIONS = ["new", "refurbished", "used"] as const;

/** The product feeds that a site publishes. */
export interface PublishedFeeds {
  /** Empty until the owner switches one on. */
  readonly formats: readonly PublishedFeed[];
  readonly condition: (typeof CONDITIONS)[number];
}

export const NO_FEEDS: PublishedFeeds = Object.freeze({ formats: [], condition: "new" });

/** A website of an owner. Times are milliseconds. */
export interface Site {
  readonly siteKey: string;
  /** Names the site in URLs, tables and tokens. */
  readonly siteKeyHash: string;
  readonly domain: string;
  readonly name: string;
  readonly description: string;
  /** The digest of the picture of the shop; null if it has none. */
  readonly picture: string | null;
  /** In the owner's order. */
  readonly skills: readonly SkillSetting[];
  readonly auditPublic: AuditPublic;
  /** The payment provider; null if none is connected. Holds no secret. */
  readonly provider: ProviderSettings | null;
  readonly policyPublished: boolean;
  /** The version of UCP of the profile at the root of its domain; the other versions have their own. */
  readonly ucpVersion: UcpVersion;
  readonly publishedFeeds: PublishedFeeds;
  /** The minute of the UTC hour at which hours begin in the time zone of the shop: 0 in most zones. */
  readonly hourStartMinute: number;
  /** Since when the owner has paused sales; null while they are not paused. */
  readonly pausedAt: number | null;
  readonly status: SiteStatus;
  /** Counts every change; caches and signed documents are keyed by it. */
  readonly version: number;
  readonly verification: {
    readonly token: string;
    readonly method: VerificationMethod | null;
    /** Why an operator vouched for the domain. */
    readonly reason: string | null;
    readonly verifiedAt: number | null;
    readonly checkedAt: number | null;
    readonly failedDays: number;
    /** What the last check found wrong, as a sentence for the owner. */
    readonly problem: string | null;
  };
  readonly createdAt: number;
  readonly changedAt: number;
}

export const SITE_TOPIC = "sites";
export const SITE_NAME_CHARS_MAX = 120;
export const SITE_DESCRIPTION_CHARS_MAX = 500;
/** A site whose proof is missing this many days in a row goes back to pending. */
export const FAILED_DAYS_MAX = 3;
const RECHECK_EVERY_MS = DAY_MS;

/** A time within a day that depends on the token alone. */
function timeOfDay(token: string): number {
  let time = 0;
  for (const character of token) time = (time * 31 + character.charCodeAt(0)) % DAY_MS;
  return time;
}

/**
 * When the proof is checked next: a day after the last check. The first check is earlier, at a time of the
 * site's own, so that sites which were verified together are checked at different times of the day.
 */
export function checkDueAt(proof: Site["verification"]): number | null {
  const { token, verifiedAt, checkedAt } = proof;
  if (checkedAt === null) return null;
  const isFirst = checkedAt === verifiedAt;
  return checkedAt + (isFirst ? timeOfDay(token) : RECHECK_EVERY_MS);
}

/** Random bytes of the token an owner publishes. */
export const PROOF_TOKEN_BYTES = 24;

/** The verification of a new site: nothing is proven, and the token is what its owner has to publish. */
export function unproven(token: string): Site["verification"] {
  return Object.freeze({
    token,
    method: null,
    reason: null,
    verifiedAt: null,
    checkedAt: null,
    failedDays: 0,
    problem: null,
  });
}
