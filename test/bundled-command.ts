import { readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** The built command as one program, with all it needs but what is native. */
    gatehouseCommand: string;
    /** The same of the service that tests can tell where to die. */
    crashNode: string;
  }
}

/** As far from the server's assets as its own bundle is. */
const folder = fileURLToPath(new URL("../packages/server/dist/test/", import.meta.url));
/** Of this run alone: another one may build meanwhile. */
const name = `gatehouse-${process.pid}`;
export const bundledCommand = `${folder}${name}.js`;

/** What bundled CommonJS asks for, in a module. */
const REQUIRE =
  'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

/**
 * Bundles the command and the service before the tests, which start them some hundred times: finding
 * the modules of their dependencies takes longer than all else of a start. As it is installed, the
 * command is started by the tests of guides, demo and drill, and by those of the packages.
 */
export default async function setup(project: TestProject): Promise<() => void> {
  const crashNode = `${name}-crash-node`;
  await build({
    entryPoints: {
      [name]: fileURLToPath(new URL("../packages/cli/dist/main.js", import.meta.url)),
      [crashNode]: fileURLToPath(
        new URL("../packages/server/test/audit/crash-node.mjs", import.meta.url),
      ),
    },
    outdir: folder,
    chunkNames: `${name}-[hash]`,
    splitting: true,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: ["@photostructure/sqlite", "pg-native", "@gatehouse/demo"],
    banner: { js: REQUIRE },
    minify: true,
    legalComments: "none",
  });
  project.provide("gatehouseCommand", bundledCommand);
  project.provide("crashNode", `${folder}${crashNode}.js`);
  return () => {
    const files = readdirSync(folder).filter((file) => file.startsWith(name));
    for (const file of files) rmSync(folder + file);
  };
}
