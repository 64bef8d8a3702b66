import { OpenAPIHono } from "@hono/zod-openapi";
import { VERSION } from "../../version.js";
import type { HonoGroup, HttpEnv } from "../server/env.js";
import { etagOf, isFresh } from "../server/etag.js";

type Describe = (registry: OpenAPIHono<HttpEnv>["openAPIRegistry"]) => void;

function describeHttp(documented: readonly HonoGroup[], describePlain: Describe, baseUrl: string) {
  const all = new OpenAPIHono<HttpEnv>();
  describePlain(all.openAPIRegistry);
  for (const door of documented) all.route("/", door.routes);
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
  const text = JSON.stringify(document);
  return { text, etag: etagOf(text) };
}

/**
 * The HTTP interface described by the very schemas that validate it: when it is first asked for,
 * since that takes a fifth of a start.
 */
export function openapiDoor(
  documented: readonly HonoGroup[],
  describePlain: Describe,
  baseUrl: string,
): HonoGroup {
  let described: ReturnType<typeof describeHttp> | undefined;
  const routes = new OpenAPIHono<HttpEnv>();
  routes.get("/openapi.json", (c) => {
    described ??= describeHttp(documented, describePlain, baseUrl);
    const { text, etag } = described;
    c.header("etag", etag);
    c.header("cache-control", "public, max-age=300");
    if (isFresh(c.req.header("if-none-match"), etag)) return c.body(null, 304);
    return c.body(text, 200, { "content-type": "application/json; charset=utf-8" });
  });
  return { name: "openapi", cors: "open", routes };
}
