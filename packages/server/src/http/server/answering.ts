import { cutAddress } from "../../infra/addresses.js";
import type { Clock } from "../../infra/clock.js";
import type { Log } from "../../infra/log/log.js";
import type { Metrics } from "../../infra/metrics.js";
import type { Admission } from "./admission/admission.js";
import { type Cors, corsHeaders } from "./cors.js";
import type { Answer, Exchange } from "./exchange.js";

const ADMIN_PREFIX = "/v1/admin";
/** The group of a path that no route has. */
const NO_GROUP = "none";
/** Addresses that open something for everybody who has them: a log must not contain one. */
const CAPABILITY = /(\/(?:pages|challenges|checkouts|checkout-sessions|carts)\/)[^/]+/;
const METHOD = /^[A-Z]{3,7}$/;

const NOSNIFF: readonly string[] = ["x-content-type-options", "nosniff"];
const OPEN: readonly string[] = [...NOSNIFF, ...corsHeaders("open", undefined).flat()];

/** An unknown path belongs to no group; below the admin prefix it must look like the admin API. */
export function corsOf({ group, path }: Exchange): Cors {
  return group?.cors ?? (path.startsWith(ADMIN_PREFIX) ? "none" : "open");
}

/** What every answer has, as names and values in turn. */
export function commonHeaders(exchange: Exchange): string[] {
  const cors = corsOf(exchange);
  const headers = cors === "open" ? OPEN.slice() : NOSNIFF.slice();
  if (cors === "echo") headers.push(...corsHeaders(cors, exchange.request.headers.origin).flat());
  headers.push("x-request-id", exchange.requestId);
  return headers;
}

/** Sends an answer with what all answers have. */
export function sendAnswer(exchange: Exchange, { status, body, headers }: Answer): void {
  const list = commonHeaders(exchange);
  let [hasType, hasLength, hasCache] = [false, false, false];
  for (const name in headers) {
    list.push(name, headers[name] as string);
    if (name === "content-type") hasType = true;
    else if (name === "content-length") hasLength = true;
    else if (name === "cache-control") hasCache = true;
  }
  if (!hasCache) list.push("cache-control", "no-store");
  if (body !== undefined) {
    if (!hasType) list.push("content-type", "application/json");
    if (!hasLength) list.push("content-length", String(Buffer.byteLength(body)));
  }
  const { request, response } = exchange;
  response.writeHead(status, list);
  // A text goes out in one write together with its head.
  if (request.method === "HEAD") response.end();
  else response.end(body);
}

interface RecorderTools {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly admission: Admission;
}

/** Counts, times and logs every answer. */
export class AnswerRecorder {
  private readonly tools: RecorderTools;
  /** Series by group, method and status: making the labels for each answer would cost too much. */
  private readonly counts = new Map<string, () => void>();
  private readonly durations = new Map<string, (seconds: number) => void>();

  constructor(tools: RecorderTools) {
    this.tools = tools;
  }

  record(exchange: Exchange, status: number, quiet = exchange.group?.quiet): void {
    const { caller, group, startedAt } = exchange;
    const name = group?.name ?? NO_GROUP;
    const ms = this.tools.clock.now() - startedAt;
    this.count(name, exchange.request.method ?? "", status);
    this.time(name, ms / 1000);
    this.tools.admission.count(caller, name);
    const isQuiet = quiet === "all" || (quiet === "successes" && status < 400);
    this.note(exchange, { door: name, status, ms, isQuiet });
  }

  private count(door: string, method: string, status: number): void {
    const key = `${door} ${method} ${status}`;
    let count = this.counts.get(key);
    if (count === undefined) {
      const label = METHOD.test(method) ? method : "other";
      const labels = { door, method: label, status: String(status) };
      count = this.tools.metrics.series("gatehouse_http_requests_total", labels);
      // Node takes few methods, groups and statuses are ours: the map stays small.
      this.counts.set(key, count);
    }
    count();
  }

  private time(door: string, seconds: number): void {
    let observe = this.durations.get(door);
    if (observe === undefined) {
      observe = this.tools.metrics.durationSeries("gatehouse_http_request_seconds", { door });
      this.durations.set(door, observe);
    }
    observe(seconds);
  }

  private note(
    { caller, path: whole, request, requestId }: Exchange,
    facts: { door: string; status: number; ms: number; isQuiet: boolean },
  ): void {
    const { door, status, ms, isQuiet } = facts;
    const { method } = request;
    if (isQuiet) {
      const line = { request_id: requestId, door, method, path: whole, status, ms };
      this.tools.log.debug(line, "http.answered");
      return;
    }
    const path = whole.replace(CAPABILITY, "$1…");
    const client = cutAddress(caller.address);
    const line = { request_id: requestId, door, method, path, status, ms, client };
    this.tools.log.info(line, "http.answered");
  }
}
