import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { vectors } from "../vectors.ts";

const folder = fileURLToPath(new URL("..", import.meta.url));

/** Outside Node the runner is replaced by a small one, and vector files by their contents. */
const outsideNode: Plugin = {
  name: "outside-node",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^vitest$/ }, () => ({ path: `${folder}node/tiny-runner.ts` }));
    onResolve({ filter: /\/vectors\.ts$/ }, () => ({ path: "vectors", namespace: "inline" }));
    onLoad({ filter: /.*/, namespace: "inline" }, () => ({
      contents: `export const vectors = ${JSON.stringify(vectors)};`,
    }));
  },
};

/** Bundles every portable test of this package into one ES module exporting `run()`. */
export async function bundlePortableTests(): Promise<string> {
  const files = readdirSync(folder).filter((name) => name.endsWith(".test.ts"));
  const result = await build({
    stdin: {
      contents: [
        ...files.map((name) => `import "./${name}";`),
        'export { run } from "./node/tiny-runner.ts";',
      ].join("\n"),
      resolveDir: folder,
      loader: "ts",
    },
    plugins: [outsideNode],
    bundle: true,
    // The package declares no side effects; its tests are nothing but.
    ignoreAnnotations: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["import"],
    target: "es2023",
    define: { FUZZ_RUNS_HERE: "2000" },
    write: false,
  });
  return result.outputFiles[0]?.text ?? "";
}
