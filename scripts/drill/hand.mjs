/** What an operator has in hand: the command, the service in a process of its own, and HTTP. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

const bin = fileURLToPath(new URL("../../packages/cli/bin/gatehouse.js", import.meta.url));
const START_MS_MAX = 60_000;

let step = 0;

export function expect(holds, what) {
  if (!holds) throw new Error(`the drill expected ${what}`);
}

/** Does a step, and says in plain words what came of it and how long it took. */
export async function doStep(work) {
  const began = performance.now();
  const said = await work();
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  step += 1;
  console.log(`${String(step).padStart(2)}. ${seconds.padStart(5)} s  ${said}`);
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

function run(env, args) {
  return new Promise((resolve) => {
    execFile(process.execPath, [bin, ...args], { env }, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : error.code, stdout, stderr });
    });
  });
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
  const child = spawn(process.execPath, [bin, "serve"], { env, stdio: ["ignore", "pipe", "pipe"] });
  const heard = { err: "" };
  child.stdout.resume();
  child.stderr.setEncoding("utf8").on("data", (text) => {
    heard.err += text;
  });
  const exited = once(child, "exit").then(([code]) => code);
  const until = performance.now() + START_MS_MAX;
  const ready = async () => {
    const answer = await fetch(`${env.GATEHOUSE_BASE_URL}/readyz`).catch(() => undefined);
    await answer?.arrayBuffer();
    return answer?.status === 200;
  };
  while (!(await ready())) {
    expect(child.exitCode === null, `\`gatehouse serve\` to start, but: ${heard.err}`);
    if (performance.now() > until) child.kill("SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    async stop() {
      child.kill("SIGTERM");
      const code = await exited;
      expect(code === 0, `SIGTERM to end the service with 0, not ${code}`);
    },
    /** For when something went wrong already. */
    end: () => child.exitCode === null && child.kill("SIGKILL"),
  };
}

export async function ask(env, path, init) {
  const response = await fetch(env.GATEHOUSE_BASE_URL + path, init);
  const text = await response.text();
  return { status: response.status, text };
}
