import { get } from "node:http";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { freshEnvironment, startServer } from "../harness.ts";

/** 10,000 in the long tier; the limits are made smaller to match. */
const SOCKETS = Number(process.env.IDLE_SOCKETS ?? 1000);
const LIMITS = {
  GATEHOUSE_CONNECTIONS: String(SOCKETS),
  GATEHOUSE_CONNECTIONS_PER_ADDRESS: String(Math.ceil(SOCKETS / 20)),
};
const TIMEOUT = { timeout: 30_000 + SOCKETS * 10 };

/** Opens a connection that says nothing; whether it is still open once the server has seen it. */
function idle(port: number, localAddress: string): Promise<{ isOpen(): boolean }> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", localAddress });
    onTestFinished(() => void socket.destroy());
    let open = true;
    const state = { isOpen: () => open };
    socket.on("error", () => undefined).resume();
    socket.on("close", () => {
      open = false;
      resolve(state);
    });
    socket.on("connect", () => setImmediate(() => resolve(state)));
  });
}

const statusFrom = (port: number, localAddress: string) =>
  new Promise<number | string>((resolve) => {
    const options = { port, host: "127.0.0.1", localAddress, path: "/healthz", agent: false };
    const request = get(options, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on("error", ({ message }) => resolve(message));
  });

async function crowded(env: Readonly<Record<string, string>>) {
  const server = await startServer({ ...(await freshEnvironment("sqlite")), ...LIMITS, ...env });
  const sockets: { isOpen(): boolean }[] = [];
  while (sockets.length < SOCKETS) {
    const some = Array.from({ length: 100 }, () => idle(server.port, "127.0.0.1"));
    sockets.push(...(await Promise.all(some)));
  }
  // An answer to another connection: by then the server has seen all that came before it.
  const served = await statusFrom(server.port, "127.0.0.2");
  return { served, open: sockets.filter((socket) => socket.isOpen()).length };
}

test(`${SOCKETS} idle connections of one address leave room for another's`, TIMEOUT, async () => {
  const { served, open } = await crowded({});
  expect(served).toBe(200);
  expect(open).toBeLessThanOrEqual(Math.ceil(SOCKETS / 20));
});

test(
  "a trusted proxy has as many connections as it needs, and the idlest make room",
  TIMEOUT,
  async () => {
    const { served, open } = await crowded({ GATEHOUSE_TRUST_PROXY: "127.0.0.1" });
    expect(open).toBe(SOCKETS);
    expect(typeof served).toBe("string");
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

test("half-sent requests of a few addresses do not shut another out", TIMEOUT, async () => {
  const limits = { GATEHOUSE_CONNECTIONS: "100", GATEHOUSE_CONNECTIONS_PER_ADDRESS: "30" };
  const server = await startServer({ ...(await freshEnvironment("sqlite")), ...limits });
  for (let i = 0; i < 120; i++) await halfSent(server.port, `127.0.0.${10 + (i % 4)}`);
  for (let i = 0; i < 5; i++) expect(await statusFrom(server.port, "127.0.0.2")).toBe(200);
});
