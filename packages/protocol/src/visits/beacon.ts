import { isJsonObject, type JsonValue } from "../json/value.js";
import { ok, type Result, refuse } from "../result.js";
import { parseUrl } from "../url.js";

/** The only version of the beacon there is. */
export const BEACON_VERSION = "1";
const USER_AGENT_CHARS_MAX = 512;
const URL_CHARS_MAX = 2048;
const PAGE_CHARS_MAX = 1024;

/** A page-load beacon as it is used; what it holds besides is ignored. */
export interface Beacon {
  readonly siteKey: string;
  /** Milliseconds, by the page's clock. */
  readonly observedAt: number;
  readonly userAgent: string;
  readonly webdriver: boolean;
  /** Without query and fragment. */
  readonly page?: { readonly host: string; readonly url: string };
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;

function readPage(url: JsonValue | undefined): Result<Beacon["page"] | undefined, "invalid"> {
  if (url === undefined || url === null) return ok(undefined);
  if (typeof url !== "string" || url.length > URL_CHARS_MAX) {
    return refuse("invalid", "`page_context.url` must be an address of at most 2,048 characters");
  }
  const parsed = parseUrl(url);
  if (parsed?.protocol !== "https:" && parsed?.protocol !== "http:") {
    return refuse("invalid", "`page_context.url` must begin with http:// or https://");
  }
  const page = `${parsed.protocol}//${parsed.host}${parsed.pathname}`.slice(0, PAGE_CHARS_MAX);
  return ok({ host: parsed.host, url: page });
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
  if (typeof site_key !== "string") return refuse("invalid", "`site_key` must be a text");
  const observedAt =
    typeof observed_at === "string" && TIME.test(observed_at)
      ? Date.parse(observed_at)
      : Number.NaN;
  if (Number.isNaN(observedAt)) {
    return refuse("invalid", "`observed_at` must be an ISO-8601 UTC time");
  }
  if (!isJsonObject(identification)) return refuse("invalid", "`identification` must be an object");
  if (!isJsonObject(page_context)) return refuse("invalid", "`page_context` must be an object");
  const page = readPage(page_context.url);
  if (!page.ok) return page;
  const { user_agent, automation } = identification;
  const userAgent = typeof user_agent === "string" ? user_agent.slice(0, USER_AGENT_CHARS_MAX) : "";
  const webdriver = isJsonObject(automation) && automation.webdriver === true;
  const beacon = { siteKey: site_key, observedAt, userAgent, webdriver };
  return ok(Object.freeze(page.value === undefined ? beacon : { ...beacon, page: page.value }));
}
