import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { consoleTypes, TYPES_FILE } from "../packages/console/scripts/types.mjs";

const root = fileURLToPath(new URL("../packages/console/", import.meta.url));

/** The console, for the service to serve; its types first, from the interface of this very build. */
export async function bundleConsole(outDir) {
  mkdirSync(dirname(TYPES_FILE), { recursive: true });
  writeFileSync(TYPES_FILE, await consoleTypes());
  await build({ root, logLevel: "warn", build: { outDir, emptyOutDir: true } });
}
