import { existsSync, readFileSync } from "node:fs";
import { readBeacon } from "@gatehouse/protocol";
import { recordBeacon } from "../../actions/visits/record-visits.js";
import type { Context } from "../../context.js";
import { EMBED_FILE } from "../../infra/assets.js";
import { readBytes, UNREAD_REST } from "../server/body.js";
import { cacheableAnswer, etagOf } from "../server/etag.js";
import type { Answer, Handler } from "../server/exchange.js";
import { parseBody, requireJsonType } from "../server/json-body.js";
import { NO_SITE, Problem, requireNoWait } from "../server/problem.js";

const SCRIPT_TYPE = "text/javascript; charset=utf-8";
/** Short, so that a corrected script reaches all sites within minutes. */
const SCRIPT_CACHE = "public, max-age=300";
const BODY_BYTES_MAX = 16 * 1024;
const ACCEPTED: Answer = Object.freeze({ status: 204 });

/** `POST /v1/discovery/ingest`: a page load, reported by the script on the page. */
export function beaconHandler(context: Context): Handler {
  const { admission, liveSites } = context;
  return async ({ caller, request }) => {
    requireNoWait(admission.takeCostly(caller), UNREAD_REST);
    requireJsonType(request);
    const beacon = readBeacon(parseBody(await readBytes(context, request, BODY_BYTES_MAX)));
    if (!beacon.ok) {
      throw new Problem("invalid_request", {
        message: `The body is not a valid beacon: ${beacon.detail}.`,
      });
    }
    const { siteKey } = beacon.value;
    const live = liveSites.ready(siteKey) ?? (await liveSites.find(siteKey));
    // The contract asks for the key; the hash names the site in other routes.
    if (live?.site.siteKey !== siteKey) throw new Problem("not_found", { message: NO_SITE });
    requireNoWait(admission.takeOfSite(caller, "beacons", live.site.siteKeyHash));
    // Acknowledged after it is stored.
    await recordBeacon(context, live.site, beacon.value);
    return ACCEPTED;
  };
}

/** `GET /embed.js`: the script that a site's pages load. */
export function embedHandler(): Handler {
  const body = existsSync(EMBED_FILE) ? readFileSync(EMBED_FILE) : undefined;
  const etag = body === undefined ? "" : etagOf(body, SCRIPT_TYPE);
  const headers = {
    "cache-control": SCRIPT_CACHE,
    etag,
    "cross-origin-resource-policy": "cross-origin",
  };
  return (exchange) => {
    if (body === undefined) {
      throw new Problem("unavailable", { message: "embed.js is missing. Run `npm run build`." });
    }
    return cacheableAnswer(exchange, { body, type: SCRIPT_TYPE, headers });
  };
}
