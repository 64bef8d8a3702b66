import { readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What Node runs, of each package: hundreds of modules take Node longer to find than to run. */
const BUNDLES = [
  { from: "packages/protocol/dist", entries: ["index"], to: "packages/protocol/dist/bundle" },
  {
    from: "packages/server/dist",
    to: "packages/server/dist/bundle",
    entries: ["index", "installation", "connector"],
  },
  { from: "packages/cli/dist", entries: ["main"], to: "packages/cli/dist/bundle" },
  // Its agents are the examples: the package holds them too.
  {
    from: "packages/demo/src",
    to: "packages/demo/dist",
    entries: ["demo", "shop-app", "ucp-buyer"],
  },
];

/**
 * Puts each package's modules into one file; whatever comes from elsewhere stays there. Bundlers of
 * pages and workers are given the modules: they leave out what is not used.
 */
export async function bundlePackages() {
  for (const { from, entries, to: outdir } of BUNDLES) {
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: entries.map((entry) => `${from}/${entry}.js`),
      outdir,
      bundle: true,
      splitting: true,
      packages: "external",
      platform: "node",
      format: "esm",
      target: "node20",
      sourcemap: true,
      legalComments: "none",
      metafile: true,
    });
    // Shared pieces are named by what is in them: those of an older build would stay for ever.
    const old = readdirSync(root + outdir).filter(
      (file) => !(`${outdir}/${file}` in metafile.outputs),
    );
    for (const file of old) rmSync(`${root}${outdir}/${file}`);
  }
}
