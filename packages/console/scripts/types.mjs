/** The console's types of the HTTP interface, from the document the service publishes of it. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";

export const TYPES_FILE = fileURLToPath(new URL("../generated/schema.d.ts", import.meta.url));

/** The document as the service publishes it. */
async function interfaceDocument() {
  // Built just before this is called, and not there when it is loaded.
  const { createApp } = await import("../../server/dist/app.js");
  const { readConfig } = await import("../../server/dist/config/config.js");
  const { createContext } = await import("../../server/dist/context.js");
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

const HEAD =
  "/** Made from the OpenAPI document by scripts/types.mjs: not to be changed by hand. */";

/** The types, as the file has them. */
export async function consoleTypes() {
  const text = astToString(await openapiTS(await interfaceDocument(), { exportType: true }));
  return `${HEAD}\n\n${text}`;
}
