import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The OpenAPI document, as the service publishes it. */
export async function interfaceDocument() {
  // Built just before this is called, and not there when it is loaded.
  const { createApp } = await import("../packages/server/dist/app.js");
  const { readConfig } = await import("../packages/server/dist/config/config.js");
  const { createContext } = await import("../packages/server/dist/context.js");
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-types-"));
  const env = { GATEHOUSE_MODE: "development", GATEHOUSE_LOG: "silent", GATEHOUSE_PORT: "1" };
  const context = await createContext(readConfig({ ...env, GATEHOUSE_DATA_DIR: folder }));
  const server = createServer(createApp(context));
  try {
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const answer = await fetch(`http://127.0.0.1:${server.address().port}/openapi.json`);
    return await answer.json();
  } finally {
    server.close();
    server.closeAllConnections();
    await context.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
