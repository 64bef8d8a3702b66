import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import { measureWaiting, type Waiting } from "../../actions/reviews/measure-waiting.js";
import type { Context } from "../../context.js";
import { hasRole } from "../../domain/tokens/token.js";
import { LOOPBACK } from "../../infra/addresses.js";
import type { HonoGroup, HttpEnv } from "../server/env.js";
import { isOwnHost } from "../server/host-header.js";
import { principalOf } from "../server/principal.js";
import { Problem } from "../server/problem.js";

/** Numbers tell an outsider about the business, so metrics are for the operator's own scraper. */
async function mayReadMetrics(context: Context, c: HonoContext<HttpEnv>): Promise<boolean> {
  const { address, forwarded } = c.get("caller");
  const direct = LOOPBACK.test(address) && !forwarded;
  if (direct && isOwnHost(c.req.header("host"), context.config.baseUrl)) return true;
  const principal = await principalOf(context, c.req.header("authorization"), address);
  return principal !== undefined && hasRole(principal, "operator");
}

/** How busy it is. No other origin may read it: a page in a local browser is a local client. */
export function metricsDoor(context: Context): HonoGroup {
  const { memoryUsage, uptime } = process;
  const { metrics } = context;
  metrics.gauge("gatehouse_resident_bytes", () => memoryUsage.rss());
  metrics.gauge("gatehouse_uptime_seconds", () => uptime());
  let waiting: Waiting | undefined;
  const read = (name: keyof Waiting) => waiting?.[name] ?? Number.NaN;
  metrics.gauge("gatehouse_reviews_waiting", () => read("reviews"));
  metrics.gauge("gatehouse_unsigned_stored_bytes", () => read("unsignedBytes"));
  metrics.gauge("gatehouse_signed_stored_bytes", () => read("signedBytes"));
  metrics.gauge("gatehouse_payments_open", () => read("payments"));
  metrics.gauge("gatehouse_payments_open_oldest_seconds", () => read("oldestPaymentMs") / 1000);
  const routes = new OpenAPIHono<HttpEnv>();
  routes.get("/metrics", async (c) => {
    if (!(await mayReadMetrics(context, c))) {
      throw new Problem("unauthorized", {
        message:
          "Metrics need an operator's token, or a request from this machine to localhost that came through no proxy.",
        headers: { "www-authenticate": "Bearer" },
      });
    }
    waiting = await measureWaiting(context);
    return c.text(context.metrics.render(), 200, {
      "content-type": "text/plain; version=0.0.4; charset=utf-8",
    });
  });

  return { name: "metrics", cors: "none", routes };
}
