import { isJsonObject, type JsonValue } from "../json/value.js";
import { ok, type Result, refuse } from "../result.js";
import { readPage, readTime, readUserAgent, type VisitedPage } from "./fields.js";

/** The only version of the beacon there is. */
export const BEACON_VERSION = "1";

/** A page-load beacon as it is used; what it holds besides is ignored. */
export interface Beacon {
  readonly siteKey: string;
  /** Milliseconds, by the page's clock. */
  readonly observedAt: number;
  readonly userAgent: string;
  readonly webdriver: boolean;
  readonly page: VisitedPage | undefined;
}

/**
 * Reads a beacon (interface 2.2). Query strings and fragments of the page's address are dropped
 * here, so nothing behind this point has them.
 *
 * @example
 * const when = { schema_version: "1", observed_at: "2030-05-17T12:00:00Z" };
 * const page_context = { url: "https://shop.example.com/prices?who=me" };
 * const body = { ...when, site_key: "sk_old-shop", identification: {}, page_context };
 * readBeacon(body).value.page.url; //=> "https://shop.example.com/prices"
 */
export function readBeacon(body: JsonValue): Result<Beacon, "invalid"> {
  if (!isJsonObject(body)) return refuse("invalid", "the body must be an object");
  const { schema_version, site_key, observed_at, identification, page_context } = body;
  if (schema_version !== BEACON_VERSION) return refuse("invalid", '`schema_version` must be "1"');
  if (typeof site_key !== "string") return refuse("invalid", "`site_key` must be a string");
  const observedAt = readTime(observed_at);
  if (Number.isNaN(observedAt)) {
    return refuse("invalid", "`observed_at` must be an ISO-8601 UTC time");
  }
  if (!isJsonObject(identification)) return refuse("invalid", "`identification` must be an object");
  if (!isJsonObject(page_context)) return refuse("invalid", "`page_context` must be an object");
  const page = readPage(page_context.url, "page_context.url");
  if (!page.ok) return page;
  const { user_agent, automation } = identification;
  const userAgent = readUserAgent(user_agent);
  const webdriver = isJsonObject(automation) && automation.webdriver === true;
  const { value } = page;
  return ok(Object.freeze({ siteKey: site_key, observedAt, userAgent, webdriver, page: value }));
}
