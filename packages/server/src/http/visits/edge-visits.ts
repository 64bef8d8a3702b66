import { REPORT_VISITS_MAX, readVisitReport } from "@gatehouse/protocol";
import { recordReport } from "../../actions/visits/record-visits.js";
import type { Context } from "../../context.js";
import { findSite } from "../../domain/sites/live-sites.js";
import { LocalLimiter } from "../../infra/rate-limit/local.js";
import { tokenHolder } from "../server/credentials.js";
import type { Exchange, Handler } from "../server/exchange.js";
import { readJson } from "../server/json-body.js";
import { Problem, requireFound, requireNoWait } from "../server/problem.js";

const BODY_BYTES_MAX = 512 * 1024;

/** Accepts only a token of the site that is named. */
async function requireEdgeToken(
  { edgeAuthenticator }: Context,
  exchange: Exchange,
  siteKeyHash: string,
): Promise<void> {
  const { caller } = exchange;
  const token = await tokenHolder(
    edgeAuthenticator,
    exchange.header("authorization"),
    caller.address,
  );
  if (token === undefined) {
    throw new Problem("unauthorized", {
      message:
        "You need a live edge token of the site. Create one: `gatehouse token create --role edge`.",
      headers: { "www-authenticate": "Bearer" },
    });
  }
  if (token.siteKeyHash !== siteKeyHash) {
    throw new Problem("forbidden", { message: "This edge token belongs to another site." });
  }
  caller.provenAs = "proven";
}

/** `POST /v1/edge/{site_key_hash}/visits`: what a site's own edge worker or plugin saw. */
export function edgeVisitsHandler(context: Context): Handler {
  const { clock, config, db } = context;
  // Separate from the limit of beacons: anybody may send those, and they must not use up this one.
  const perMinute = config.limits.BEACONS_PER_SITE_PER_MINUTE;
  // A whole report must be able to pass, even if few visits a minute are accepted.
  const burst = Math.max(perMinute, REPORT_VISITS_MAX);
  const perSite = new LocalLimiter({ perMinute, burst });
  return async (exchange) => {
    const siteKeyHash = exchange.param("site");
    await requireEdgeToken(context, exchange, siteKeyHash);
    const { value } = await readJson(context, exchange.request, BODY_BYTES_MAX);
    const report = readVisitReport(value);
    if (!report.ok) {
      const message = `The body is not a valid report of visits: ${report.detail}.`;
      throw new Problem("invalid_request", { message });
    }
    const site = requireFound(await findSite(db, siteKeyHash, "hash"));
    requireNoWait(perSite.take(siteKeyHash, clock.now(), report.value.length));
    await recordReport(context, site, report.value);
    return { status: 204 };
  };
}
