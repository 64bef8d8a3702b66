import type { IncomingMessage, ServerResponse } from "node:http";
import { cutAddress } from "../../infra/addresses.js";
import type { Clock } from "../../infra/clock.js";
import type { Ids } from "../../infra/ids.js";
import type { Log } from "../../infra/log/log.js";
import type { Metrics } from "../../infra/metrics.js";
import type { Admission } from "./admission/admission.js";
import { type Caller, callerOf } from "./admission/caller.js";
import { type Cors, corsHeaders } from "./cors.js";

/** A request that is answered in front of the kernel. */
export interface Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** When it came. */
  readonly since: number;
  /** Who sent it. */
  readonly caller: Caller;
}

/** An answer before it is sent. */
export interface Reply {
  readonly status: number;
  /** JSON text; absent where nothing is said. */
  readonly body?: string;
  /** Names and values in turn. */
  readonly headers?: readonly string[];
}

interface FrontTools {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly admission: Admission;
}

interface FrontDoor {
  readonly name: string;
  readonly cors: Exclude<Cors, "none">;
  /** Where single answers are logged: doors that are asked all the time keep quiet. */
  readonly logged: "info" | "debug";
}

/** Headers of every answer; its request's id, and a body's length, are filled in. */
const ID_AT = 5;
const LENGTH_AT = 9;
const PLAIN_HEADERS: readonly string[] = [
  "cache-control",
  "no-store",
  "x-content-type-options",
  "nosniff",
  "x-request-id",
  "",
];
const BODY_HEADERS: readonly string[] = [
  ...PLAIN_HEADERS,
  "content-type",
  "application/json",
  "content-length",
  "",
];
const OPEN_CORS: readonly string[] = corsHeaders("open", undefined).flat();

/**
 * Requests of a door that is asked in front of the kernel, answered with the headers and the
 * counting the kernel would have added.
 */
export class FrontAnswers {
  private readonly door: FrontDoor;
  private readonly tools: FrontTools;
  private readonly plainHeaders: readonly string[];
  private readonly bodyHeaders: readonly string[];
  private readonly counts = new Map<number, () => void>();
  private readonly took: (seconds: number) => void;

  constructor(door: FrontDoor, tools: FrontTools) {
    this.door = door;
    this.tools = tools;
    const open = door.cors === "open" ? OPEN_CORS : [];
    this.plainHeaders = [...PLAIN_HEADERS, ...open];
    this.bodyHeaders = [...BODY_HEADERS, ...open];
    const name = "gatehouse_http_request_seconds";
    const labels = { door: door.name };
    this.took = tools.metrics.durationSeries(name, labels);
  }

  arrival(request: IncomingMessage, response: ServerResponse): Arrival {
    const { clock, ids } = this.tools;
    const caller = callerOf(request);
    return { request, response, requestId: ids.id("req"), since: clock.now(), caller };
  }

  send(arrival: Arrival, { status, body, headers }: Reply): void {
    const { request, response, requestId, since } = arrival;
    const list = (body === undefined ? this.plainHeaders : this.bodyHeaders).slice();
    list[ID_AT] = requestId;
    if (body !== undefined) list[LENGTH_AT] = String(Buffer.byteLength(body));
    if (this.door.cors === "echo") list.push(...corsHeaders("echo", request.headers.origin).flat());
    if (headers !== undefined) list.push(...headers);
    response.writeHead(status, list);
    // As one text with its head: one write instead of two.
    response.end(body);
    this.count(status);
    this.tools.admission.count(arrival.caller, this.door.name);
    const ms = this.tools.clock.now() - since;
    this.took(ms / 1000);
    this.note(arrival, status, ms);
  }

  private note({ request, requestId, caller }: Arrival, status: number, ms: number): void {
    const { name: door, logged } = this.door;
    const { method, url: path } = request;
    if (logged === "debug") {
      const facts = { request_id: requestId, door, method, path, status, ms };
      this.tools.log.debug(facts, "http.answered");
    } else {
      const client = cutAddress(caller.address);
      const facts = { request_id: requestId, door, method, path, status, ms, client };
      this.tools.log.info(facts, "http.answered");
    }
  }

  private count(status: number): void {
    let count = this.counts.get(status);
    if (count === undefined) {
      const labels = { door: this.door.name, method: "POST", status: String(status) };
      const name = "gatehouse_http_requests_total";
      count = this.tools.metrics.series(name, labels);
      this.counts.set(status, count);
    }
    count();
  }
}
