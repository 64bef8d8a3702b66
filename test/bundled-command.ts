import { readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build } from "esbuild";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** The built command as one program, with all it needs but what is native. */
    gatehouseCommand: string;
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

/** How a program becomes one file, with all it needs but what is native. */
export const AS_ONE_FILE = {
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  external: ["@photostructure/sqlite", "pg-native", "@gatehouse/demo"],
  banner: { js: REQUIRE },
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none",
} satisfies BuildOptions;

/**
 * Bundles the command before the tests, which start it some hundred times: finding the modules of its
 * dependencies takes longer than all else of a start. As it is installed, it is started by the tests of
 * guides, demo and drill, and by those of the packages.
 */
export default async function setup(project: TestProject): Promise<() => void> {
  await build({
    entryPoints: {
      [name]: fileURLToPath(new URL("../packages/cli/dist/main.js", import.meta.url)),
    },
    outdir: folder,
    chunkNames: `${name}-[hash]`,
    splitting: true,
    ...AS_ONE_FILE,
  });
  project.provide("gatehouseCommand", bundledCommand);
  return () => {
    const files = readdirSync(folder).filter((file) => file.startsWith(name));
    for (const file of files) rmSync(folder + file);
  };
}
