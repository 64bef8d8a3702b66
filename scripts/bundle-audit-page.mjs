import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

/** How the script of an HTML export is built. */
export const auditPageBuild = {
  absWorkingDir: root,
  entryPoints: ["packages/server/browser/audit-page.ts"],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  conditions: ["gatehouse-source"],
  // What the repository's own settings say is about Node.
  tsconfigRaw: {},
  charset: "ascii",
  legalComments: "none",
  write: false,
};

/**
 * The script of an HTML export as one text, from source alone: the same source gives the same
 * bytes, and nothing in it ends the element it stands in.
 */
export async function bundleAuditPage() {
  const result = await build(auditPageBuild);
  return result.outputFiles[0].text.replace(/<(?=\/script|script|!--)/gi, "\\x3c");
}
