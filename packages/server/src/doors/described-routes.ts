import { OpenAPIHono } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import type { ZodError } from "zod";
import type { Clock } from "../platform/clock.js";
import { readJson } from "../platform/http/body.js";
import type { HttpEnv } from "../platform/http/env.js";
import { Problem } from "../platform/http/problem.js";

const BODY_BYTES_MAX = 1024 * 1024;
const BODY_METHODS = new Set(["POST", "PUT", "PATCH"]);

/** The first thing wrong, in words; names of fields the caller made up are not repeated. */
function describe(error: ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return "The request is not as this route expects.";
  if (issue.code === "unrecognized_keys") return "The body has a field this route does not know.";
  const field = issue.path.length === 0 ? "the body" : issue.path.map(String).join(".");
  if (issue.code === "invalid_type" && issue.input === undefined) return `${field}: is missing.`;
  if (issue.code === "too_small" && issue.minimum === 1) return `${field}: must not be empty.`;
  return `${field}: ${issue.message}.`;
}

/** Routes that describe themselves, and refuse in words what does not fit. */
export function describedRoutes<Env extends HttpEnv>(): OpenAPIHono<Env> {
  return new OpenAPIHono<Env>({
    defaultHook: (result) => {
      if (result.success) return;
      if (result.target === "param") throw new Problem("not_found");
      throw new Problem("invalid_request", { message: describe(result.error as ZodError) });
    },
  });
}

/** Bodies are strict JSON, counted before they are parsed. */
export function strictBodies({ clock }: { readonly clock: Clock }): MiddlewareHandler {
  return async (c, next) => {
    if (BODY_METHODS.has(c.req.method)) {
      const { text } = await readJson(c.req.raw, BODY_BYTES_MAX, clock);
      // Hono's validator reads the text that was counted and strictly parsed here.
      c.req.bodyCache.text = Promise.resolve(text) as never;
      c.req.raw.headers.set("content-type", "application/json");
    }
    await next();
  };
}
