import { parseJson, readBeacon } from "@gatehouse/protocol";
import { recordBeacon } from "../../actions/visits/record-visits.js";
import type { Context } from "../../context.js";
import { readBytes, UNREAD_REST } from "../server/body.js";
import type { Answer, Handler } from "../server/exchange.js";
import { requireJsonType } from "../server/json-body.js";
import { NO_SITE, Problem, requireNoWait } from "../server/problem.js";

const BODY_BYTES_MAX = 16 * 1024;
const ACCEPTED: Answer = Object.freeze({ status: 204 });

/** `POST /v1/discovery/ingest`: a page load, reported by the script on the page. */
export function beaconHandler(context: Context): Handler {
  const { admission, liveSites } = context;
  return async ({ caller, request }) => {
    requireNoWait(admission.takeCostly(caller), UNREAD_REST);
    requireJsonType(request);
    const parsed = parseJson(await readBytes(context, request, BODY_BYTES_MAX));
    if (!parsed.ok) {
      const message = `The body is not strict JSON: ${parsed.detail}.`;
      throw new Problem("invalid_request", { message });
    }
    const beacon = readBeacon(parsed.value);
    if (!beacon.ok) {
      throw new Problem("invalid_request", { message: `Not a beacon: ${beacon.detail}.` });
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
