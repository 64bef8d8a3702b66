import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { startNode } from "../audit/node-process.ts";
import { freshEnvironment } from "../harness.ts";
import { statusFrom } from "./local-address.ts";

/** 600 in the long tier. */
const HALF_SENT = Number(process.env.HALF_SENT ?? 300);
const BODY_BYTES = 500_000;
const GROWTH_BYTES_MAX = 64 * 1024 * 1024;
/** Requests in which the server reads what was sent, and at most as many until it has collected that. */
const TURNS = 20;
const TURNS_MAX = 400;
/** Requests before anything is measured. */
const WARM_UP = 300;
const ADDRESSES = 4;
const PROC_STATUS = (pid: number) => `/proc/${pid}/status`;

/** Resident memory of a process, where the system tells. */
function residentBytes(pid: number): number {
  const [, kb = "0"] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(PROC_STATUS(pid), "utf8")) ?? [];
  return Number(kb) * 1024;
}

/** Sends the head of a request and all of its body but the last byte; done when that is written or refused. */
function halfSend(port: number, path: string, localAddress: string): Promise<Socket> {
  const head = [
    `POST ${path} HTTP/1.1`,
    "host: 127.0.0.1",
    "content-type: application/json",
    "stripe-signature: t=1,v1=00",
    'ucp-agent: profile="https://platform.example/p"',
    `content-length: ${BODY_BYTES}`,
  ].join("\r\n");
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", localAddress });
    onTestFinished(() => void socket.destroy());
    const done = () => resolve(socket);
    socket.on("error", done).on("close", done).resume();
    socket.write(`${head}\r\n\r\n`);
    socket.write(Buffer.alloc(BODY_BYTES - 1, 32), done);
  });
}

const ENDPOINTS: Readonly<Record<string, (site: Site) => string>> = {
  beacons: () => "/v1/discovery/ingest",
  MCP: ({ site_key }) => `/v1/mcp/${site_key}`,
  mandates: ({ site_key }) => `/v1/m/${site_key}/mandate`,
  registrations: ({ site_key }) => `/v1/m/${site_key}/agents`,
  UCP: ({ site_key_hash }) => `/v1/ucp/${site_key_hash}/carts`,
  Stripe: ({ site_key_hash }) => `/v1/hooks/stripe/${site_key_hash}/events`,
  edges: ({ site_key_hash }) => `/v1/edge/${site_key_hash}/visits`,
  admin: () => "/v1/admin/sites",
  console: () => "/v1/console/session",
};

interface Site {
  readonly site_key: string;
  readonly site_key_hash: string;
}

/** A new service with one verified site, after enough requests for its code to be compiled. */
async function warmService(): Promise<{ port: number; pid: number; site: Site }> {
  const node = await startNode(await freshEnvironment("sqlite"));
  const port = Number(new URL(node.url).port);
  const made = await node.admin("POST", "/v1/admin/sites", { domain: "a.example", name: "A" });
  const site = (await made.json()) as Site;
  const verify = `/v1/admin/sites/${site.site_key_hash}/verify`;
  await node.admin("POST", verify, { method: "operator", reason: "a test" });
  for (let i = 0; i < WARM_UP; i++) await statusFrom(port, "127.0.0.2");
  return { port, pid: node.child.pid as number, site };
}

/** One service for three of them: what the first ones keep counts against the last one too. */
const GROUPS = [
  ["beacons", "MCP", "mandates"],
  ["registrations", "UCP", "Stripe"],
  ["edges", "admin", "console"],
] as const;

test.each(GROUPS)(
  `${HALF_SENT} half-sent bodies each for %s, %s and %s take little memory, and others are served`,
  {
    timeout: 60_000,
    skip: process.platform !== "linux",
  },
  async (...endpoints) => {
    const { port, pid, site } = await warmService();
    const before = residentBytes(pid);
    const growth = () => residentBytes(pid) - before;
    for (const endpoint of endpoints) {
      const path = (ENDPOINTS[endpoint] as (site: Site) => string)(site);
      // Of several addresses: one alone may not have so many connections.
      const sending = (i: number) => halfSend(port, path, `127.0.0.${10 + (i % ADDRESSES)}`);
      const sockets = await Promise.all(Array.from({ length: HALF_SENT }, (_, i) => sending(i)));
      // With each answer the loop reads what has come on every connection. What it drops at once stays
      // resident until the next collection, which these requests bring about; what it keeps stays.
      for (let i = 0; i < TURNS || (i < TURNS_MAX && growth() >= GROWTH_BYTES_MAX); i++) {
        expect(await statusFrom(port, "127.0.0.2")).toBe(200);
      }
      expect([endpoint, growth() < GROWTH_BYTES_MAX]).toEqual([endpoint, true]);
      for (const socket of sockets) socket.destroy();
    }
  },
);

test("every endpoint that takes a body is among them", () => {
  expect(GROUPS.flat().sort()).toEqual(Object.keys(ENDPOINTS).sort());
});
