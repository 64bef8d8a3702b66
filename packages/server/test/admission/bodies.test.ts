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
/** Turns of the server's loop until it has read all that was sent. */
const TURNS = 20;
const PROC_STATUS = (pid: number) => `/proc/${pid}/status`;

/** Resident memory of a process, where the system tells. */
function residentBytes(pid: number): number {
  const [, kb = "0"] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(PROC_STATUS(pid), "utf8")) ?? [];
  return Number(kb) * 1024;
}

/** Sends the head of a request and all of its body but the last byte; done when that is written or refused. */
function halfSend(port: number, path: string): Promise<Socket> {
  const head = [
    `POST ${path} HTTP/1.1`,
    "host: 127.0.0.1",
    "content-type: application/json",
    "stripe-signature: t=1,v1=00",
    'ucp-agent: profile="https://platform.example/p"',
    `content-length: ${BODY_BYTES}`,
  ].join("\r\n");
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    const done = () => resolve(socket);
    socket.on("error", done).on("close", done).resume();
    socket.write(`${head}\r\n\r\n`);
    socket.write(Buffer.alloc(BODY_BYTES - 1, 32), done);
  });
}

test(`${HALF_SENT} half-sent bodies at each door take little memory, and others are served`, {
  timeout: 120_000,
  skip: process.platform !== "linux",
}, async () => {
  const env = await freshEnvironment("sqlite");
  const node = await startNode(env);
  const port = Number(new URL(node.url).port);
  const made = await node.admin("POST", "/v1/admin/sites", { domain: "a.example", name: "A" });
  const site = (await made.json()) as { site_key: string; site_key_hash: string };
  const admin = `/v1/admin/sites/${site.site_key_hash}`;
  await node.admin("POST", `${admin}/verify`, { method: "operator", reason: "a test" });
  const doors = [
    "/v1/discovery/ingest",
    `/v1/mcp/${site.site_key}`,
    `/v1/m/${site.site_key}/mandate`,
    `/v1/m/${site.site_key}/agents`,
    `/v1/ucp/${site.site_key_hash}/carts`,
    `/v1/hooks/stripe/${site.site_key_hash}/events`,
    `/v1/edge/${site.site_key_hash}/visits`,
    "/v1/admin/sites",
    "/v1/console/session",
  ];
  const pid = node.child.pid as number;
  for (const door of doors) {
    const before = residentBytes(pid);
    await Promise.all(Array.from({ length: HALF_SENT }, () => halfSend(port, door)));
    // Each answer takes a turn of the loop, in which it reads what has come on every connection.
    for (let i = 0; i < TURNS; i++) expect(await statusFrom(port, "127.0.0.2")).toBe(200);
    expect([door, residentBytes(pid) - before < GROWTH_BYTES_MAX]).toEqual([door, true]);
  }
});
