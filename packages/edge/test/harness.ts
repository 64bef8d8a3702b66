import { createPrivateKey, generateKeyPairSync, type JsonWebKey } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { createSigner, httpbis } from "http-message-signatures";
import { calculateJwkThumbprint } from "jose";
import { generate } from "selfsigned";

export interface Listening {
  readonly port: number;
  readonly url: string;
  close(): Promise<void>;
}

async function listening(server: Server, scheme: string): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  };
  return { port, url: `${scheme}://127.0.0.1:${port}`, close };
}

export function serve(listener: RequestListener): Promise<Listening> {
  return listening(createServer(listener), "http");
}

/** How the service behaves that the edge asks. */
export type GateMode = "up" | "silent" | "failing" | "garbage" | "resetting" | "redirecting";

/**
 * Stands where the edge looks for Gatehouse: passes on to the real one, or misbehaves. Counts what it
 * is asked for.
 */
export async function startGate(target: string) {
  const gate = { mode: "up" as GateMode, asked: [] as string[] };
  const misbehave: Record<Exclude<GateMode, "up">, RequestListener> = {
    silent: () => undefined,
    failing: (_request, response) => response.writeHead(500).end("<h1>Oops</h1>"),
    garbage: (_request, response) => {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
      response.end("<!doctype html><title>Parked</title>{ \u0000");
    },
    resetting: (request) => request.socket.destroy(),
    redirecting: (_request, response) =>
      response.writeHead(302, { location: "https://evil.example/" }).end(),
  };
  const server = await serve(async (request, response) => {
    gate.asked.push(`${request.method} ${request.url}`);
    if (gate.mode !== "up") return misbehave[gate.mode](request, response);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { host: _host, connection: _connection, ...headers } = request.headers;
    const answer = await fetch(target + request.url, {
      method: request.method as string,
      headers: headers as Record<string, string>,
      redirect: "manual",
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    });
    const body = Buffer.from(await answer.arrayBuffer());
    const passed = [...answer.headers].filter(([name]) => name !== "transfer-encoding");
    response.writeHead(answer.status, Object.fromEntries(passed)).end(body);
  });
  return Object.assign(gate, server);
}

export interface TestAgent {
  readonly jwk: JsonWebKey;
  readonly thumbprint: string;
  /** Headers of a request signed as an agent would. */
  sign(url: string, options?: SignOptions): Promise<Record<string, string>>;
}

interface SignOptions {
  /** Where it says its keys are. */
  readonly origin: string;
  /** The older form: one string instead of a dictionary. */
  readonly legacy?: boolean;
  readonly createdAt?: number;
  readonly lifeS?: number;
  readonly method?: string;
}

/** An agent that signs with another library than ours. */
export async function createAgent(): Promise<TestAgent> {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const jwk = publicKey.export({ format: "jwk" }) as JsonWebKey;
  const thumbprint = await calculateJwkThumbprint(jwk as never);
  const pem = privateKey.export({ format: "pem", type: "pkcs8" });
  const key = createSigner(createPrivateKey(pem), "ed25519", thumbprint);
  return {
    jwk,
    thumbprint,
    async sign(
      url,
      { origin, legacy, createdAt = Date.now(), lifeS = 300, method = "GET" } = { origin: "" },
    ) {
      const header = legacy ? `"${origin}"` : `sig1="${origin}"`;
      const covered = legacy ? "signature-agent" : '"signature-agent";key="sig1"';
      const created = new Date(createdAt);
      const expires = new Date(createdAt + lifeS * 1000);
      const signed = await httpbis.signMessage(
        {
          key,
          name: "sig1",
          fields: ["@authority", covered],
          params: ["created", "expires", "keyid", "tag"],
          paramValues: { created, expires, tag: "web-bot-auth" },
        },
        { method, url, headers: { "signature-agent": header } },
      );
      return signed.headers as Record<string, string>;
    },
  };
}

/** A directory of keys over TLS, with a certificate of its own authority. */
export async function startDirectory(host: string) {
  const directory = { keys: [] as JsonWebKey[], status: 200, asked: 0 };
  const pems = await generate([{ name: "commonName", value: host }], {
    keyType: "ec",
    algorithm: "sha256",
    notBeforeDate: new Date(Date.now() - 3_600_000),
    extensions: [
      { name: "basicConstraints", cA: true },
      { name: "subjectAltName", altNames: [{ type: 2, value: host }] },
    ],
  });
  const server = createTlsServer({ key: pems.private, cert: pems.cert }, (_request, response) => {
    directory.asked++;
    response.writeHead(directory.status, {
      "content-type": "application/http-message-signatures-directory+json",
      "cache-control": "max-age=60",
    });
    response.end(JSON.stringify({ keys: directory.keys }));
  });
  const { port, close } = await listening(server as unknown as Server, "https");
  return Object.assign(directory, {
    origin: `https://${host}:${port}`,
    host: `${host}:${port}`,
    close,
    ca: pems.cert,
  });
}

/** Everything that comes back for a request, byte by byte, but for the date. */
export function rawAnswer(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    let answer = "";
    socket.setEncoding("latin1");
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("close", () => resolve(answer.replace(/\r\ndate: [^\r]*/i, "")));
    socket.on("error", reject);
  });
}

/** Looks until it is so; the test's own time-out ends it. */
export async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
