import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The example's Worker as a deployment would send it: one module. */
export async function bundleWorker(entry = "examples/worker-site/src/worker.js"): Promise<string> {
  const result = await build({
    absWorkingDir: root,
    entryPoints: [entry],
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
