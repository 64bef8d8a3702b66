import { parseUrl } from "@gatehouse/protocol";
import { getDomain, parse } from "tldts";
import { networksOf } from "./http/admission/networks.js";

/** Whose address something is, in one spelling for all the ways it can be written. */
export interface WebName {
  /** The host alone: lower case, ASCII, no port, no trailing dot. */
  readonly host: string;
  /** The part of it that somebody registered: what its owner can add names under is one. */
  readonly domain: string;
}

const LONGEST_HOST_CHARS = 253;
const IPV6 = /^\[(.+)\]$/;
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/**
 * Reads the names with the private section, so that tenants of a shared host (`shop.github.io`) are
 * told apart. The host was read by `URL` before: whatever characters it allows must not lead past the
 * list, which is why nothing is validated again.
 */
const SUFFIX_LIST = { allowPrivateDomains: true, extractHostname: false, validateHostname: false };

function nameOfHost(hostname: string): WebName | undefined {
  const ipv6 = IPV6.exec(hostname)?.[1];
  if (ipv6 !== undefined) {
    // Whoever has one address of a /64 has all of them.
    const [prefix] = networksOf(ipv6);
    return { host: prefix, domain: prefix };
  }
  const host = hostname.replace(/\.+$/, "");
  if (host === "" || host.length > LONGEST_HOST_CHARS) return undefined;
  if (IPV4.test(host)) return { host, domain: host };
  // A public suffix itself, `localhost` and other single labels are nobody's subdomain.
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
 * Whether names below a host belong to different people, so that it stands for none of them.
 *
 * @example
 * isSharedSuffix("github.io"); //=> true
 * isSharedSuffix("shop.github.io"); //=> false
 */
export function isSharedSuffix(host: string): boolean {
  const { publicSuffix, isIcann, isPrivate } = parse(host, SUFFIX_LIST);
  return publicSuffix === host && (isIcann === true || isPrivate === true);
}
