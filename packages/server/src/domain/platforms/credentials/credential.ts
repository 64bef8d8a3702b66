import { DAY_MS, HOUR_MS } from "../../../infra/time.js";

/** An API key is sent with every call. An OAuth client exchanges its secret for tokens that live an hour. */
export const CREDENTIAL_KINDS = ["api_key", "oauth_client"] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

/** A credential of an admitted platform as it is stored. Its secret is not stored. Times are milliseconds. */
export interface PlatformCredential {
  /** Names it. For an OAuth client it is the client id. */
  readonly credentialId: string;
  readonly siteKeyHash: string;
  /** The identity of its platform in the owner's list. */
  readonly platform: string;
  readonly kind: CredentialKind;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** To the hour; null if it was never used. */
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
}

/** The prefixes say to people, and to programs that look for leaked secrets, what they have found. */
export const SECRET_PREFIXES: Readonly<Record<CredentialKind, string>> = {
  api_key: "ghk_",
  oauth_client: "ghs_",
};
export const CREDENTIAL_ID_PREFIXES: Readonly<Record<CredentialKind, string>> = {
  api_key: "key",
  oauth_client: "client",
};
export const SECRET_BYTES = 32;
/** Longer texts are not looked up. */
export const SECRET_CHARS_MAX = 200;

/** Live credentials of one kind for each platform: the one in use, and the one that replaces it. */
export const LIVE_CREDENTIALS_MAX = 2;
export const CREDENTIAL_DAYS = 365;
export const CREDENTIAL_DAYS_MAX = 730;
/** The precision of `lastUsedAt`, so that not every call writes. */
export const USED_EVERY_MS = HOUR_MS;
/** How long a credential is listed after it was revoked or has expired. */
export const ENDED_CREDENTIAL_KEPT_MS = 90 * DAY_MS;

/** Whether a credential proves something now. Its platform must be admitted too. */
export function isLive(
  { revokedAt, expiresAt }: Pick<PlatformCredential, "revokedAt" | "expiresAt">,
  now: number,
): boolean {
  return revokedAt === null && now < expiresAt;
}
