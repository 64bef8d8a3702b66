import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import {
  createServer as createTlsServer,
  type ServerOptions,
  type Server as TlsServer,
} from "node:https";
import {
  type AddressInfo,
  createServer as createNetServer,
  type Server as NetServer,
} from "node:net";
import type { TlsSettings } from "../../config/config.js";
import type { Clock } from "../../infra/clock.js";
import { readTextFile } from "../../infra/files/private-file.js";
import type { Log } from "../../infra/log/log.js";
import type { Metrics } from "../../infra/metrics.js";
import { MINUTE_MS } from "../../infra/time.js";
import { StartupError } from "../../startup-error.js";
import { answerBrokenRequest, answerNotReady, answerUnknownExpectation } from "./early-answers.js";
import { OpenConnections } from "./open-connections.js";
import { TrustedProxies } from "./trusted-proxies.js";

const HEADER_BYTES_MAX = 16_384;
const HEADER_MS_MAX = 10_000;
/** Longer than the longest upload. Each route that reads a body has its own, shorter limit. */
const REQUEST_MS_MAX = 11 * MINUTE_MS;
/** How long a client may go on sending a body after its request was answered. */
const LINGER_MS_MAX = 15_000;
/** Longer than the minute for which proxies keep connections, so that none reuses a closed one. */
const IDLE_MS_MAX = 65_000;
const TIMEOUT_CHECK_MS = 1000;
/** How long a stopping process waits for requests under way. */
const DRAIN_MS_MAX = 10_000;
/** First byte of every TLS connection: a handshake record. */
const TLS_HANDSHAKE = 0x16;

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: TlsSettings | undefined;
  readonly trustProxy: readonly string[];
  readonly limits: Readonly<Record<"CONNECTIONS" | "CONNECTIONS_PER_ADDRESS", number>>;
  readonly clock: Clock;
}

/** A bound port. Requests are answered 503 until `serve` is called. */
export interface Listener {
  readonly port: number;
  serve(handler: RequestListener): void;
  /** Counts connections from now on. */
  measure(metrics: Metrics): void;
  /** Reads the certificate files again, and keeps open connections. */
  reloadTls(log: Log): void;
  /** Accepts no new connections, lets requests under way finish, then closes the rest. */
  stop(): Promise<void>;
}

const LIMITS = {
  // The pipeline answers a missing Host like any other bad request.
  requireHostHeader: false,
  maxHeaderSize: HEADER_BYTES_MAX,
  headersTimeout: HEADER_MS_MAX,
  requestTimeout: REQUEST_MS_MAX,
  keepAliveTimeout: IDLE_MS_MAX,
  connectionsCheckingInterval: TIMEOUT_CHECK_MS,
};

function readTls(files: TlsSettings) {
  return {
    cert: readTextFile(files.certFile, "The TLS certificate"),
    key: readTextFile(files.keyFile, "The TLS key"),
  };
}

function createTls(tls: TlsSettings, handler: RequestListener): TlsServer {
  const files = readTls(tls);
  try {
    const { minVersion } = tls;
    const options: ServerOptions = {
      ...LIMITS,
      ...files,
      minVersion,
      handshakeTimeout: HEADER_MS_MAX,
    };
    return createTlsServer(options, handler);
  } catch {
    throw new StartupError(
      `The files ${tls.certFile} and ${tls.keyFile} are not a PEM certificate and its key.`,
    );
  }
}

/**
 * One port for TLS and plain HTTP. A connection that does not begin with a TLS handshake goes to the
 * plain server, where the pipeline answers that HTTPS is required.
 */
function splitByFirstByte(secure: TlsServer, plain: Server): NetServer {
  return createNetServer((socket) => {
    const drop = () => socket.destroy();
    socket.setTimeout(HEADER_MS_MAX, drop);
    socket.on("error", drop);
    socket.once("data", (first) => {
      socket.pause();
      socket.setTimeout(0);
      socket.off("timeout", drop);
      socket.unshift(first);
      (first[0] === TLS_HANDSHAKE ? secure : plain).emit("connection", socket);
      process.nextTick(() => socket.resume());
    });
  });
}

function bind(server: NetServer, { host, port }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const why: Record<string, string> = {
        EADDRINUSE: `Port ${port} on ${host} is in use: stop the program that uses it, or set GATEHOUSE_PORT.`,
        EACCES: `Port ${port} needs more permissions: set GATEHOUSE_PORT to 1024 or above.`,
        EADDRNOTAVAIL: `${host} is not an address of this machine: set GATEHOUSE_HOST.`,
      };
      const message = why[error.code ?? ""] ?? `Cannot listen on ${host}:${port}.`;
      const setting = error.code === "EADDRINUSE" ? { setting: "GATEHOUSE_PORT" } : {};
      reject(new StartupError(message, setting));
    });
    server.listen(port, host, resolve);
  });
}

function drain(
  bound: NetServer,
  servers: readonly Server[],
  connections: OpenConnections,
  clock: Clock,
): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(DRAIN_MS_MAX, () => connections.closeAll());
    bound.close(() => {
      cancel();
      resolve();
    });
    for (const server of servers) if (server !== bound) server.close();
    connections.closeIdle();
  });
}

function harden(server: Server): void {
  // Node's own function would cut off an answer that has ended but is not sent yet. `OpenConnections`
  // knows which connections are idle.
  server.closeIdleConnections = () => undefined;
  server.on("clientError", answerBrokenRequest);
  server.on("checkExpectation", answerUnknownExpectation);
  server.on("connect", (_request, socket) => answerBrokenRequest(new Error("CONNECT"), socket));
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;

/** Closes the connection of an answered request whose client goes on sending its body. */
function endUnread(request: IncomingMessage, clock: Clock): void {
  if (request.complete) return;
  clock.after(LINGER_MS_MAX, () => {
    if (!request.complete) request.socket.destroy();
  });
}

export async function listen(options: ListenOptions): Promise<Listener> {
  let current: RequestListener = answerNotReady;
  let stopping = false;
  const { limits, trustProxy } = options;
  const connections = new OpenConnections({
    total: limits.CONNECTIONS,
    perAddress: limits.CONNECTIONS_PER_ADDRESS,
    proxies: new TrustedProxies(trustProxy),
  });
  const handler = connections.counting((request, response) => {
    if (stopping) response.setHeader("connection", "close");
    if (hasBody(request)) response.once("finish", () => endUnread(request, options.clock));
    current(request, response);
  });
  const plain = createServer(LIMITS, handler);
  const secure = options.tls && createTls(options.tls, handler);
  const servers = secure === undefined ? [plain] : [plain, secure];
  for (const server of servers) harden(server);
  const bound = secure === undefined ? plain : splitByFirstByte(secure, plain);
  bound.maxConnections = limits.CONNECTIONS;
  // A worker would pass one connection too many to the next worker, which may have no room either.
  (bound as NetServer & { dropMaxConnection?: boolean }).dropMaxConnection = true;
  connections.track(bound);
  await bind(bound, options);
  // Node starts its time-out checks when a server listens. These servers get their sockets from `bound`.
  for (const server of servers) if (server !== bound) server.emit("listening");
  return {
    port: (bound.address() as AddressInfo).port,
    serve: (next) => {
      current = next;
    },
    measure: (metrics) => connections.measure(metrics),
    reloadTls: (log) => {
      if (options.tls === undefined) return;
      const { minVersion } = options.tls;
      try {
        secure?.setSecureContext({ ...readTls(options.tls), minVersion });
        log.info({}, "tls.reloaded");
      } catch (error) {
        // Half a renewal is on disk: go on with the certificate we have.
        log.error({ error }, "tls.not_reloaded");
      }
    },
    stop: () => {
      stopping = true;
      return drain(bound, servers, connections, options.clock);
    },
  };
}
