import type { RequestListener } from "node:http";
import type { Duplex } from "node:stream";
import { REASONS, type ReasonCode } from "@gatehouse/protocol";
import { systemIds } from "../../infra/ids.js";
import type { Metrics } from "../../infra/metrics.js";
import { callerOf } from "./admission/caller.js";
import { Problem } from "./problem.js";

const REASON_BY_CODE: Readonly<Record<string, ReasonCode>> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};

/** An error that is answered without the pipeline, in the form of every other error. */
function earlyProblem(code: ReasonCode) {
  const requestId = systemIds.id("req");
  const body = JSON.stringify(new Problem(code).body(requestId));
  const headers = {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": String(Buffer.byteLength(body)),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Request-Id": requestId,
    Connection: "close",
  };
  return { status: REASONS[code].status, headers, body };
}

/** Answers a request that is not valid HTTP, and so never reaches a route. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
  const { status, headers, body } = earlyProblem(
    REASON_BY_CODE[error.code ?? ""] ?? "invalid_request",
  );
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.join("")}\r\n${body}`);
}

function answer(code: ReasonCode, extra: Readonly<Record<string, string>> = {}): RequestListener {
  return (_request, response) => {
    const { status, headers, body } = earlyProblem(code);
    response.writeHead(status, { ...headers, ...extra }).end(body);
  };
}

/** For requests that arrive before the service has started. */
export const answerNotReady = answer("unavailable", { "Retry-After": "1" });

const answerHttpsRequired = answer("https_required");

/** For an `Expect` header other than `100-continue`. */
export const answerUnknownExpectation = answer("invalid_request");

interface HttpsTools {
  readonly config: { readonly mode: string; readonly tls: unknown };
  readonly metrics: Metrics;
}

/** Serves nothing over plain HTTP, except in development, which listens on loopback only. */
export function httpsOnly(
  { config, metrics }: HttpsTools,
  served: RequestListener,
): RequestListener {
  if (config.mode === "development" && config.tls === undefined) return served;
  const count = metrics.counter("gatehouse_plaintext_refused_total");
  return (request, response) => {
    if (callerOf(request).secure) return served(request, response);
    count({});
    answerHttpsRequired(request, response);
  };
}
