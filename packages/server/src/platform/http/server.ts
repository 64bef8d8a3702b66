import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { REASONS, type ReasonCode } from "@gatehouse/protocol";
import { StartupError } from "../../startup-error.js";
import type { Clock } from "../clock.js";
import { readTextFile } from "../files/private-file.js";

export const HEADER_BYTES_MAX = 16_384;
const HEADER_MS_MAX = 10_000;
/** Header and body time-outs together; routes that read a body hold it to its own 15 s. */
const REQUEST_MS_MAX = 25_000;
const IDLE_MS_MAX = 5000;
const TIMEOUT_CHECK_MS = 1000;
/** How long a stopping process waits for requests it has begun. */
export const DRAIN_MS_MAX = 10_000;

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly clock: Clock;
}

/** A bound port. Requests are answered 503 until `serve` is called. */
export interface Listener {
  readonly port: number;
  serve(handler: RequestListener): void;
  /** Reads the certificate files again; what is connected stays connected. */
  reloadTls(): void;
  /** Stops accepting, lets begun requests finish, then closes what is left. */
  stop(): Promise<void>;
}

const STATUS_BY_CODE: Readonly<Record<string, ReasonCode>> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};

/** Requests that are not even HTTP never reach a route; they get the same error shape. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
  const code = STATUS_BY_CODE[error.code ?? ""] ?? "invalid_request";
  const { status, message } = REASONS[code];
  const body = JSON.stringify({ error: code, message });
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nConnection: close\r\nCache-Control: no-store\r\n` +
      "X-Content-Type-Options: nosniff\r\nContent-Type: application/json; charset=utf-8\r\n" +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

const notReady: RequestListener = (_request, response) => {
  const { message } = REASONS.unavailable;
  response.writeHead(503, {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    "retry-after": "1",
  });
  response.end(JSON.stringify({ error: "unavailable", message }));
};

function readTls(files: NonNullable<ListenOptions["tls"]>) {
  return {
    cert: readTextFile(files.certFile, "The TLS certificate"),
    key: readTextFile(files.keyFile, "The TLS key"),
  };
}

function create(tls: ListenOptions["tls"], handler: RequestListener): Server {
  const limits = {
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: HEADER_MS_MAX,
    requestTimeout: REQUEST_MS_MAX,
    keepAliveTimeout: IDLE_MS_MAX,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
  };
  if (tls === undefined) return createServer(limits, handler);
  const files = readTls(tls);
  try {
    return createTlsServer({ ...limits, ...files, minVersion: "TLSv1.2" }, handler);
  } catch {
    throw new StartupError(
      `The TLS files ${tls.certFile} and ${tls.keyFile} are not a PEM certificate and its key.`,
    );
  }
}

function bind(server: Server, { host, port }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const why: Record<string, string> = {
        EADDRINUSE: `Port ${port} on ${host} is in use: stop what uses it, or set GATEHOUSE_PORT.`,
        EACCES: `Port ${port} needs more rights: set GATEHOUSE_PORT to 1024 or above.`,
        EADDRNOTAVAIL: `${host} is not an address of this machine: set GATEHOUSE_HOST.`,
      };
      reject(new StartupError(why[error.code ?? ""] ?? `Cannot listen on ${host}:${port}.`));
    });
    server.listen(port, host, resolve);
  });
}

function drain(server: Server, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(DRAIN_MS_MAX, () => server.closeAllConnections());
    server.close(() => {
      cancel();
      resolve();
    });
    server.closeIdleConnections();
  });
}

export async function listen(options: ListenOptions): Promise<Listener> {
  let current = notReady;
  let stopping = false;
  const server = create(options.tls, (request, response) => {
    if (stopping) response.setHeader("connection", "close");
    current(request, response);
  });
  server.on("clientError", answerBrokenRequest);
  await bind(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    serve: (handler) => {
      current = handler;
    },
    reloadTls: () => {
      if (options.tls === undefined || !("setSecureContext" in server)) return;
      (server.setSecureContext as (files: object) => void)(readTls(options.tls));
    },
    stop: () => {
      stopping = true;
      return drain(server, options.clock);
    },
  };
}
