import { fileURLToPath } from "node:url";

/**
 * What comes with this build beside its code. Two folders below the package, as the bundle is, this
 * file finds it from src, from dist and from the bundle alike.
 */
const ASSETS = new URL("../../dist/assets/", import.meta.url);

/** The documentation; copied from docs and what that links to. */
export const DOCS_FOLDER = fileURLToPath(new URL("docs/", ASSETS));
/** What a site's pages load; made from packages/embed. */
export const EMBED_FILE = new URL("embed.js", ASSETS);
/** The console; made from packages/console. */
export const CONSOLE_FOLDER = fileURLToPath(new URL("console/", ASSETS));
/** What an HTML export checks itself with; made from the browser folder. */
export const AUDIT_PAGE_FILE = new URL("audit-page.js", ASSETS);
