export const FINDING_STATES = ["good", "missing", "wrong"] as const;

/** One thing looked for on a site: what was found, and what to do about it. */
export interface InstallFinding {
  readonly item: string;
  /** As it should be; not there, which may be what the owner wants; or to be mended. */
  readonly state: (typeof FINDING_STATES)[number];
  readonly found: string;
  /** Absent where there is nothing to do. */
  readonly advice?: string;
}
