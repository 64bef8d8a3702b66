import type { IncomingMessage } from "node:http";
import { OpenAPIHono } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import type { ZodError } from "zod";
import type { Caller } from "./admission/caller.js";
import type { Cors } from "./cors.js";
import type { Exchange, RenderError } from "./exchange.js";
import { readJson } from "./json-body.js";
import { Problem } from "./problem.js";
import { describeIssues } from "./validation.js";

const BODY_BYTES_MAX = 1024 * 1024;
const BODY_METHODS: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

/** Routes that Hono serves behind the pipeline, for people and administrators. */
export interface HonoGroup {
  readonly name: string;
  readonly cors: Cors;
  readonly routes: OpenAPIHono<HttpEnv>;
  /** How its routes render errors; as a problem if it is left out. */
  readonly renderError?: RenderError;
}

/** What every handler finds in its Hono context. */
export interface HttpEnv {
  readonly Bindings: { readonly incoming: IncomingMessage; readonly exchange: Exchange };
  readonly Variables: {
    requestId: string;
    caller: Caller;
    /** The public address of this service. */
    baseUrl: string;
  };
}

/** Routes with schemas. Requests that do not fit their schema are refused with a readable message. */
export function describedRoutes<Env extends HttpEnv>(): OpenAPIHono<Env> {
  return new OpenAPIHono<Env>({
    defaultHook: (result) => {
      if (result.success) return;
      if (result.target === "param") throw new Problem("not_found");
      const message = describeIssues((result.error as ZodError).issues);
      throw new Problem("invalid_request", { message });
    },
  });
}

/** Reads bodies as strict JSON, and limits their bytes before they are parsed. */
export function strictBodies(tools: Parameters<typeof readJson>[0]): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    if (BODY_METHODS.has(c.req.method)) {
      const { text } = await readJson(tools, c.env.incoming, BODY_BYTES_MAX);
      // Hono's validator reads the text that was limited and strictly parsed here.
      c.req.bodyCache.text = Promise.resolve(text) as never;
      c.req.raw.headers.set("content-type", "application/json");
    }
    await next();
  };
}
