import { isIP } from "node:net";
import { ok, parseUrl, type Result, refuse } from "@gatehouse/protocol";
import { isGlobalAddress } from "./addresses.js";
import { hasBrokenPunycode } from "./host-names.js";
import type { Resolver } from "./resolver.js";

export type TargetFault = "not_allowed_url" | "not_global_address" | "no_address";

/** Where a request will really go: an address that was checked, and is not looked up again. */
export interface Target {
  readonly url: URL;
  readonly address: string;
  readonly port: number;
}

const URL_CHARS_MAX = 2048;
const LOCAL_SUFFIX = /(^|\.)(localhost|local|internal|intranet|lan|home\.arpa|onion|test|invalid)$/;

/** Characters URL parsers drop or rewrite: another parser may read another host. */
const AMBIGUOUS = /[\s\\]/;
const USER_INFO = /^[a-z]+:\/*[^/?#]*@/i;

/** The host without the brackets of an IPv6 literal. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1");
}

function portOf(url: URL): number {
  return Number(url.port) || (url.protocol === "https:" ? 443 : 80);
}

/** Allow-list entries are `host` or `host:port`, IPv6 literals in brackets. */
function isAllowed(url: URL, allow: readonly string[]): boolean {
  return allow.includes(url.hostname) || allow.includes(`${url.hostname}:${portOf(url)}`);
}

/** Form alone: scheme, user info, port, names that cannot be public. Nothing is looked up. */
export function readUrl(text: string, allow: readonly string[]): Result<URL, TargetFault> {
  const url = text.length > URL_CHARS_MAX ? undefined : parseUrl(text);
  if (url === undefined) {
    return refuse("not_allowed_url", "the address is not a valid URL");
  }
  if (AMBIGUOUS.test(text)) return refuse("not_allowed_url", "the address is ambiguous");
  if (USER_INFO.test(text)) return refuse("not_allowed_url", "the address holds user information");
  // One spelling per host: limits and caches are keyed by it.
  if (url.hostname.endsWith(".") || url.hostname.includes("..")) {
    return refuse("not_allowed_url", "the host ends in a dot or holds two in a row");
  }
  if (hasBrokenPunycode(url.hostname)) {
    return refuse("not_allowed_url", "the host is not a valid internationalized name");
  }
  if (isAllowed(url, allow) && (url.protocol === "http:" || url.protocol === "https:")) {
    return ok(url);
  }
  if (url.protocol !== "https:") return refuse("not_allowed_url", "the address is not https");
  if (url.port !== "") return refuse("not_allowed_url", "the address names a port other than 443");
  const host = hostOf(url);
  if (isIP(host) !== 0) return refuse("not_allowed_url", "the address is an IP address");
  if (!host.includes(".") || LOCAL_SUFFIX.test(host)) {
    return refuse("not_allowed_url", "the host is not a public name");
  }
  return ok(url);
}

/**
 * Looks the host up once and checks every answer: one private address among public ones refuses
 * the whole, since whoever controls the name chose to list it.
 */
export async function resolveTarget(
  url: URL,
  resolver: Resolver,
  allow: readonly string[],
): Promise<Result<Target, TargetFault>> {
  const port = portOf(url);
  const host = hostOf(url);
  if (isAllowed(url, allow)) {
    const local = isIP(host) !== 0 ? host : "127.0.0.1";
    return ok({ url, address: local, port });
  }
  const addresses = await resolver.addresses(host).catch(() => []);
  const [first] = addresses;
  if (first === undefined) return refuse("no_address", "the host has no address");
  if (!addresses.every(isGlobalAddress)) {
    return refuse("not_global_address", "the host has an address that is not public");
  }
  return ok({ url, address: first, port });
}
