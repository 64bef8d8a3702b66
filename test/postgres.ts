import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** A real PostgreSQL server for this run, ending in `/`: append a database name. */
    postgresUrl: string;
    /** The same over its Unix socket: a query takes two thirds of the time, a connection half. */
    postgresSocketUrl: string;
  }
}

interface Started {
  readonly url: string;
  readonly socketUrl: string;
}

const program = fileURLToPath(new URL("postgres-process.mjs", import.meta.url));

/** Starts PostgreSQL from its npm package before the tests and removes it after. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = fork(program);
  const failed = once(server, "exit").then(([code]) => {
    throw new Error(`PostgreSQL did not start (${code})`);
  });
  failed.catch(() => undefined);
  const [started] = (await Promise.race([once(server, "message"), failed])) as [Started];
  project.provide("postgresUrl", started.url);
  project.provide("postgresSocketUrl", started.socketUrl);
  return async () => {
    const gone = once(server, "exit");
    server.disconnect();
    await gone;
  };
}
