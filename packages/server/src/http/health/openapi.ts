import { OpenAPIHono } from "@hono/zod-openapi";
import { VERSION } from "../../version.js";
import type { HonoGroup, HttpEnv } from "../server/env.js";
import { etagOf, isFresh } from "../server/etag.js";
import type { Handler } from "../server/exchange.js";

/** Describes routes that have no schemas. */
type Describe = (registry: OpenAPIHono<HttpEnv>["openAPIRegistry"]) => void;

function describeHttp(groups: readonly HonoGroup[], describeOthers: Describe, baseUrl: string) {
  const all = new OpenAPIHono<HttpEnv>();
  describeOthers(all.openAPIRegistry);
  for (const { routes } of groups) all.route("/", routes);
  all.openAPIRegistry.registerComponent("securitySchemes", "token", {
    type: "http",
    scheme: "bearer",
    description: "An admin token. Roles: operator, owner, reviewer, auditor.",
  });
  const document = all.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Gatehouse",
      version: VERSION,
      description: "The gate between a website and the agents that come to it.",
      license: { name: "Apache-2.0" },
    },
    servers: [{ url: baseUrl }],
    security: [{ token: [] }],
  });
  const body = JSON.stringify(document);
  return { body, etag: etagOf(body) };
}

/**
 * `GET /openapi.json`: the routes of `groups`, by the schemas that validate them, and others. It is made
 * for the first request, because that takes a fifth of a start.
 */
export function openapiHandler(
  groups: readonly HonoGroup[],
  describeOthers: Describe,
  { baseUrl }: { readonly baseUrl: string },
): Handler {
  let made: ReturnType<typeof describeHttp> | undefined;
  return (exchange) => {
    made ??= describeHttp(groups, describeOthers, baseUrl);
    const { body, etag } = made;
    const headers = { etag, "cache-control": "public, max-age=300" };
    if (isFresh(exchange.header("if-none-match"), etag)) return { status: 304, headers };
    const type = "application/json; charset=utf-8";
    return { status: 200, body, headers: { ...headers, "content-type": type } };
  };
}
