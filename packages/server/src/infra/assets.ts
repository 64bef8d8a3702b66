import { fileURLToPath } from "node:url";

/**
 * Files that are shipped with the code. This file and the bundle are two folders below the package, so the
 * path is right from src, from dist and from the bundle.
 */
const ASSETS = new URL("../../dist/assets/", import.meta.url);

/** The documentation, copied from docs. */
export const DOCS_FOLDER = fileURLToPath(new URL("docs/", ASSETS));
/** The script for a site's pages, built from packages/embed. */
export const EMBED_FILE = new URL("embed.js", ASSETS);
/** The console, built from packages/console. */
export const CONSOLE_FOLDER = fileURLToPath(new URL("console/", ASSETS));
/** The script with which an HTML export verifies itself, built from the browser folder. */
export const AUDIT_PAGE_FILE = new URL("audit-page.js", ASSETS);
