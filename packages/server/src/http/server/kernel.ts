import type { RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import { cutAddress } from "../../infra/addresses.js";
import type { Clock } from "../../infra/clock.js";
import { DatabaseConflictError } from "../../infra/db/database.js";
import type { Ids } from "../../infra/ids.js";
import type { Log } from "../../infra/log/log.js";
import type { Metrics } from "../../infra/metrics.js";
import { UnavailableError } from "../../infra/unavailable-error.js";
import type { Admission } from "./admission/admission.js";
import { callerOf } from "./admission/caller.js";
import { nothingHere } from "./browser.js";
import { type Cors, corsHeaders, preflightHeaders } from "./cors.js";
import type { Door, HttpEnv } from "./env.js";
import { isPlainTarget } from "./path.js";
import { Problem } from "./problem.js";

export interface KernelTools {
  readonly config: { readonly baseUrl: string };
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly admission: Admission;
}

const RETRY_AFTER_S = "5";
const ADMIN_PREFIX = "/v1/admin";

/** Addresses that open something for whoever has them: a log must not be such a one. */
const CAPABILITY = /(\/(?:pages|challenges|checkouts|checkout-sessions|carts)\/)[^/]+/;

/** An unknown path is nobody's; below the admin prefix it must look like the admin door. */
function corsOf(c: Context<HttpEnv>): Cors {
  return c.get("door")?.cors ?? (c.req.path.startsWith(ADMIN_PREFIX) ? "none" : "open");
}

/** Methods of a path as `Allow` lists them: sorted, HEAD wherever GET, OPTIONS always. */
function allowOf(methods: ReadonlySet<string>): string {
  const all = new Set([...methods, "OPTIONS", ...(methods.has("GET") ? ["HEAD"] : [])]);
  return [...all].sort().join(", ");
}

function answerOptions(c: Context<HttpEnv>, allow: string): Response {
  return c.body(null, 204, preflightHeaders(corsOf(c), c.req.header("origin"), allow));
}

function toProblem(error: Error): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof UnavailableError) {
    const { advice: message } = error;
    return new Problem("unavailable", { message, headers: { "retry-after": RETRY_AFTER_S } });
  }
  // Two requests raced for the same name; the loser may read again and retry.
  if (error instanceof DatabaseConflictError) return new Problem("conflict");
  return new Problem("internal_error");
}

function sealHeaders(c: Context<HttpEnv>): void {
  const { headers } = c.res;
  headers.set("x-request-id", c.get("requestId"));
  headers.set("x-content-type-options", "nosniff");
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  for (const [name, value] of corsHeaders(corsOf(c), c.req.header("origin"))) {
    headers.set(name, value);
  }
}

/** First in, last out: identifies the request, refuses odd targets, and counts the answer. */
function frame(tools: KernelTools): MiddlewareHandler<HttpEnv> {
  const { admission, clock, ids, log, metrics } = tools;
  const count = metrics.counter("gatehouse_http_requests_total");
  const took = metrics.duration("gatehouse_http_request_seconds");
  return async (c, next) => {
    const startedAt = clock.now();
    const caller = callerOf(c.env.incoming);
    c.set("requestId", ids.id("req"));
    c.set("caller", caller);
    c.set("baseUrl", tools.config.baseUrl);
    if (isPlainTarget(c.env.incoming.url ?? "")) await next();
    else c.res = unknownPath(c);
    sealHeaders(c);
    const ms = clock.now() - startedAt;
    const { method } = c.req;
    const path = c.req.path.replace(CAPABILITY, "$1…");
    const door = c.get("door")?.name ?? "none";
    const { status } = c.res;
    count({ door, method: /^[A-Z]{3,7}$/.test(method) ? method : "other", status: `${status}` });
    took({ door }, ms / 1000);
    admission.count(caller, door);
    const client = cutAddress(caller.address);
    const facts = { request_id: c.get("requestId"), door, method, path, status, ms, client };
    log.info(facts, "http.answered");
  };
}

function unknownPath(c: Context<HttpEnv>): Response {
  if (c.req.method === "OPTIONS") return answerOptions(c, "OPTIONS");
  const page = nothingHere(c);
  return page ?? new Problem("not_found").response(c.get("requestId"), c.get("baseUrl"));
}

function mount(app: OpenAPIHono<HttpEnv>, door: Door): void {
  const methodsByPath = new Map<string, Set<string>>();
  for (const { path, method } of door.routes.routes) {
    if (method === "ALL") continue;
    methodsByPath.set(path, (methodsByPath.get(path) ?? new Set()).add(method));
  }
  for (const [path, methods] of methodsByPath) {
    const allow = allowOf(methods);
    // Before the route's own checks: a wrong method is wrong whatever site or token it names.
    app.use(path, async (c, next) => {
      c.set("door", door);
      if (c.req.method === "OPTIONS") return answerOptions(c, allow);
      const method = c.req.method === "HEAD" ? "GET" : c.req.method;
      if (!methods.has(method)) throw new Problem("method_not_allowed", { headers: { allow } });
      return next();
    });
  }
  app.route("/", door.routes);
}

/** Rules that hold for every route: ids, headers, preflights, wrong methods, errors, counting. */
export function createKernel(doors: readonly Door[], tools: KernelTools): RequestListener {
  const app = new OpenAPIHono<HttpEnv>();
  app.use(frame(tools));
  for (const door of doors) mount(app, door);
  app.notFound(unknownPath);
  app.onError((error, c) => {
    const problem = toProblem(error);
    if (problem.status >= 500) {
      tools.log.error({ request_id: c.get("requestId"), error }, "http.failed");
    }
    const page = problem.code === "not_found" ? nothingHere(c) : undefined;
    return page ?? problem.response(c.get("requestId"), tools.config.baseUrl);
  });
  return getRequestListener((request, env) => app.fetch(request, env as never), {
    // Only requests the adapter could not read get here, before any route.
    errorHandler: (error) => {
      tools.log.debug({ error }, "http.unreadable");
      return new Problem("invalid_request").response(tools.ids.id("req"), tools.config.baseUrl);
    },
  });
}
