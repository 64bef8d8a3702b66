/** A PostgreSQL server of its own, from npm, for the figures that are measured on both databases. */
import { fork } from "node:child_process";
import { once } from "node:events";
import pg from "pg";

/** Measures both databases in turn. `names`: the databases that the second measurement needs. */
export async function onBothDatabases(measureDialect, names) {
  const sqlite = await measureDialect("SQLite", []);
  const postgres = await startPostgres();
  try {
    const other = await measureDialect("PostgreSQL", await postgres.createDatabases(names));
    return { lines: [...sqlite.lines, ...other.lines], missed: sqlite.missed || other.missed };
  } finally {
    postgres.stop();
  }
}

export async function startPostgres() {
  const server = fork(new URL("../test/postgres-process.mjs", import.meta.url));
  const [{ url }] = await once(server, "message");
  const createDatabases = async (names) => {
    const admin = new pg.Client({ connectionString: `${url}postgres` });
    await admin.connect();
    for (const name of names) await admin.query(`CREATE DATABASE ${name}`);
    await admin.end();
    return names.map((name) => url + name);
  };
  return { url: `${url}postgres`, createDatabases, stop: () => server.disconnect() };
}
