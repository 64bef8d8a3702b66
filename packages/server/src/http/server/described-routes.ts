import { OpenAPIHono } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import type { ZodError } from "zod";
import { readJson } from "./body.js";
import type { HttpEnv } from "./env.js";
import { describeFaults } from "./faults.js";
import { Problem } from "./problem.js";

const BODY_BYTES_MAX = 1024 * 1024;
const BODY_METHODS = new Set(["POST", "PUT", "PATCH"]);

/** Routes that describe themselves, and refuse in words what does not fit. */
export function describedRoutes<Env extends HttpEnv>(): OpenAPIHono<Env> {
  return new OpenAPIHono<Env>({
    defaultHook: (result) => {
      if (result.success) return;
      if (result.target === "param") throw new Problem("not_found");
      throw new Problem("invalid_request", {
        message: describeFaults((result.error as ZodError).issues),
      });
    },
  });
}

/** Bodies are strict JSON, counted before they are parsed. */
export function strictBodies(tools: Parameters<typeof readJson>[0]): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    if (BODY_METHODS.has(c.req.method)) {
      const { text } = await readJson(tools, c.env.incoming, BODY_BYTES_MAX);
      // Hono's validator reads the text that was counted and strictly parsed here.
      c.req.bodyCache.text = Promise.resolve(text) as never;
      c.req.raw.headers.set("content-type", "application/json");
    }
    await next();
  };
}
