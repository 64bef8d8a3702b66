import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** A Worker as a deployment would send it, one module: the example's, or of the code given. */
export async function bundleWorker(entry?: string): Promise<string> {
  const result = await build({
    absWorkingDir: root,
    ...(entry === undefined
      ? { entryPoints: ["examples/worker-site/src/worker.js"] }
      : { stdin: { contents: entry, resolveDir: root } }),
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["gatehouse-source", "workerd", "worker", "import"],
    target: "es2022",
    write: false,
  });
  return (result.outputFiles[0] as { text: string }).text;
}
