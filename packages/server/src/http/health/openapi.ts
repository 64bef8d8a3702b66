import { OpenAPIHono } from "@hono/zod-openapi";
import { VERSION } from "../../version.js";
import { cacheableAnswer, etagOf } from "../server/etag.js";
import type { Handler } from "../server/exchange.js";
import type { HonoGroup, HttpEnv } from "../server/hono-group.js";

/** Describes routes that have no schemas. */
type Describe = (registry: OpenAPIHono<HttpEnv>["openAPIRegistry"]) => void;

const capitalized = (text: string) =>
  text.replace(/(?:^|[^a-z0-9]+)([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase());

/**
 * The name of an operation in generated clients. It is made of the method and the path, so that it changes only
 * with them: `GET /v1/admin/sites/{site_key_hash}/orders/{order_id}` is `getSiteOrdersByOrderId`.
 */
function operationId(method: string, path: string): string {
  const words = path
    .replace(/^\/(?:v1\/(?:admin\/)?)?/, "")
    .replace("sites/{site_key_hash}", "site")
    .split("/")
    .map((part) => capitalized(part.replace(/^\{(\w+)\}(.*)$/, "by_$1$2")));
  return method + words.join("");
}

function nameOperations(paths: Readonly<Record<string, object>> = {}): void {
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries<{ operationId?: string }>({ ...methods })) {
      operation.operationId = operationId(method, path);
    }
  }
}

function describeHttp(
  groups: readonly HonoGroup[],
  describeOthers: readonly Describe[],
  baseUrl: string,
) {
  const all = new OpenAPIHono<HttpEnv>();
  for (const describe of describeOthers) describe(all.openAPIRegistry);
  for (const { routes } of groups) all.route("/", routes);
  all.openAPIRegistry.registerComponent("securitySchemes", "token", {
    type: "http",
    scheme: "bearer",
    description: "A token with the role operator, owner, reviewer or auditor.",
  });
  const document = all.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Gatehouse",
      version: VERSION,
      description: "The gate between websites and AI agents.",
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
    },
    servers: [{ url: baseUrl }],
    security: [{ token: [] }],
  });
  nameOperations(document.paths);
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
  describeOthers: readonly Describe[],
  { baseUrl }: { readonly baseUrl: string },
): Handler {
  let document: ReturnType<typeof describeHttp> | undefined;
  return (exchange) => {
    document ??= describeHttp(groups, describeOthers, baseUrl);
    return cacheableAnswer(exchange, document);
  };
}
