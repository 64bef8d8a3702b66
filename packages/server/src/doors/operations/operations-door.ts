import { OpenAPIHono } from "@hono/zod-openapi";
import { failingParts } from "../../actions/check-readiness.js";
import type { Context } from "../../context.js";
import { SCHEMA_VERSION } from "../../platform/db/migrate.js";
import type { Door, HttpEnv } from "../../platform/http/env.js";
import { VERSION } from "../../version.js";

/** Is it alive, is it ready, what is it. */
export function operationsDoor(context: Context): Door {
  const routes = new OpenAPIHono<HttpEnv>();

  routes.get("/healthz", (c) => c.json({ status: "ok" }));

  routes.get("/readyz", async (c) => {
    const failing = await failingParts(context);
    if (failing.length === 0) return c.json({ status: "ready" });
    c.header("retry-after", "5");
    return c.json({ status: "not_ready", failing }, 503);
  });

  routes.get("/version", (c) =>
    c.json({ name: "gatehouse", version: VERSION, schema_version: SCHEMA_VERSION }),
  );

  return { name: "operations", cors: "open", routes };
}
