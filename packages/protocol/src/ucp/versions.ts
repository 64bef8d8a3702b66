/**
 * The versions of UCP that are spoken here, the newest first. Answers are made in the newest, and rendered
 * in the version that the caller's profile names.
 */
export const UCP_VERSIONS = ["2026-08-25", "2026-04-08"] as const;

export type UcpVersion = (typeof UCP_VERSIONS)[number];

/** The newest version. */
export const UCP_VERSION: UcpVersion = UCP_VERSIONS[0];

export const isUcpVersion = (value: unknown): value is UcpVersion =>
  (UCP_VERSIONS as readonly unknown[]).includes(value);
