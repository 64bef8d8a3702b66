import type { RequestListener } from "node:http";
import type { Duplex } from "node:stream";
import { REASONS, type ReasonCode } from "@gatehouse/protocol";
import { systemIds } from "../../infra/ids.js";
import { Problem } from "./problem.js";

const REASON_BY_CODE: Readonly<Record<string, ReasonCode>> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};

/** Head and body of an answer given outside the kernel, in the shape of every other error. */
function rawProblem(code: ReasonCode) {
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

/** Requests that are not even HTTP never reach a route. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
  const { status, headers, body } = rawProblem(
    REASON_BY_CODE[error.code ?? ""] ?? "invalid_request",
  );
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.join("")}\r\n${body}`);
}

function answer(code: ReasonCode, extra: Readonly<Record<string, string>> = {}): RequestListener {
  return (_request, response) => {
    const { status, headers, body } = rawProblem(code);
    response.writeHead(status, { ...headers, ...extra }).end(body);
  };
}

/** The port is taken before the rest is composed; until then nothing can be answered. */
export const answerNotReady = answer("unavailable", { "Retry-After": "1" });

/** Production over plain HTTP: said before anything else of the request is looked at. */
export const answerHttpsRequired = answer("https_required");

/** An expectation other than 100-continue. */
export const answerRefused = answer("invalid_request");
