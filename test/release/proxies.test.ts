import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, openSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { generate } from "selfsigned";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { OPERATOR_TOKEN, temporaryFolder } from "../../packages/server/test/harness.ts";
import { deployFile } from "../deploy-files.ts";
import { freePort } from "../free-port.ts";

/** The files of deploy/ with the real programs, in front of the real service. Only names and ports differ. */
const BASE_URL = "https://gate.example.com";
const MB = 2 ** 20;

function versionOf(program: string, word: string): string | undefined {
  try {
    return execFileSync("sh", ["-c", `${program} ${word} 2>&1`], { encoding: "utf8" }).trim();
  } catch {
    return undefined;
  }
}
const NGINX = versionOf("nginx", "-v");
const CADDY = versionOf("caddy", "version");

interface Asked {
  readonly method?: string;
  readonly body?: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

function ask(port: number, path: string, { method = "GET", body, headers = {} }: Asked = {}) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const host = "gate.example.com";
    const to = { host: "127.0.0.1", port, path, method, servername: host };
    const own = { host, connection: "close", ...headers };
    const asked = request({ ...to, headers: own, rejectUnauthorized: false });
    asked.on("response", async (response) => {
      let text = "";
      for await (const chunk of response.setEncoding("utf8")) text += chunk;
      resolve({ status: response.statusCode ?? 0, text });
    });
    asked.on("error", reject).end(body);
  });
}

async function nginxIn(folder: string, port: number, upstream: string): Promise<ChildProcess> {
  const pems = await generate([{ name: "commonName", value: "gate.example.com" }]);
  writeFileSync(join(folder, "fullchain.pem"), pems.cert);
  writeFileSync(join(folder, "privkey.pem"), pems.private);
  const isOld = /nginx\/1\.(?:\d|1\d|2[0-4])\./.test(NGINX ?? "");
  const config = deployFile("nginx.conf")
    .replace(/server node1:8787;\s+server node2:8787;/, `server ${upstream};`)
    .replace("listen 443 ssl;", `listen ${port} ssl${isOld ? " http2" : ""};`)
    .replace(/ +listen \[::\]:443 ssl;\n/, "")
    // Versions before 1.25.1 have it in `listen`, as docs/operations/proxy.md says.
    .replace(/ +http2 on;\n/, isOld ? "" : "    http2 on;\n")
    .replaceAll("/tls/", `${folder}/`);
  writeFileSync(join(folder, "nginx.conf"), config);
  const words = ["-p", folder, "-c", join(folder, "nginx.conf")];
  const settings = `daemon off; pid ${folder}/pid; user root;`;
  // A file: nginx cannot open the pipe that a child of Node has as /dev/stderr.
  const log = openSync(join(folder, "nginx.log"), "w");
  return spawn("nginx", [...words, "-g", settings], { stdio: ["ignore", log, log] });
}

async function caddyIn(folder: string, port: number, upstream: string): Promise<ChildProcess> {
  const config = deployFile("Caddyfile")
    .replaceAll("gatehouse:8787", upstream)
    // A certificate of its own authority: nobody outside reaches this machine.
    .replace(
      /^\{\n/m,
      "{\n\tadmin off\n\tskip_install_trust\n\tlocal_certs\n\tauto_https disable_redirects\n",
    );
  writeFileSync(join(folder, "Caddyfile"), config);
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    XDG_DATA_HOME: folder,
    DOMAIN: `gate.example.com:${port}`,
  };
  const words = ["run", "--adapter", "caddyfile", "--config", join(folder, "Caddyfile")];
  return spawn("caddy", words, { env, stdio: "ignore" });
}

const PROXIES = [
  ["nginx.conf", NGINX, nginxIn],
  ["Caddyfile", CADDY, caddyIn],
] as const;

describe.each(PROXIES)("deploy/%s with the real program", (name, version, start) => {
  if (version === undefined) {
    test.skip(`${name}: its program is not installed here`, () => undefined);
    return;
  }
  const started: ChildProcess[] = [];
  let port = 0;
  let direct = "";

  beforeAll(async () => {
    const folder = temporaryFolder();
    port = await freePort();
    const own = await freePort();
    direct = `http://127.0.0.1:${own}`;
    const service = spawn(process.execPath, [inject("gatehouseCommand"), "serve"], {
      env: {
        PATH: process.env.PATH,
        GATEHOUSE_PORT: String(own),
        GATEHOUSE_BASE_URL: BASE_URL,
        GATEHOUSE_DATA_DIR: join(folder, "data"),
        GATEHOUSE_TRUST_PROXY: "127.0.0.1",
        GATEHOUSE_ADMIN_TOKEN: OPERATOR_TOKEN,
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    started.push(service);
    let text = "";
    service.stdout.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
    });
    while (!text.includes("is ready")) await once(service.stdout, "data");
    mkdirSync(join(folder, "logs"));
    started.push(await start(folder, port, `127.0.0.1:${own}`));
    while ((await ask(port, "/readyz").catch(() => undefined)) === undefined);
  }, 60_000);
  afterAll(async () => {
    const ended = started.map((child) => once(child, "exit"));
    for (const child of started) child.kill("SIGTERM");
    await Promise.all(ended);
  });

  test("serves the service over HTTPS, which refuses everybody else", async () => {
    expect(await ask(port, "/readyz")).toEqual({ status: 200, text: '{"status":"ready"}' });
    expect((await fetch(`${direct}/readyz`)).status).toBe(403);
  });

  test("does not pass on what a client claims about its scheme", async () => {
    const headers = { "x-forwarded-proto": "http" };
    expect((await ask(port, "/readyz", { headers })).status).toBe(200);
  });

  test("accepts one megabyte, and 64 for an import of products", async () => {
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, "content-type": "text/csv" };
    const sites = "/v1/admin/sites";
    const large = { method: "POST", body: Buffer.alloc(2 * MB, "x"), headers };
    expect((await ask(port, sites, large)).status).toBe(413);
    const path = `${sites}/${"x".repeat(43)}/products/import`;
    expect((await ask(port, path, large)).status).toBe(404);
  });

  test("leaves odd paths as they are, so that the service refuses them", async () => {
    expect((await ask(port, "//readyz")).status).not.toBe(200);
  });
});
