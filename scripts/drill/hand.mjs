/** What an operator has in hand: the command, the service in a process of its own, and HTTP. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Where everything is kept, and where every process works: a settings file of the folder the drill
 * was started in would lead it to somebody's installation.
 */
export const folder = mkdtempSync(resolve(tmpdir(), "gatehouse-drill-"));
const bin = fileURLToPath(new URL("../../packages/cli/bin/gatehouse.js", import.meta.url));
const START_MS_MAX = 60_000;

const running = new Set();
let cleared = false;
let step = 0;

/** Begins a process of the command; `exited` is its exit code. */
function begin(env, args) {
  expect(!cleared, "to go on, but was ended");
  const stdio = ["ignore", "pipe", "pipe"];
  const child = spawn(process.execPath, [bin, ...args], { cwd: folder, env, stdio });
  const heard = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text) => {
    heard.out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    heard.err += text;
  });
  const exited = once(child, "close").then(([code]) => {
    running.delete(one);
    return code;
  });
  const one = { child, heard, exited };
  running.add(one);
  return one;
}

/** Ends what still runs, and removes the folder: nothing is left, however the drill ended. */
export async function clearUp() {
  cleared = true;
  const left = [...running];
  for (const { child } of left) child.kill("SIGKILL");
  await Promise.all(left.map(({ exited }) => exited));
  rmSync(folder, { recursive: true, force: true });
}

export function expect(holds, what) {
  if (!holds) throw new Error(`the drill expected ${what}`);
}

/** Does a step, and says in plain words what came of it and how long it took. */
export async function doStep(work) {
  const began = performance.now();
  const report = await work();
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  step += 1;
  console.log(`${String(step).padStart(2)}. ${seconds.padStart(5)} s  ${report}`);
}

/** Asked once, so that the restored installation can take the address of the lost one. */
export function freePort() {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

async function run(env, args) {
  const { heard, exited } = begin(env, args);
  return { status: await exited, stdout: heard.out, stderr: heard.err };
}

/** A command that must succeed; what it printed. */
export async function command(env, ...args) {
  const { status, stdout, stderr } = await run(env, args);
  expect(status === 0, `\`gatehouse ${args.join(" ")}\` to succeed, but: ${stderr || stdout}`);
  return stdout.trim();
}

/** A command that must fail as it should; what it printed. */
export async function refused(env, ...args) {
  const { status, stdout, stderr } = await run(env, args);
  expect(status === 1, `\`gatehouse ${args.join(" ")}\` to be refused, but it exited ${status}`);
  return `${stdout}${stderr}`.trim();
}

/** What a command printed as JSON, whether or not it calls that a success. */
export async function answered(env, ...args) {
  const { stdout, stderr } = await run(env, args);
  expect(stdout.startsWith("{"), `\`gatehouse ${args.join(" ")}\` to answer, but: ${stderr}`);
  return JSON.parse(stdout);
}

export async function json(env, ...args) {
  return JSON.parse(await command(env, ...args, "--json"));
}

/** `gatehouse serve` until it is ready; `stop` is what a service manager does. */
export async function serve(env) {
  const { child, heard, exited } = begin(env, ["serve"]);
  const until = performance.now() + START_MS_MAX;
  const ready = async () => {
    const answer = await fetch(`${env.GATEHOUSE_BASE_URL}/readyz`).catch(() => undefined);
    await answer?.arrayBuffer();
    return answer?.status === 200;
  };
  while (!(await ready())) {
    expect(child.exitCode === null, `\`gatehouse serve\` to start, but: ${heard.err}`);
    if (performance.now() > until) child.kill("SIGKILL");
    await new Promise((over) => setTimeout(over, 50));
  }
  return {
    async stop() {
      child.kill("SIGTERM");
      const code = await exited;
      expect(code === 0, `SIGTERM to end the service with 0, not ${code}`);
    },
  };
}

export async function ask(env, path, init) {
  const response = await fetch(env.GATEHOUSE_BASE_URL + path, init);
  const text = await response.text();
  return { status: response.status, text };
}
