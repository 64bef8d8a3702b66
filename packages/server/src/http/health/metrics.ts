import { measureWaiting, type WaitingReviews } from "../../actions/reviews/measure-waiting.js";
import type { Context } from "../../context.js";
import { hasRole } from "../../domain/access/principal.js";
import { LOOPBACK } from "../../infra/addresses.js";
import { principalOf } from "../server/credentials.js";
import type { Exchange, Handler } from "../server/exchange.js";
import { isOwnHost } from "../server/host-header.js";
import { Problem } from "../server/problem.js";

const TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Numbers tell an outsider about the business, so metrics are for the operator's own scraper. */
async function mayReadMetrics(context: Context, exchange: Exchange): Promise<boolean> {
  const { address, forwarded } = exchange.caller;
  const isDirect = LOOPBACK.test(address) && !forwarded;
  if (isDirect && isOwnHost(exchange.header("host"), context.config.baseUrl)) return true;
  const principal = await principalOf(context, exchange.header("authorization"), address);
  return principal !== undefined && hasRole(principal, "operator");
}

/** `GET /metrics`: how busy it is, in the text format of Prometheus. */
export function metricsHandler(context: Context): Handler {
  const { memoryUsage, uptime } = process;
  const { metrics } = context;
  metrics.gauge("gatehouse_resident_bytes", () => memoryUsage.rss());
  metrics.gauge("gatehouse_uptime_seconds", () => uptime());
  let waiting: WaitingReviews | undefined;
  const read = (name: keyof WaitingReviews) => waiting?.[name] ?? Number.NaN;
  metrics.gauge("gatehouse_reviews_waiting", () => read("reviews"));
  metrics.gauge("gatehouse_unsigned_stored_bytes", () => read("unsignedBytes"));
  metrics.gauge("gatehouse_signed_stored_bytes", () => read("signedBytes"));
  metrics.gauge("gatehouse_payments_open", () => read("payments"));
  metrics.gauge("gatehouse_payments_open_oldest_seconds", () => read("oldestPaymentMs") / 1000);
  return async (exchange) => {
    if (!(await mayReadMetrics(context, exchange))) {
      throw new Problem("unauthorized", {
        message:
          "Metrics need an operator token, or a request from this machine to localhost without a proxy.",
        headers: { "www-authenticate": "Bearer" },
      });
    }
    waiting = await measureWaiting(context);
    return {
      status: 200,
      body: metrics.render(await context.peers.gather(metrics)),
      headers: { "content-type": TYPE },
    };
  };
}
