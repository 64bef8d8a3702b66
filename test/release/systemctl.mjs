/**
 * Does what systemd does with one unit, for `start`, `stop`, `enable --now` and `daemon-reload`: reads the file in
 * /etc/systemd/system, and runs ExecStart with the settings, in the folder and as the user that it names.
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";

const POLL_MS = 50;
const PID_FILE = "/run/gatehouse.pid";
const [verb] = process.argv.slice(2);

const lines = readFileSync("/etc/systemd/system/gatehouse.service", "utf8")
  .split("\n")
  .filter((line) => /^\w+=/.test(line))
  .map((line) => line.split(/=(.*)/s, 2));
const all = (key) => lines.filter(([name]) => name === key).map(([, value]) => value);
const one = (key) => all(key)[0];

function start() {
  const file = readFileSync(one("EnvironmentFile"), "utf8").split("\n");
  const settings = [...all("Environment"), ...file].filter((line) => /^\w+=/.test(line));
  const env = Object.fromEntries(settings.map((line) => line.split(/=(.*)/s, 2)));
  const user = one("User");
  const state = `/var/lib/${one("StateDirectory")}`;
  mkdirSync(state, { recursive: true, mode: 0o700 });
  execFileSync("chown", [`${user}:${user}`, state]);
  process.umask(Number.parseInt(one("UMask"), 8));
  const log = openSync("/run/gatehouse.log", "a");
  const words = [`--reuid=${user}`, `--regid=${user}`, "--init-groups", "--no-new-privs"];
  const service = spawn("setpriv", [...words, ...one("ExecStart").split(" ")], {
    cwd: one("WorkingDirectory"),
    env: { PATH: process.env.PATH, ...env },
    detached: true,
    stdio: ["ignore", log, log],
  });
  writeFileSync(PID_FILE, String(service.pid));
  service.unref();
}

/** A process that has ended may wait for its parent to notice. */
function isRunning(pid) {
  const file = `/proc/${pid}/stat`;
  return existsSync(file) && !/\) Z /.test(readFileSync(file, "utf8"));
}

async function stop() {
  if (!existsSync(PID_FILE)) return;
  const pid = Number(readFileSync(PID_FILE, "utf8"));
  process.kill(pid, one("KillSignal"));
  const until = Date.now() + Number(one("TimeoutStopSec")) * 1000;
  while (isRunning(pid)) {
    if (Date.now() > until) throw new Error("the service did not stop in time");
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  rmSync(PID_FILE);
}

if (verb === "start" || verb === "enable") start();
else if (verb === "stop") await stop();
else if (verb !== "daemon-reload") throw new Error(`systemctl ${verb} is not known here`);
