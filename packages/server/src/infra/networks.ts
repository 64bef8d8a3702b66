import { isIP } from "node:net";
import { expandIpv6 } from "./addresses.js";

/**
 * The networks an address lies in, smallest first: an IPv4 address by itself, an IPv6 address with
 * its /64, /56 and /48. A caller changes its address within these at will, so limits count by them.
 */
export type Networks = readonly [string, ...string[]];

/** The allowance of each larger network, as a multiple of the smallest. */
export const NETWORK_FACTORS: readonly number[] = [1, 4, 8];

/** Addresses whose networks are cached; a removed one is computed again. */
const CACHED_MAX = 10_000;

function ipv6Networks(address: string): Networks {
  const groups = expandIpv6(address);
  const [a, b, c, d] = groups as [string, string, string, string];
  const upper = (Number.parseInt(d, 16) & 0xff00).toString(16);
  return [`${a}:${b}:${c}:${d}::/64`, `${a}:${b}:${c}:${upper}::/56`, `${a}:${b}:${c}::/48`];
}

const cache = new Map<string, Networks>();

export function networksOf(address: string): Networks {
  let networks = cache.get(address);
  if (networks === undefined) {
    networks = isIP(address) === 6 ? ipv6Networks(address) : [address];
    if (cache.size >= CACHED_MAX) cache.clear();
    cache.set(address, networks);
  }
  return networks;
}

/** The same networks with the site in their name, for limits of one site. */
export function networksAt(siteKeyHash: string, networks: Networks): Networks {
  const [first, ...others] = networks;
  return [`${siteKeyHash} ${first}`, ...others.map((network) => `${siteKeyHash} ${network}`)];
}

/** The largest network of an address. Totals are shared out by it. */
export function prefixOf(networks: Networks): string {
  return networks[networks.length - 1] as string;
}

/**
 * What a caller has proven: nothing yet, who it is, or who it is on a call that pays. Each class has
 * separate totals, so anonymous callers cannot use up what the others need.
 */
export type CallerClass = "anonymous" | "proven" | "spending";

/** A caller as limits see it: where it came from, and what it has proven so far. */
export interface Sender {
  readonly networks: Networks;
  provenAs: CallerClass;
}
