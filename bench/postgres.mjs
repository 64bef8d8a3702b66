/** A PostgreSQL server of its own, from npm, for the figures that are measured on both databases. */
import { fork } from "node:child_process";
import { once } from "node:events";

export async function startPostgres() {
  const server = fork(new URL("../test/postgres-process.mjs", import.meta.url));
  const [{ url }] = await once(server, "message");
  return { url: `${url}postgres`, stop: () => server.disconnect() };
}
