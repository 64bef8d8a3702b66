import { REPORT_VISITS_MAX, readVisitReport } from "@gatehouse/protocol";
import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import { recordReport } from "../../actions/visits/record-visits.js";
import type { Context } from "../../context.js";
import { siteByHash } from "../../domain/sites/store.js";
import { LocalLimiter } from "../../infra/rate-limit/local.js";
import { readJson } from "../server/body.js";
import type { HonoGroup, HttpEnv } from "../server/env.js";
import { holderOf } from "../server/principal.js";
import { Problem } from "../server/problem.js";

const BODY_BYTES_MAX = 512 * 1024;

/** Lets only a token of the very site in. */
async function requireEdgeToken(
  { edgeAuthenticator: edgeDesk }: Context,
  c: HonoContext<HttpEnv>,
  siteKeyHash: string,
): Promise<void> {
  const caller = c.get("caller");
  const token = await holderOf(edgeDesk, c.req.header("authorization"), caller.address);
  if (token === undefined) {
    throw new Problem("unauthorized", {
      message:
        "This needs a live edge token of the site. Make one: `gatehouse token create --role edge`.",
      headers: { "www-authenticate": "Bearer" },
    });
  }
  if (token.siteKeyHash !== siteKeyHash) {
    throw new Problem("forbidden", { message: "This edge token is another site's." });
  }
  caller.provenAs = "proven";
}

/** `POST /v1/edge/{site_key_hash}/visits`: what a site's own edge worker or plugin saw. */
export function edgeVisitsDoor(context: Context): HonoGroup {
  const { clock, config, db } = context;
  const routes = new OpenAPIHono<HttpEnv>();
  // Not the beacons' own: anybody may send those, and must not crowd out what the edge proves.
  const perMinute = config.limits.BEACONS_PER_SITE_PER_MINUTE;
  // A whole report must be able to pass, however few visits a minute are taken.
  const burst = Math.max(perMinute, REPORT_VISITS_MAX);
  const perSite = new LocalLimiter({ perMinute, burst });
  routes.post("/v1/edge/:site/visits", async (c) => {
    const siteKeyHash = c.req.param("site");
    await requireEdgeToken(context, c, siteKeyHash);
    const { value } = await readJson(context, c.env.incoming, BODY_BYTES_MAX);
    const report = readVisitReport(value);
    if (!report.ok) {
      throw new Problem("invalid_request", {
        message: `Not a report of visits: ${report.detail}.`,
      });
    }
    const site = await siteByHash(db, siteKeyHash);
    if (site === undefined) throw new Problem("not_found");
    const waitMs = perSite.take(siteKeyHash, clock.now(), report.value.length);
    if (waitMs > 0) {
      const wait = String(Math.ceil(waitMs / 1000));
      throw new Problem("rate_limited", { headers: { "retry-after": wait } });
    }
    await recordReport(context, site, report.value);
    return c.body(null, 204);
  });
  return { name: "edge", cors: "none", routes };
}
