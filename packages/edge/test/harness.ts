import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

/** Each document's path on the site, and at the service. */
export const DOCUMENTS = [
  ["/llms.txt", "/v1/llms/{hash}.txt"],
  ["/agent", "/v1/agent/{hash}"],
  ["/.well-known/agent-card.json", "/v1/agent-card/{hash}.json"],
  ["/.well-known/ai-catalog.json", "/v1/catalog/{hash}.json"],
  ["/.well-known/ard.json", "/v1/catalog/{hash}/ard.json"],
  ["/.well-known/did.json", "/v1/did/{hash}.json"],
  ["/.well-known/acp.json", "/v1/acp/{hash}.json"],
] as const;

export interface Listening {
  readonly port: number;
  readonly url: string;
  close(): Promise<void>;
}

export async function serve(listener: RequestListener): Promise<Listening> {
  const server = createServer(listener);
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
  return { port, url: `http://127.0.0.1:${port}`, close };
}

/** How the service behaves that the edge asks. */
export type GateMode = "up" | "silent" | "failing" | "garbage" | "resetting" | "redirecting";

/**
 * Stands where the edge looks for Gatehouse: passes on to the real one, or misbehaves. Counts what it
 * is asked for.
 */
export async function startGate(target: string) {
  const gate = {
    mode: "up" as GateMode,
    asked: [] as string[],
    /** Changes the documents on their way. */
    rewrite: (text: string) => text,
  };
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
    const body = Buffer.from(gate.rewrite(await answer.text()));
    const passed = [...answer.headers].filter(
      ([name]) => name !== "transfer-encoding" && name !== "content-length",
    );
    response.writeHead(answer.status, Object.fromEntries(passed)).end(body);
  });
  return Object.assign(gate, server);
}

/** Makes cards and catalogs say that they expired long ago, wherever they stand. */
export function expired(text: string): string {
  return text
    .replace(/"expires_at":"[^"]+"/g, '"expires_at":"2020-01-01T00:00:00.000Z"')
    .replace(/"signature":"([\w-]+)\.\./g, (_all, header: string) => {
      const parts = JSON.parse(Buffer.from(header, "base64url").toString("utf8"));
      const old = Buffer.from(JSON.stringify({ ...parts, exp: 1 })).toString("base64url");
      return `"signature":"${old}..`;
    });
}

/** What each document answers once its signature has expired. */
export const EXPIRED = {
  "/llms.txt": 200,
  "/agent": 200,
  "/.well-known/agent-card.json": 503,
  "/.well-known/ai-catalog.json": 503,
  "/.well-known/ard.json": 503,
  "/.well-known/did.json": 200,
  "/.well-known/acp.json": 200,
} as const;

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
