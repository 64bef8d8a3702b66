import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { freshEnvironment, startServer, type TestServer } from "../harness.ts";
import { statusFrom } from "./local-address.ts";

/** 10,000 in the long tier; the limits are made smaller to match. */
const SOCKETS = Number(process.env.IDLE_SOCKETS ?? 1000);
/** Connections opened at a time. */
const BATCH = 100;
const LIMITS = {
  GATEHOUSE_CONNECTIONS: String(SOCKETS),
  GATEHOUSE_CONNECTIONS_PER_ADDRESS: String(Math.ceil(SOCKETS / 20)),
};
const TIMEOUT = { timeout: 30_000 + SOCKETS * 10 };

/** Opens a connection that sends nothing; done once the server has seen or closed it. */
function silent(port: number): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    const done = () => resolve(socket);
    socket.on("error", () => undefined).on("close", done);
    socket.resume().on("connect", () => setImmediate(done));
  });
}

/** A connection that a proxy keeps open after it forwarded one request of a client. */
function keptByProxy(port: number, client: string): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    const done = () => resolve(socket);
    socket
      .on("error", () => undefined)
      .on("close", done)
      .once("data", done);
    socket.write(`GET /healthz HTTP/1.1\r\nhost: x\r\nx-forwarded-for: ${client}\r\n\r\n`);
  });
}

async function crowd(open: (i: number) => Promise<Socket>): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < SOCKETS) {
    const some = Array.from({ length: BATCH }, (_, i) => open(sockets.length + i));
    sockets.push(...(await Promise.all(some)));
  }
  return sockets;
}

const stillOpen = (sockets: readonly Socket[]) =>
  sockets.filter((socket) => !socket.destroyed && !socket.readableEnded).length;

const start = async (env: Readonly<Record<string, string>>): Promise<TestServer> =>
  startServer({ ...(await freshEnvironment("sqlite")), ...LIMITS, ...env });

test(
  `${SOCKETS} idle connections of one address leave room for another address`,
  TIMEOUT,
  async () => {
    const { port } = await start({});
    const sockets = await crowd(() => silent(port));
    // By the time this is answered the server has seen all connections that came before.
    expect(await statusFrom(port, "127.0.0.2")).toBe(200);
    expect(stillOpen(sockets)).toBeLessThanOrEqual(Math.ceil(SOCKETS / 20));
  },
);

test(
  `a trusted proxy keeps ${SOCKETS} connections, and its idle ones make room for new ones`,
  TIMEOUT,
  async () => {
    const { port } = await start({ GATEHOUSE_TRUST_PROXY: "127.0.0.1" });
    const sockets = await crowd((i) => keptByProxy(port, `198.18.${i >> 8}.${i & 255}`));
    expect(await statusFrom(port, "127.0.0.1", "192.0.2.7")).toBe(200);
    expect(await statusFrom(port, "127.0.0.2")).toBe(200);
    expect(stillOpen(sockets)).toBeGreaterThan(SOCKETS * 0.94);
  },
);

/** Sends all of a request but the end of its body; resolves when the server had it in its hands. */
function halfSent(port: number, localAddress: string): Promise<void> {
  const head = "POST /v1/console/session HTTP/1.1\r\nhost: x\r\ncontent-type: application/json";
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", localAddress });
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => undefined).on("close", () => resolve());
    // It is asked to go on once the request is under way.
    socket.once("data", () => resolve());
    socket.write(`${head}\r\nexpect: 100-continue\r\ncontent-length: 100\r\n\r\n{`);
  });
}

test("half-sent requests of a few addresses do not block another address", TIMEOUT, async () => {
  const limits = { GATEHOUSE_CONNECTIONS: "100", GATEHOUSE_CONNECTIONS_PER_ADDRESS: "30" };
  const server = await startServer({ ...(await freshEnvironment("sqlite")), ...limits });
  for (let i = 0; i < 120; i++) await halfSent(server.port, `127.0.0.${10 + (i % 4)}`);
  for (let i = 0; i < 5; i++) expect(await statusFrom(server.port, "127.0.0.2")).toBe(200);
  // Others who keep one each take the places of those few, not the last ones.
  for (let i = 0; i < 20; i++) await halfSent(server.port, `127.0.0.${100 + i}`);
  expect(await statusFrom(server.port, "127.0.0.2")).toBe(200);
});
