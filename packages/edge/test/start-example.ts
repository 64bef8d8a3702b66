import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const EXAMPLE = fileURLToPath(new URL("../../../examples/express-site/server.js", import.meta.url));

/** The example in Express in a process of its own, trusting the authority of an agent's directory. */
export async function startExample(
  settings: Record<string, string>,
  directory: { readonly ca: string; readonly host: string },
): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-example-"));
  const ca = join(folder, "ca.pem");
  writeFileSync(ca, directory.ca);
  const child = spawn(process.execPath, [EXAMPLE], {
    env: {
      PATH: process.env.PATH,
      NODE_EXTRA_CA_CERTS: ca,
      PORT: "0",
      GATEHOUSE_KEYS_ALLOW: directory.host,
      ...settings,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  child.on("close", () => rmSync(folder, { recursive: true, force: true }));
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  return { url: /http:\S+/.exec(String(line))?.[0] as string, child };
}
