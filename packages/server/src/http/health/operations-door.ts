import { OpenAPIHono } from "@hono/zod-openapi";
import { failingParts, type ReadinessPart } from "../../actions/installation/check-readiness.js";
import type { Context } from "../../context.js";
import { SCHEMA_VERSION } from "../../infra/db/migrate.js";
import { VERSION } from "../../version.js";
import type { HonoGroup, HttpEnv } from "../server/env.js";
import { metricsDoor } from "./metrics-door.js";

const VERDICT_MS = 1000;

/** What whoever runs it asks. */
export function operationsDoors(context: Context): readonly HonoGroup[] {
  return [operationsDoor(context), metricsDoor(context)];
}

/** Is it alive, is it ready, what is it. */
function operationsDoor(context: Context): HonoGroup {
  const routes = new OpenAPIHono<HttpEnv>();

  routes.get("/healthz", (c) => c.json({ status: "ok" }));

  // Anybody may ask, as often as they like; the parts are asked once a second.
  let asked = { at: Number.NEGATIVE_INFINITY, failing: Promise.resolve<ReadinessPart[]>([]) };
  routes.get("/readyz", async (c) => {
    const now = context.clock.now();
    if (Math.abs(now - asked.at) >= VERDICT_MS) asked = { at: now, failing: failingParts(context) };
    const failing = await asked.failing;
    if (failing.length === 0) return c.json({ status: "ready" });
    c.header("retry-after", "5");
    return c.json({ status: "not_ready", failing }, 503);
  });

  routes.get("/version", (c) =>
    c.json({ name: "gatehouse", version: VERSION, schema_version: SCHEMA_VERSION }),
  );

  return { name: "operations", cors: "open", routes };
}
