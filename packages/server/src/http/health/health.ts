import { failingParts, type ReadinessPart } from "../../actions/installation/check-readiness.js";
import type { Context } from "../../context.js";
import { SCHEMA_VERSION } from "../../infra/db/migrate.js";
import { VERSION } from "../../version.js";
import { type Handler, json } from "../server/exchange.js";
import { UNAVAILABLE_RETRY_AFTER_S } from "../server/problem.js";

/** How long a result is reused, because anybody may ask as often as they like. */
const REUSE_MS = 1000;

/** `GET /healthz`: whether the process is alive. */
export const healthHandler: Handler = () => json(200, { status: "ok" });

/** `GET /readyz`: whether every part that the service needs works. */
export function readinessHandler(context: Context): Handler {
  let latest = { at: Number.NEGATIVE_INFINITY, failing: Promise.resolve<ReadinessPart[]>([]) };
  return async () => {
    const now = context.clock.now();
    if (Math.abs(now - latest.at) >= REUSE_MS) {
      latest = { at: now, failing: failingParts(context) };
    }
    const failing = await latest.failing;
    if (failing.length === 0) return json(200, { status: "ready" });
    return json(
      503,
      { status: "not_ready", failing },
      { "retry-after": UNAVAILABLE_RETRY_AFTER_S },
    );
  };
}

/** `GET /version`: the version of the service and of its database schema. */
export const versionHandler: Handler = () =>
  json(200, { name: "gatehouse", version: VERSION, schema_version: SCHEMA_VERSION });
