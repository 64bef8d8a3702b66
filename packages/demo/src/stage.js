/** What every part of the walk uses: printing, expectations, a folder, and the command line. */
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createProbe } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * All files of the walk are here, and are deleted with it. Commands run here too, because the current folder
 * may hold the settings of a real installation.
 */
export let folder = "";

/** The path of the command line. The caller of the walk names it. */
let bin = "";

/** Call it only if `closeAll` will be called. */
export function openStage(path) {
  bin = path;
  folder = mkdtempSync(join(tmpdir(), "gatehouse-demo-"));
}

let step = 0;

export function say(text) {
  step += 1;
  console.log(`${String(step).padStart(2)}. ${text}`);
}

export function expect(holds, what) {
  if (!holds) throw new Error(`the demo expected: ${what}`);
}

/**
 * The shop's own web server: Gatehouse will look here for the proof of the domain. Once the shop is
 * opened it serves its pages too, for as long as the demo runs.
 */
export async function startShop() {
  const pages = new Map();
  let shop = { answer: (_request, response) => response.writeHead(404).end() };
  const server = createServer((request, response) => {
    const page = pages.get(request.url);
    if (page === undefined) return shop.answer(request, response);
    response.writeHead(200, { "content-type": "text/plain" });
    response.end(page);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  closeAtEnd(stop);
  /** Gatehouse runs by now, so it stops after the shop has reported its last visits. */
  const open = (opened) => {
    shop = opened;
    closeAtEnd(async () => {
      stop();
      await shop.flush();
    });
  };
  const { port } = server.address();
  return { pages, open, domain: `shop.localhost:${port}`, url: `http://127.0.0.1:${port}` };
}

export function environment(name, extra) {
  return {
    PATH: process.env.PATH,
    GATEHOUSE_MODE: "development",
    GATEHOUSE_LOG: "silent",
    GATEHOUSE_DATA_DIR: join(folder, name),
    ...extra,
  };
}

/** What was opened, to be closed from the last to the first. */
const opened = [];
export function closeAtEnd(close) {
  opened.push(close);
}
export async function closeAll() {
  for (let close = opened.pop(); close !== undefined; close = opened.pop()) await close();
  rmSync(folder, { recursive: true, force: true });
}

/** Ends a process as a service manager does, and waits for it. */
export function endProcess(child) {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.on("exit", resolve);
    child.kill("SIGTERM");
  });
}

/** Where the service listens unless somebody chooses. */
const USUAL_PORT = 8787;

/** The port, if it is free; undefined if it is not. For 0, any that is free. */
function freePort(port) {
  return new Promise((resolve) => {
    const probe = createProbe();
    probe.once("error", () => resolve(undefined));
    probe.listen(port, "127.0.0.1", () => {
      const free = probe.address().port;
      probe.close(() => resolve(free));
    });
  });
}

/** The port that was chosen; otherwise the usual one if it is free, or any other. */
export async function choosePort(chosen) {
  const free = await freePort(chosen ?? USUAL_PORT);
  if (free !== undefined) return free;
  if (chosen === undefined) return freePort(0);
  throw new Error(`Port ${chosen} is in use. Choose another with --port.`);
}

/** The address of the service, in every link that it prints: browsers offer passkeys only where there is a name. */
export const listeningAt = (port) => ({
  GATEHOUSE_PORT: String(port),
  GATEHOUSE_BASE_URL: `http://localhost:${port}`,
});

export async function startGatehouse(env) {
  const child = spawn(process.execPath, [bin, "serve"], {
    env,
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  closeAtEnd(() => endProcess(child));
  await new Promise((resolve, reject) => {
    let text = "";
    child.on("exit", (code) => reject(new Error(`gatehouse serve ended with ${code}`)));
    child.stdout.on("data", (chunk) => {
      text += chunk;
      if (/listening on {2}\S+/.test(text)) resolve();
    });
  });
  const token = readFileSync(join(env.GATEHOUSE_DATA_DIR, "admin-token"), "utf8").trim();
  return { url: env.GATEHOUSE_BASE_URL, token };
}

/** Not waited for in one piece: connections that end meanwhile are noticed, and not used again. */
export function run(env, ...args) {
  return new Promise((resolve) => {
    execFile(process.execPath, [bin, ...args], { env, cwd: folder }, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : error.code, stdout, stderr });
    });
  });
}

export async function command(env, ...args) {
  const { status, stdout, stderr } = await run(env, ...args);
  expect(status === 0, `\`gatehouse ${args.join(" ")}\` to succeed, but: ${stderr}`);
  return stdout;
}

export function asking(url, token) {
  return async (method, path, body, bearer = token) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  };
}
