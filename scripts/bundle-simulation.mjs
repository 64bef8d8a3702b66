import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));

/** What bundled CommonJS asks for, in a module. */
const REQUIRE =
  'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

/** Puts a mistake in the place of a text of a source file, in the bundle alone. */
function planting({ file, right, wrong }) {
  const target = path(`packages/server/src/${file}`);
  const plant = () => {
    const text = readFileSync(target, "utf8");
    if (!text.includes(right)) throw new Error(`${file} does not contain: ${right}`);
    return { contents: text.replace(right, () => wrong), loader: "ts" };
  };
  return {
    name: "plant",
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.ts$/ }, (loaded) => (loaded.path === target ? plant() : undefined)),
  };
}

let bundles = 0;

/** Bundles the simulation and the source of the service into one program, and returns its path. */
export async function bundleSimulation(bug) {
  // As far from the server's assets as its own bundle is. Another run may bundle meanwhile.
  const outfile = path(`packages/server/dist/test/simulation-${process.pid}-${++bundles}.js`);
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
    plugins: bug === undefined ? [] : [planting(bug)],
    legalComments: "none",
  });
  return outfile;
}
