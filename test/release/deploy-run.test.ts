import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generate } from "selfsigned";
import { beforeAll, expect, test, vi } from "vitest";
import { freshPostgres, temporaryFolder } from "../../packages/server/test/harness.ts";
import { stage } from "../../scripts/release/stage.mjs";
import { deployFile, readEnvFile, readImage, readNginx, readUnit } from "../deploy-files.ts";
import { freePort } from "../free-port.ts";
import { root } from "../source.ts";
import { begin, composeEnv, type Env, mapped, type Running, untilReady } from "./processes.ts";

// What the files of deploy/ run, run here: their paths are those of this checkout.

const image = readImage();
const BASE_URL = "https://gate.example.com";
const RUN_MS_MAX = 120_000;
/** What the proxies of the files send with every request. */
const PROXIED = { "x-forwarded-proto": "https", "x-forwarded-for": "192.0.2.7" };

/** A machine as the files expect it: a certificate, a data folder, a port. */
async function machine() {
  const folder = temporaryFolder();
  const pems = await generate([{ name: "commonName", value: "gate.example.com" }]);
  writeFileSync(join(folder, "fullchain.pem"), pems.cert);
  writeFileSync(join(folder, "privkey.pem"), pems.private);
  writeFileSync(join(folder, "secrets.key"), randomBytes(32).toString("base64url"));
  return { folder, port: String(await freePort()) };
}

/** The package as the image and the machine have it. */
const staged = mkdtempSync(join(tmpdir(), "gatehouse-staged-"));
const environment = vi.hoisted(() => JSON.stringify(process.env));
beforeAll(async () => {
  await stage(staged);
  return () => rmSync(staged, { recursive: true });
}, RUN_MS_MAX);

test("putting the package together leaves the environment of the process as it was", () => {
  expect(JSON.stringify(process.env)).toBe(environment);
});

const IMAGE_PLACES = { "/app/": `${staged}/` };
const imageCommand = image.command.map((word) => mapped(word, IMAGE_PLACES));
const imageEnv = (env: Env): Env => ({
  ...Object.fromEntries(
    Object.entries(image.env).map(([name, value]) => [name, mapped(value, IMAGE_PLACES)]),
  ),
  ...env,
});

async function healthOf(env: Env) {
  const words = image.healthcheck.map((word) => mapped(word, IMAGE_PLACES));
  const { seen, ended } = begin(words, imageEnv(env));
  return { code: await ended, said: seen.out };
}

/** Once the service says that it is ready, the image's health check must say so too. */
async function expectHealthy(env: Env, running: Running) {
  await untilReady(running);
  expect(await healthOf(env)).toEqual({ code: 0, said: '200 {"status":"ready"}\n' });
}

async function stopped({ child, ended }: { child: ChildProcess; ended: Promise<unknown> }) {
  child.kill(image.stopSignal as NodeJS.Signals);
  return ended;
}

/** An answer over TLS, whoever the certificate is for. */
function get(port: string, path: string): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path, rejectUnauthorized: false };
    const asked = request(options, async (response) => {
      let body = "";
      for await (const text of response.setEncoding("utf8")) body += text;
      resolve({ status: response.statusCode, body });
    });
    asked.on("error", reject).end();
  });
}

test("the image is healthy, serves clients of the proxy and stops with 0 when compose.yaml starts it", {
  timeout: RUN_MS_MAX,
}, async () => {
  const { folder, port } = await machine();
  const given = { DOMAIN: "gate.example.com" };
  const env = {
    ...composeEnv("compose.yaml", "gatehouse", given, {}),
    GATEHOUSE_PORT: port,
    GATEHOUSE_DATA_DIR: join(folder, "data"),
  };
  expect((await healthOf(env)).code).toBe(1);
  const running = begin(imageCommand, imageEnv(env));
  await expectHealthy(env, running);
  const url = `http://127.0.0.1:${port}`;
  expect((await fetch(`${url}/readyz`)).status).toBe(403);
  const openapi = await fetch(`${url}/openapi.json`, { headers: PROXIED });
  await expectNginxPaths(await openapi.text());
  expect(running.seen.out).toContain(`public address  ${BASE_URL}`);
  expect(await stopped(running)).toBe(0);
  expect(existsSync(join(folder, "data", "gatehouse.db"))).toBe(true);
});

/** Each special location of nginx.conf is there for a path that the service has. */
async function expectNginxPaths(openapi: string): Promise<void> {
  const paths = Object.keys(JSON.parse(openapi).paths).map((path) => path.replace(/\{\w+\}/g, "x"));
  const [http] = readNginx(deployFile("nginx.conf")).blocks.filter(({ name }) => name === "http");
  const server = http?.blocks.find(({ name }) => name === "server");
  const patterns = (server?.blocks ?? []).flatMap(({ name }) => name.split("location ~ ")[1] ?? []);
  const found = patterns.map((pattern) => paths.filter((path) => new RegExp(pattern).test(path)));
  const imports = "/v1/admin/sites/x/products/import";
  expect(found).toEqual([["/v1/admin/sites/x/changes"], [imports, `${imports}/check`]]);
}

test("both nodes of compose.postgres.yaml share one PostgreSQL, and serve clients of the proxy", {
  timeout: RUN_MS_MAX,
}, async () => {
  const { folder, port } = await machine();
  const other = String(await freePort());
  const database = await freshPostgres();
  const places = {
    "/run/secrets/gatehouse_secrets_key": join(folder, "secrets.key"),
    "postgres://gatehouse:unused@postgres:5432/gatehouse": database,
  };
  const token = randomBytes(32).toString("hex");
  const given = {
    GATEHOUSE_BASE_URL: BASE_URL,
    GATEHOUSE_ADMIN_TOKEN: token,
    POSTGRES_PASSWORD: "unused",
  };
  const envs = ["node1", "node2"].map((node, i) => ({
    ...composeEnv("compose.postgres.yaml", node, given, places),
    GATEHOUSE_PORT: i === 0 ? port : other,
    GATEHOUSE_DATA_DIR: join(folder, node),
  }));
  const nodes = envs.map((env) => begin(imageCommand, imageEnv(env)));
  for (const [i, node] of nodes.entries()) {
    const env = envs[i] as Env;
    await expectHealthy(env, node);
    const url = `http://127.0.0.1:${env.GATEHOUSE_PORT}`;
    expect((await fetch(`${url}/readyz`)).status).toBe(403);
    expect((await fetch(`${url}/readyz`, { headers: PROXIED })).status).toBe(200);
    const admin = { ...PROXIED, authorization: `Bearer ${token}` };
    expect((await fetch(`${url}/v1/admin/keys`, { headers: admin })).status).toBe(200);
  }
  // The health check is a client of this machine: not trusted, it must not call the node healthy.
  const strange = {
    ...envs[0],
    GATEHOUSE_TRUST_PROXY: "192.0.2.1",
    GATEHOUSE_PORT: String(await freePort()),
  };
  const closed = begin(imageCommand, imageEnv(strange));
  while (!closed.seen.out.includes("is ready")) await once(closed.child.stdout, "data");
  expect(await healthOf(strange)).toMatchObject({ code: 1, said: expect.stringMatching(/^403 /) });
  expect(await Promise.all([...nodes, closed].map(stopped))).toEqual([0, 0, 0]);
});

test("the unit's ExecStart runs with the example settings, reloads and stops with 0", {
  timeout: RUN_MS_MAX,
}, async () => {
  const { folder, port } = await machine();
  const entries = readUnit("gatehouse.service").Service ?? [];
  const of = (key: string) => entries.filter(([one]) => one === key).map(([, value]) => value);
  const places = {
    "/usr/bin/node": process.execPath,
    "/opt/gatehouse/current/": `${staged}/`,
    "/var/lib/gatehouse": join(folder, "data"),
    "/etc/gatehouse/tls/": `${folder}/`,
    "/etc/gatehouse/": `${folder}/`,
    "GATEHOUSE_PORT=443": `GATEHOUSE_PORT=${port}`,
  };
  const here = (text: string) =>
    Object.entries(places).reduce((made, [from, to]) => made.replaceAll(from, to), text);
  const settings = here(deployFile("gatehouse.env.example"));
  writeFileSync(join(folder, "gatehouse.env"), settings);
  const env = { ...readEnvFile(here(of("Environment").join("\n"))), ...readEnvFile(settings) };
  const words = here(of("ExecStart")[0] as string).split(" ");
  const reference = readFileSync(join(root, "docs/reference/cli.md"), "utf8");
  expect(reference).toContain(`\`gatehouse ${words[2]}\``);
  const folderOfUnit = here(of("WorkingDirectory")[0] as string);
  mkdirSync(folderOfUnit, { mode: 0o700 });
  const running = begin(words, env, folderOfUnit);
  await expectHealthy(env, running);
  expect((await get(port, "/readyz")).status).toBe(200);
  const reload = (of("ExecReload")[0] as string).replace("$MAINPID", String(running.child.pid));
  expect(await begin(reload.split(" "), {}).ended).toBe(0);
  while (!running.seen.err.includes("tls.reloaded")) await once(running.child.stderr, "data");
  // The command beside it, from the same file of settings, and from no other that lies where it is typed.
  const strange = temporaryFolder();
  writeFileSync(join(strange, "gatehouse.env"), "not a setting\n", { mode: 0o600 });
  const command = here(deployFile("gatehouse-command.sh"));
  const doctor = begin(["sh", "-c", command, "gatehouse", "doctor"], {}, strange);
  expect([await doctor.ended, doctor.seen.out]).toEqual([0, expect.stringContaining("✓ database")]);
  running.child.kill(of("KillSignal")[0] as NodeJS.Signals);
  expect(await running.ended).toBe(0);
});
