import { parseUrl } from "@gatehouse/protocol";
import { getDomain, parse } from "tldts";
import { networksOf } from "./networks.js";

/** The host and domain of an address, in one spelling. */
export interface WebName {
  /** The host alone: lower case, ASCII, no port, no trailing dot. */
  readonly host: string;
  /** Its registrable domain: the owner of that controls all names below it. */
  readonly domain: string;
}

const LONGEST_HOST_CHARS = 253;
const IPV6 = /^\[(.+)\]$/;
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/**
 * Uses the private section of the list too, so that tenants of a shared host (`shop.github.io`) count
 * separately. `URL` has already parsed the host. It is not validated again, because a host with unusual
 * characters must not bypass the list.
 */
const SUFFIX_LIST = { allowPrivateDomains: true, extractHostname: false, validateHostname: false };

function nameOfHost(hostname: string): WebName | undefined {
  const ipv6 = IPV6.exec(hostname)?.[1];
  if (ipv6 !== undefined) {
    // Somebody who has one address of a /64 has all of them.
    const [prefix] = networksOf(ipv6);
    return { host: prefix, domain: prefix };
  }
  const host = hostname.replace(/\.+$/, "");
  if (host === "" || host.length > LONGEST_HOST_CHARS) return undefined;
  if (IPV4.test(host)) return { host, domain: host };
  // A public suffix, `localhost` and other single labels have no registrable domain.
  return { host, domain: getDomain(host, SUFFIX_LIST) ?? host };
}

/**
 * The host and registrable domain of an address, by the Public Suffix List. Scheme, path, port, case,
 * encoding, a trailing dot and the form of an international name change nothing; undefined where it
 * is no web address.
 *
 * @example
 * webName("https://a.Platform.example:443/p%20q")?.domain; //=> "platform.example"
 * webName("https://x.shop.github.io./")?.domain; //=> "shop.github.io"
 */
export function webName(url: string): WebName | undefined {
  const parsed = parseUrl(url);
  const isWeb = parsed?.protocol === "https:" || parsed?.protocol === "http:";
  return parsed !== undefined && isWeb ? nameOfHost(parsed.hostname) : undefined;
}

/**
 * Whether names below a host belong to different owners, so that the host identifies none of them.
 *
 * @example
 * isSharedSuffix("github.io"); //=> true
 * isSharedSuffix("shop.github.io"); //=> false
 */
export function isSharedSuffix(host: string): boolean {
  const { publicSuffix, isIcann, isPrivate } = parse(host, SUFFIX_LIST);
  return publicSuffix === host && (isIcann === true || isPrivate === true);
}

const LOOPBACK_ADDRESS = /^(?:127(?:\.\d+){3}|\[::1\])$/;
const ADDRESS = /^(?:[\d.]+|\[.+\])$/;

/**
 * The origin at which browsers offer passkeys for a service: they bind them to a host name, and an IP address is
 * not one. An address of this machine has the name localhost. Undefined for any other IP address.
 */
export function namedOrigin(baseUrl: string): string | undefined {
  const { hostname, origin, port, protocol } = new URL(baseUrl);
  if (LOOPBACK_ADDRESS.test(hostname)) {
    return `${protocol}//localhost${port === "" ? "" : `:${port}`}`;
  }
  return ADDRESS.test(hostname) ? undefined : origin;
}

/** The host name that passkeys of a service are bound to; the IP address of a service that has no name. */
export function passkeyHost(baseUrl: string): string {
  return new URL(namedOrigin(baseUrl) ?? baseUrl).hostname;
}
