import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTcpServer, type Server as NetServer, type Socket } from "node:net";
import { ok } from "@gatehouse/protocol";
import { onTestFinished } from "vitest";
import { ManualClock } from "../../server/src/infra/clock.ts";
import type { SafeResponse } from "../src/request.ts";
import { dnsResolver, type Resolver } from "../src/resolver.ts";
import { SafeFetch } from "../src/safe-fetch.ts";
import type { Target } from "../src/target.ts";

export type Send = NonNullable<ConstructorParameters<typeof SafeFetch>[0]["send"]>;
type Sent = Awaited<ReturnType<Send>>;

export const PUBLIC_V4 = "93.184.216.34";
export const PUBLIC_V6 = "2606:4700::1111";

/** No test may reach a name server of this machine: this one stands where none is needed. */
export const noDns: Resolver = {
  addresses: () => Promise.reject(new Error("looked up")),
  txt: () => Promise.reject(new Error("looked up")),
};

/** Every name is a public one. */
export const publicDns: Resolver = {
  addresses: () => Promise.resolve([PUBLIC_V4]),
  txt: () => Promise.resolve([]),
};

export function newClock(): ManualClock {
  return new ManualClock(Date.UTC(2026, 0, 1));
}

export function page(text: string, status = 200): { ok: true; value: SafeResponse } {
  return ok({ status, contentType: "text/plain", cacheControl: "", body: Buffer.from(text) });
}

/** Stands for the network: records where a request would have gone, and answers at once. */
export function recordingSend(answer: (target: Target) => Sent = () => page("hello")) {
  const targets: Target[] = [];
  const limits: Parameters<Send>[1][] = [];
  const send: Send = (target, limit) => {
    targets.push(target);
    limits.push(limit);
    return Promise.resolve(answer(target));
  };
  return { send, targets, limits };
}

/** Stands for a network whose answers come when the test says so. */
export function heldSend() {
  const held: { readonly url: string; readonly answer: (result: Sent) => void }[] = [];
  const counts = { started: 0, underWay: 0, mostUnderWay: 0 };
  const send: Send = (target) => {
    counts.started += 1;
    counts.underWay += 1;
    counts.mostUnderWay = Math.max(counts.mostUnderWay, counts.underWay);
    return new Promise((resolve) => {
      const answer = (result: Sent) => {
        counts.underWay -= 1;
        resolve(result);
      };
      held.push({ url: target.url.href, answer });
    });
  };
  return { send, held, counts };
}

/** Something that will happen once, for a test to wait on. */
export function signal() {
  let happened = () => {};
  const happens = new Promise<void>((resolve) => {
    happened = resolve;
  });
  return { happened: () => happened(), happens };
}

/** One turn of the event loop: everything that can go on without an answer has gone on. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A client whose every request is recorded instead of sent, asking a real name server. */
export function recordingFetch(dnsServer: string, allow: readonly string[] = []) {
  const { send, targets, limits } = recordingSend();
  const clock = newClock();
  const resolver = dnsResolver([dnsServer]);
  return { safeFetch: new SafeFetch({ resolver, clock, allow, send }), clock, targets, limits };
}

async function listen(server: Server | NetServer): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as { port: number }).port;
}

/** A real web server on loopback for one test. */
export async function serveHttp(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return listen(server);
}

/** A real server that hears the request and answers with whatever bytes it likes. */
export async function serveBytes(answer: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("data", () => answer(socket));
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return listen(server);
}

/** The real client, allowed to reach one port of loopback as development is. */
export function localFetch(port: number) {
  const clock = newClock();
  const safeFetch = new SafeFetch({ resolver: noDns, clock, allow: [`127.0.0.1:${port}`] });
  return { safeFetch, clock, url: `http://127.0.0.1:${port}/` };
}
