import { failingParts, type ReadinessPart } from "../../actions/installation/check-readiness.js";
import type { Context } from "../../context.js";
import { SCHEMA_VERSION } from "../../infra/db/migrate.js";
import { VERSION } from "../../version.js";
import { type Handler, json } from "../server/exchange.js";

/** How long a verdict is repeated: anybody may ask, as often as they like. */
const VERDICT_MS = 1000;
const RETRY_AFTER_S = "5";

/** `GET /healthz`: whether the process is alive. */
export const healthHandler: Handler = () => json(200, { status: "ok" });

/** `GET /readyz`: whether all parts that it needs work. */
export function readinessHandler(context: Context): Handler {
  let verdict = { at: Number.NEGATIVE_INFINITY, failing: Promise.resolve<ReadinessPart[]>([]) };
  return async () => {
    const now = context.clock.now();
    if (Math.abs(now - verdict.at) >= VERDICT_MS) {
      verdict = { at: now, failing: failingParts(context) };
    }
    const failing = await verdict.failing;
    if (failing.length === 0) return json(200, { status: "ready" });
    return json(503, { status: "not_ready", failing }, { "retry-after": RETRY_AFTER_S });
  };
}

/** `GET /version`: what runs here. */
export const versionHandler: Handler = () =>
  json(200, { name: "gatehouse", version: VERSION, schema_version: SCHEMA_VERSION });
