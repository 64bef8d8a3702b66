import type { JsonValue } from "../json/value.js";
import { ok, type Result, refuse } from "../result.js";
import { parseUrl } from "../url.js";

const USER_AGENT_CHARS_MAX = 512;
const URL_CHARS_MAX = 2048;
const PATH_CHARS_MAX = 1024;
/** Of a name, a colon and a port. */
const HOST_CHARS_MAX = 259;
/** Half of a character outside the first plane; strict JSON takes none. */
const LONE_SURROGATE = /[\uD800-\uDFFF]/gu;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;

/** The page of a visit, without query and fragment. */
export interface VisitedPage {
  readonly host: string;
  readonly url: string;
}

/**
 * Reads the address of a page. Its query and fragment are dropped here, so nothing behind this point
 * has them. Without an address there is no page, which is no fault.
 *
 * @example
 * readPage("https://shop.example.com/prices?who=me", "url").value.url; //=> "https://shop.example.com/prices"
 * readPage("file:///etc/passwd", "url").ok; //=> false
 */
export function readPage(
  url: JsonValue | undefined,
  name: string,
): Result<VisitedPage | undefined, "invalid"> {
  if (url === undefined || url === null) return ok(undefined);
  if (typeof url !== "string" || url.length > URL_CHARS_MAX) {
    return refuse("invalid", `\`${name}\` must be an address of at most 2,048 characters`);
  }
  const parsed = parseUrl(url);
  if (parsed?.protocol !== "https:" && parsed?.protocol !== "http:") {
    return refuse("invalid", `\`${name}\` must begin with http:// or https://`);
  }
  const { protocol, host, pathname } = parsed;
  if (host.length > HOST_CHARS_MAX) return refuse("invalid", `\`${name}\` must name a host`);
  return ok({ host, url: `${protocol}//${host}${pathname.slice(0, PATH_CHARS_MAX)}` });
}

/** Milliseconds of an ISO-8601 UTC time; NaN for anything else. */
export function readTime(text: JsonValue | undefined): number {
  return typeof text === "string" && TIME.test(text) ? Date.parse(text) : Number.NaN;
}

/** A `User-Agent` as it is looked at; empty where there is none. */
export function readUserAgent(text: JsonValue | undefined): string {
  if (typeof text !== "string") return "";
  return text.slice(0, USER_AGENT_CHARS_MAX).replace(LONE_SURROGATE, "\ufffd");
}
