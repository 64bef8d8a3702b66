import { docsPage } from "../docs-page.js";

/** `good`: as it should be. `missing`: not there, which may be what the owner wants, or not checked. `wrong`: to be fixed. */
export type FindingState = "good" | "missing" | "wrong";

/** One thing looked for on a site: what was found, and what to do about it. */
export interface SiteFinding {
  readonly item: string;
  readonly state: FindingState;
  readonly found: string;
  /** Absent where there is nothing to do. */
  readonly advice?: string;
}

export const INSTALL_GUIDE = docsPage("guide/install.md");
