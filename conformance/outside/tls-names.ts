import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { type RequestOptions, request } from "node:https";
import { type AddressInfo, connect, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createServer as createTlsServer } from "node:tls";
import { fileURLToPath } from "node:url";
import { generate } from "selfsigned";

const LEAD_NAMES = fileURLToPath(new URL("lead-names.cjs", import.meta.url));

/** Where a server of this machine listens, once it does. */
async function portOf(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** One certificate for all the names, which is its own authority. */
async function certify(folder: string, names: readonly string[]) {
  const { private: key, cert } = await generate([{ name: "commonName", value: names[0] ?? "" }], {
    keyType: "ec",
    algorithm: "sha256",
    notBeforeDate: new Date(Date.now() - 3_600_000),
    extensions: [
      { name: "basicConstraints", cA: true },
      {
        name: "subjectAltName",
        altNames: [
          ...names.map((value) => ({ type: 2 as const, value })),
          { type: 7 as const, ip: "127.0.0.1" },
        ],
      },
    ],
  });
  const files = { certFile: join(folder, "cert.pem"), keyFile: join(folder, "key.pem") };
  writeFileSync(files.certFile, cert);
  writeFileSync(files.keyFile, key);
  return { key, cert, ...files };
}

/**
 * Domain names that lead to this machine, over real TLS. Programs reach them through a proxy, as in an office, and
 * ask for `https://shop.example.com` as they would anywhere; no other name leads anywhere.
 */
export async function openNames(...names: readonly string[]) {
  const folder = mkdtempSync(join(process.env.TEST_FOLDER ?? tmpdir(), "gatehouse-names-"));
  const certificate = await certify(folder, names);
  const ports = new Map<string, number>();
  const portsFile = join(folder, "ports.json");
  writeFileSync(portsFile, "{}");
  const servers: Server[] = [];

  const proxy = createServer();
  proxy.on("connect", ({ url = "" }, client) => {
    const [name = "", port] = url.split(":");
    const found = port === "443" ? ports.get(name) : undefined;
    if (found === undefined) return client.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    const server = connect(found, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      client.pipe(server).pipe(client);
    });
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on("error", () => other.destroy());
    }
  });
  servers.push(proxy);
  const proxyUrl = `http://127.0.0.1:${await portOf(proxy)}`;

  /** Speaks TLS in the name of what listens on a plain port, as a load balancer does. */
  async function secure(plainPort: number): Promise<number> {
    const server = createTlsServer(certificate, (socket) => {
      const plain = connect(plainPort, "127.0.0.1");
      socket.on("error", () => plain.destroy());
      plain.on("error", () => socket.destroy());
      socket.pipe(plain).pipe(socket);
    });
    servers.push(server);
    return portOf(server);
  }

  /** Asks as somebody who trusts the certificate. */
  async function ask(name: string, path: string, options: RequestOptions = {}, body?: unknown) {
    const to = { host: "127.0.0.1", port: ports.get(name), servername: name, agent: false, path };
    const sent = request({ ...to, ca: certificate.cert, ...options });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    const [response]: IncomingMessage[] = await once(sent, "response");
    if (response === undefined) throw new Error(`no answer of ${name}`);
    const { statusCode: status = 0, headers } = response;
    return { status, headers, text: await text(response) };
  }

  return {
    ...certificate,
    proxyUrl,
    secure,
    ask,
    /** The ports by name, as JSON, for programs that use no proxy. */
    portsFile,
    /** The environment of a program of Node that uses no proxy. */
    env: { NODE_OPTIONS: `--require=${LEAD_NAMES}`, LEAD_NAMES: portsFile },
    /** Says which port of this machine answers for a name. */
    lead(name: string, port: number) {
      ports.set(name, port);
      writeFileSync(portsFile, JSON.stringify(Object.fromEntries(ports)));
    },
    close() {
      for (const server of servers) server.close();
      proxy.closeAllConnections();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type Names = Awaited<ReturnType<typeof openNames>>;
