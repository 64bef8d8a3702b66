import type { IncomingMessage, ServerResponse } from "node:http";
import type { UcpRequest } from "@gatehouse/protocol";
import type { RequestSpan } from "../../infra/telemetry/telemetry.js";
import type { Caller } from "./admission/caller.js";
import type { Cors } from "./cors.js";
import type { Problem } from "./problem.js";

/** One request on its way through the pipeline. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Who sent it, and what the sender has proven so far. */
  readonly caller: Caller;
  readonly requestId: string;
  readonly startedAt: number;
  /** The path without the query. Escapes that cannot change its segments are decoded. */
  path = "";
  /** The values of the named parts of the route's path. */
  params: Readonly<Record<string, string>> = NO_PARAMS;
  /** Undefined if no route has the path. */
  group: RouteGroup | undefined = undefined;
  route: Route | undefined = undefined;
  /** Its trace, if traces are sent. */
  span: RequestSpan | undefined = undefined;
  /** The id of a JSON-RPC request, once it was read. Errors repeat it. */
  rpcId: string | number | undefined = undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    caller: Caller,
    requestId: string,
    startedAt: number,
  ) {
    this.request = request;
    this.response = response;
    this.caller = caller;
    this.requestId = requestId;
    this.startedAt = startedAt;
  }

  /** A header of the request by its name in lower case. */
  header(name: string): string | undefined {
    const value = this.request.headers[name];
    return typeof value === "string" ? value : undefined;
  }

  /** A named part of the route's path. */
  param(name: string): string {
    return this.params[name] ?? "";
  }
}

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({});

/** An answer, before the pipeline adds the headers of every answer and sends it. */
export interface Answer {
  readonly status: number;
  readonly body?: string | Uint8Array;
  /** Names in lower case. A body without a content type is JSON. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether this object is sent many times, always by the same group. */
  readonly isReused?: boolean;
}

/** Returned by a handler that has sent its answer itself. */
export const SENT = Symbol("sent");

export type Handler = (exchange: Exchange) => Answer | Promise<Answer | typeof SENT>;

/** Renders the answer to a request that was refused or failed, in the form of one protocol. */
export type RenderError = (problem: Problem, exchange: Exchange, baseUrl: string) => Answer;

/**
 * A method and a path. In the path `:name` is one segment or a part of one, `:name{pattern}` is whatever
 * the pattern matches, and `/:name?` at the end may be absent.
 */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly handle: Handler;
  /** How this route renders errors; as a problem if it is left out. */
  readonly renderError?: RenderError | undefined;
}

/** The routes of one protocol, and what they share. */
export interface RouteGroup {
  /** Names the group in metrics and log lines. */
  readonly name: string;
  /** Who may read its answers from a page of another origin. */
  readonly cors: Cors;
  /** Which answers are logged at `debug` only: groups with many requests would fill the log. */
  readonly quiet?: "all" | "successes";
  /** Whether its handlers check the `Host` header, and refuse a wrong one in their own way. */
  readonly checksHost?: boolean;
  readonly routes: readonly Route[];
}

export function get(path: string, handle: Handler): Route {
  return { method: "GET", path, handle };
}

export function post(path: string, handle: Handler, renderError?: RenderError): Route {
  return { method: "POST", path, handle, renderError };
}

/** What a group has in addition to its routes. */
type GroupSettings = Omit<RouteGroup, "routes">;

export function group(settings: GroupSettings, routes: readonly Route[]): RouteGroup {
  return { ...settings, routes };
}

/** A value as JSON. */
export function json(
  status: number,
  value: unknown,
  headers?: Readonly<Record<string, string>>,
): Answer {
  const body = JSON.stringify(value);
  return headers === undefined ? { status, body } : { status, body, headers };
}

/** The request as its sender signed it: at the public address of this service. */
export function signedRequest(
  { method = "", rawHeaders }: Pick<IncomingMessage, "method" | "rawHeaders">,
  { target, baseUrl, body }: { target: string; baseUrl: string; body: Uint8Array },
): UcpRequest {
  const fields = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    fields.push({ name: rawHeaders[i] as string, value: rawHeaders[i + 1] as string });
  }
  return { method, url: new URL(target, baseUrl).href, fields, body };
}
