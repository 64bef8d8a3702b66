import { type JsonValue, MANDATE_BYTES_MAX, parseJson } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { findSite } from "../../domain/sites/live-sites.js";
import type { Site } from "../../domain/sites/site.js";
import { UNREAD_REST } from "../server/body.js";
import type { Exchange } from "../server/exchange.js";
import { readJsonBytes } from "../server/json-body.js";
import { Problem } from "../server/problem.js";

/** Refuses a caller who has to wait; the rest of its request is not read. */
export function requirePassage({ admission }: Context, { caller }: Exchange): void {
  if (admission.takeCostly(caller) === 0) return;
  throw new Problem("rate_limited", { headers: UNREAD_REST });
}

/**
 * The site that the path names by its key, even if its domain is no longer verified: what was begun
 * earlier goes on. The caller's rate is checked first, so that trying unknown keys costs no database
 * reads beyond that rate.
 */
export async function requireKnownSite(context: Context, exchange: Exchange): Promise<Site> {
  requirePassage(context, exchange);
  const site = await findSite(context.db, exchange.param("site"), "key");
  if (site === undefined) throw new Problem("site_not_found");
  return site;
}

/** The same for whatever begins now: only verified sites deal with agents. */
export async function requireVerifiedSite(context: Context, exchange: Exchange): Promise<Site> {
  const site = await requireKnownSite(context, exchange);
  if (site.status !== "verified") throw new Problem("mandates_disabled");
  return site;
}

/** Strict JSON, or the refusal that the contract names for anything else. */
export function parseBody(bytes: Uint8Array): JsonValue {
  const parsed = parseJson(bytes);
  if (parsed.ok) return parsed.value;
  throw new Problem("malformed", { message: `The body is not strict JSON: ${parsed.detail}.` });
}

/** A body. Its sender was admitted before the site was looked up. */
export async function readBody(context: Context, { request }: Exchange): Promise<JsonValue> {
  return parseBody(await readJsonBytes(context, request, MANDATE_BYTES_MAX));
}
