import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { consoleTypes, TYPES_FILE } from "../packages/console/scripts/types.mjs";

const repository = fileURLToPath(new URL("..", import.meta.url));
const root = fileURLToPath(new URL("../packages/console/", import.meta.url));

/**
 * Vite goes by NODE_ENV, and tests set it to something else: React would then be built for development, with the
 * paths of this machine in it. Afterwards it is as before: npm, for one, installs less in production.
 */
async function buildForProduction(options) {
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = "production";
  try {
    return await build({ root, logLevel: "warn", ...options });
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
}

/** The console, for the service to serve; its types first, from the interface of this very build. */
export async function bundleConsole(outDir) {
  mkdirSync(dirname(TYPES_FILE), { recursive: true });
  writeFileSync(TYPES_FILE, await consoleTypes());
  await buildForProduction({ build: { outDir, emptyOutDir: true } });
}

/**
 * The files of other packages whose code is in the console. What a page imports but does not use is left
 * out of it. Modules that the bundler itself adds have no file.
 */
export async function consoleFiles() {
  const files = new Set();
  const collect = {
    name: "collect-files",
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((part) => Object.entries(part.modules ?? {}));
      for (const [id, { renderedLength }] of modules) {
        if (renderedLength > 0 && isAbsolute(id)) files.add(relative(repository, id));
      }
    },
  };
  await buildForProduction({ plugins: [collect], build: { write: false } });
  // Style sheets are no modules. Tailwind's is the base of ours.
  return [...files, "node_modules/tailwindcss/index.css"];
}
