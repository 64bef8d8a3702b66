import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));

/** What bundled CommonJS asks for, in a module. */
const REQUIRE =
  'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

/** Bundles the simulation and the source of the service into one program, and returns its path. */
export async function bundleSimulation() {
  // As far from the server's assets as its own bundle is. Another run may bundle meanwhile.
  const outfile = path(`packages/server/dist/test/simulation-${process.pid}.js`);
  await build({
    entryPoints: [path("packages/server/simulation/simulate.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["gatehouse-source"],
    external: ["@photostructure/sqlite", "pg-native", "@gatehouse/demo"],
    banner: { js: REQUIRE },
    legalComments: "none",
  });
  return outfile;
}
