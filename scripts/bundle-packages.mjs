import { readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What Node runs, of each package: hundreds of modules take Node longer to find than to run. */
const BUNDLES = [
  { name: "protocol", entries: ["index"] },
  { name: "server", entries: ["index", "installation"] },
  { name: "cli", entries: ["main"] },
];

/**
 * Puts each package's modules into one file; whatever comes from elsewhere stays there. Bundlers of
 * pages and workers are given the modules: they leave out what is not used.
 */
export async function bundlePackages() {
  for (const { name, entries } of BUNDLES) {
    const folder = `packages/${name}/dist`;
    const outdir = `${folder}/bundle`;
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: entries.map((entry) => `${folder}/${entry}.js`),
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
