import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { sweepFolder } from "../packages/server/test/secret-scan.ts";
import { bundledCommand } from "../test/bundled-command.ts";

declare module "vitest" {
  export interface ProvidedContext {
    target: Target;
  }
}

/** What the black-box suites know of the service: where it is, and how to ask as an operator. */
export interface Target {
  readonly url: string;
  readonly adminToken: string;
  /** The same build in production over plain HTTP; absent for a service somebody else runs. */
  readonly plaintextUrl?: string;
  /** Where platforms can publish a profile that the service fetches (`PUT` it, and name it), and hear. */
  readonly profileHost?: string;
}

const TOKEN = "conformance-operator-token-0123456789";

/** How many posts somebody waits for; answered once there are as many. */
export const AWAITED_HEADER = "x-awaited";

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Keeps what is posted to its paths, and gives it back to whoever waits for it. */
function newsStand() {
  const posts = new Map<string, object[]>();
  const changed = new EventEmitter().setMaxListeners(0);
  return {
    async take(path: string, request: IncomingMessage, response: ServerResponse) {
      const body = (await bytesOf(request)).toString("utf8");
      const url = `http://${request.headers.host}${path}`;
      posts.set(path, [...(posts.get(path) ?? []), { url, headers: request.headers, body }]);
      response.writeHead(204).end();
      changed.emit(path);
    },
    async give(path: string, count: number, response: ServerResponse) {
      while ((posts.get(path)?.length ?? 0) < count) await once(changed, path);
      response.end(JSON.stringify(posts.get(path)));
    },
  };
}

/** Keeps what is put there, and shows it to whoever asks; and what is posted there, for whoever waits. */
async function startProfileHost() {
  const profiles = new Map<string, Buffer>();
  const news = newsStand();
  const server = createServer(async (request, response) => {
    const path = request.url ?? "";
    if (request.method === "POST") return news.take(path, request, response);
    const awaited = request.headers[AWAITED_HEADER];
    if (awaited !== undefined) return news.give(path, Number(awaited), response);
    if (request.method === "PUT") profiles.set(path, await bytesOf(request));
    const profile = profiles.get(path);
    response.writeHead(profile === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(profile);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

function startOwn(mode: "development" | "production", more: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(process.env.TEST_FOLDER ?? tmpdir(), "gatehouse-conformance-"));
  const env = {
    PATH: process.env.PATH,
    GATEHOUSE_MODE: mode,
    GATEHOUSE_PORT: "0",
    GATEHOUSE_LOG: "silent",
    GATEHOUSE_ADMIN_TOKEN: TOKEN,
    GATEHOUSE_DATA_DIR: folder,
    ...more,
  };
  const child = spawn(process.execPath, [bundledCommand, "serve"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = new Promise<string>((resolve, reject) => {
    child.on("exit", (code) => reject(new Error(`the service ended with ${code}`)));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const match = /listening on {2}(\S+)/.exec(text);
      if (match !== null) resolve(match[1] as string);
    });
  });
  const stop = () =>
    new Promise<void>((resolve, reject) => {
      child.removeAllListeners("exit").on("exit", () => {
        try {
          sweepFolder(folder);
          resolve();
        } catch (error) {
          reject(error);
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      });
      child.kill("SIGTERM");
    });
  return { url, stop };
}

/** `GATEHOUSE_TARGET` names a running service; without it the suites run one of their own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { GATEHOUSE_TARGET: named, GATEHOUSE_TARGET_TOKEN: adminToken = "" } = process.env;
  if (named !== undefined) {
    project.provide("target", { url: named.replace(/\/$/, ""), adminToken });
    return async () => undefined;
  }
  const profiles = await startProfileHost();
  const allowed = { GATEHOUSE_FETCH_ALLOW: profiles.host };
  const own = [startOwn("development", allowed), startOwn("production")] as const;
  const [url, plaintextUrl] = await Promise.all(own.map((service) => service.url));
  project.provide("target", {
    url: url as string,
    adminToken: TOKEN,
    plaintextUrl: plaintextUrl as string,
    profileHost: profiles.host,
  });
  return async () => {
    await Promise.all(own.map((service) => service.stop()));
    profiles.stop();
  };
}
