import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

/** How the script of the script tag is built. */
export const embedBuild = {
  absWorkingDir: root,
  entryPoints: ["packages/embed/src/embed.ts"],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2020",
  tsconfigRaw: {},
  charset: "ascii",
  legalComments: "none",
  write: false,
};

/** The script of the script tag, as small as it gets, for browsers of the last six years. */
export async function bundleEmbed() {
  const result = await build(embedBuild);
  return result.outputFiles[0].text;
}
