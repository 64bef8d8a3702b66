import { type JsonValue, MANDATE_BYTES_MAX, parseJson } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { findSite } from "../../domain/sites/live-sites.js";
import type { Site } from "../../domain/sites/site.js";
import { UNREAD_REST } from "../server/body.js";
import type { Exchange } from "../server/exchange.js";
import { readJsonBytes } from "../server/json-body.js";
import { Problem } from "../server/problem.js";

/** Refuses a caller that has to wait, without reading the rest of its request. */
export function requireNoWaiting({ admission }: Context, { caller }: Exchange): void {
  if (admission.takeCostly(caller) === 0) return;
  throw new Problem("rate_limited", { headers: UNREAD_REST });
}

/**
 * The site with the key in the path, even if its domain is no longer verified, so that earlier requests can
 * continue. The caller's rate is checked first: trying unknown keys costs no more database reads than that.
 */
export async function requireKnownSite(context: Context, exchange: Exchange): Promise<Site> {
  requireNoWaiting(context, exchange);
  const site = await findSite(context.db, exchange.param("site"), "key");
  if (site === undefined) throw new Problem("site_not_found");
  return site;
}

/** The same for new requests, which only verified sites accept. */
export async function requireVerifiedSite(context: Context, exchange: Exchange): Promise<Site> {
  const site = await requireKnownSite(context, exchange);
  if (site.status !== "verified") throw new Problem("mandates_disabled");
  return site;
}

export function parseBody(bytes: Uint8Array): JsonValue {
  const parsed = parseJson(bytes);
  if (parsed.ok) return parsed.value;
  throw new Problem("malformed", { message: `The body is not strict JSON: ${parsed.detail}.` });
}

export async function readBody(context: Context, { request }: Exchange): Promise<JsonValue> {
  return parseBody(await readJsonBytes(context, request, MANDATE_BYTES_MAX));
}
