import { OpenAPIHono } from "@hono/zod-openapi";
import { VERSION } from "../../version.js";
import { cacheableAnswer, etagOf } from "../server/etag.js";
import type { Handler } from "../server/exchange.js";
import type { HonoGroup, HttpEnv } from "../server/hono-group.js";

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
  const headers = { etag: etagOf(body), "cache-control": "public, max-age=300" };
  return { body, type: "application/json; charset=utf-8", headers };
}

/**
 * `GET /openapi.json`: the routes of `groups`, by the schemas that validate them, and others. It is made
 * at the first request: at startup it would take a fifth of the time.
 */
export function openapiHandler(
  groups: readonly HonoGroup[],
  describeOthers: Describe,
  { baseUrl }: { readonly baseUrl: string },
): Handler {
  let document: ReturnType<typeof describeHttp> | undefined;
  return (exchange) => {
    document ??= describeHttp(groups, describeOthers, baseUrl);
    return cacheableAnswer(exchange, document);
  };
}
