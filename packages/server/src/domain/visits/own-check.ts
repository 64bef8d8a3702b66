import { createHmac, timingSafeEqual } from "node:crypto";
import type { Secrets } from "../../infra/secrets/secrets.js";
import { HOUR_MS } from "../../infra/time.js";

/** Edges and plugins report visits late, if they could not reach the service. */
const REPORTED_WITHIN_MS = HOUR_MS;
const MAC_CHARS = 22;
const FORM = /^Gatehouse check ([0-9a-z]{1,10})\.([\w-]{22})$/;

type Tools = { readonly secrets: Secrets };

function mac({ secrets }: Tools, siteKeyHash: string, time: string): string {
  const hmac = createHmac("sha256", secrets.keyFor("own check v1"));
  return hmac.update(`${siteKeyHash} ${time}`).digest("base64url").slice(0, MAC_CHARS);
}

/**
 * The user agent of a check of a site by this service. Its MAC is valid for this site and for a short time only, so
 * that nobody else can hide a visit with it.
 */
export function checkUserAgent(tools: Tools, siteKeyHash: string, now: number): string {
  const time = now.toString(36);
  return `Gatehouse check ${time}.${mac(tools, siteKeyHash, time)}`;
}

/** Whether a visit with this user agent was a check by this service, on any node. */
export function isOwnCheck(
  tools: Tools,
  siteKeyHash: string,
  userAgent: string,
  now: number,
): boolean {
  const [, time = "", given = ""] = FORM.exec(userAgent) ?? [];
  if (given === "" || Math.abs(now - Number.parseInt(time, 36)) > REPORTED_WITHIN_MS) return false;
  const own = mac(tools, siteKeyHash, time);
  return timingSafeEqual(Buffer.from(given, "latin1"), Buffer.from(own, "latin1"));
}
