import type { IncomingMessage, ServerResponse } from "node:http";
import type { Log } from "../log/log.js";
import type { Metrics } from "../metrics.js";
import { OPEN_HEADERS } from "./open-headers.js";

/** An answer before it is sent. */
export interface Reply {
  readonly status: number;
  /** JSON text; absent where nothing is said. */
  readonly body?: string;
  /** Names and values in turn. */
  readonly headers?: readonly string[];
}

/** Headers of nearly every answer; its length and its request's id are filled in. */
const LENGTH_AT = 3;
const ANSWER_HEADERS: readonly string[] = [
  ...["content-type", "application/json", "content-length", "", "cache-control", "no-store"],
  ...OPEN_HEADERS,
  ...["x-request-id", ""],
];
const BODILESS_HEADERS = ANSWER_HEADERS.slice(LENGTH_AT + 1);

/**
 * Answers of an open door that is asked in front of the kernel, with the headers and the counting
 * the kernel would have added. They are logged at `debug` only.
 */
export class FrontAnswers {
  private readonly door: string;
  private readonly metrics: Metrics;
  private readonly log: Log;
  private readonly counts = new Map<number, () => void>();
  private readonly took: (seconds: number) => void;

  constructor(door: string, { metrics, log }: { metrics: Metrics; log: Log }) {
    this.door = door;
    this.metrics = metrics;
    this.log = log;
    const name = "gatehouse_http_request_seconds";
    this.took = metrics.durationSeries(name, "Time to answer a request.", { door });
  }

  send(
    request: IncomingMessage,
    response: ServerResponse,
    { status, body, headers = [] }: Reply,
    { requestId, ms }: { readonly requestId: string; readonly ms: number },
  ): void {
    const list = [...(body === undefined ? BODILESS_HEADERS : ANSWER_HEADERS), ...headers];
    list[list.length - headers.length - 1] = requestId;
    if (body !== undefined) list[LENGTH_AT] = String(Buffer.byteLength(body));
    response.writeHead(status, list);
    // As one text with its head: one write instead of two.
    response.end(body);
    this.count(status);
    this.took(ms / 1000);
    const { method, url: path } = request;
    const facts = { request_id: requestId, door: this.door, method, path, status, ms };
    this.log.debug(facts, `${this.door}.answered`);
  }

  private count(status: number): void {
    let count = this.counts.get(status);
    if (count === undefined) {
      const labels = { door: this.door, method: "POST", status: String(status) };
      const name = "gatehouse_http_requests_total";
      count = this.metrics.series(name, "Requests answered.", labels);
      this.counts.set(status, count);
    }
    count();
  }
}
