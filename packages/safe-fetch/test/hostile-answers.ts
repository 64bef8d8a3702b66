import type { DnsAnswer } from "./dns-server.ts";
import { PUBLIC_V4, PUBLIC_V6 } from "./harness.ts";

/** Addresses of which no answer may hold a single one; first and last of a block where it helps. */
export const HOSTILE_ADDRESSES: readonly (readonly [name: string, address: string])[] = [
  ["0.0.0.0/8, this host", "0.0.0.0"],
  ["0.0.0.0/8, last", "0.255.255.255"],
  ["10.0.0.0/8, first", "10.0.0.0"],
  ["10.0.0.0/8, last", "10.255.255.255"],
  ["100.64.0.0/10 carrier NAT, first", "100.64.0.0"],
  ["100.64.0.0/10 carrier NAT, last", "100.127.255.255"],
  ["127.0.0.0/8 loopback", "127.0.0.1"],
  ["127.0.0.0/8 loopback, last", "127.255.255.255"],
  ["169.254.0.0/16 link-local", "169.254.0.1"],
  ["169.254.169.254, cloud metadata", "169.254.169.254"],
  ["172.16.0.0/12, first", "172.16.0.0"],
  ["172.16.0.0/12, last", "172.31.255.255"],
  ["192.0.0.0/24 protocol assignments", "192.0.0.192"],
  ["192.0.2.0/24 documentation", "192.0.2.1"],
  ["192.31.196.0/24 AS112", "192.31.196.1"],
  ["192.52.193.0/24 AMT", "192.52.193.1"],
  ["192.88.99.0/24 6to4 relays", "192.88.99.1"],
  ["192.168.0.0/16, first", "192.168.0.0"],
  ["192.168.0.0/16, last", "192.168.255.255"],
  ["192.175.48.0/24 AS112", "192.175.48.1"],
  ["198.18.0.0/15 benchmarks, first", "198.18.0.0"],
  ["198.18.0.0/15 benchmarks, last", "198.19.255.255"],
  ["198.51.100.0/24 documentation", "198.51.100.1"],
  ["203.0.113.0/24 documentation", "203.0.113.1"],
  ["224.0.0.0/4 multicast, first", "224.0.0.1"],
  ["224.0.0.0/4 multicast, last", "239.255.255.255"],
  ["240.0.0.0/4 reserved", "240.0.0.1"],
  ["255.255.255.255 broadcast", "255.255.255.255"],
  [":: unspecified", "::"],
  ["::1 loopback", "::1"],
  ["IPv4-compatible loopback", "::127.0.0.1"],
  ["IPv4-mapped loopback", "::ffff:127.0.0.1"],
  ["IPv4-mapped metadata", "::ffff:169.254.169.254"],
  ["IPv4-mapped public address", "::ffff:93.184.216.34"],
  ["IPv4-translated loopback", "::ffff:0:127.0.0.1"],
  ["64:ff9b::/96 NAT64 of loopback", "64:ff9b::127.0.0.1"],
  ["64:ff9b::/96 NAT64 of 10.0.0.1", "64:ff9b::10.0.0.1"],
  ["64:ff9b::/96 NAT64 of a public address", "64:ff9b::93.184.216.34"],
  ["64:ff9b:1::/48 local NAT64", "64:ff9b:1::7f00:1"],
  ["100::/64 discard", "100::1"],
  ["1fff:: below global unicast", "1fff:ffff::1"],
  ["2001::/32 Teredo", "2001:0:7f00:1::1"],
  ["2001:2::/48 benchmarks", "2001:2::1"],
  ["2001:10::/28 ORCHID", "2001:10::1"],
  ["2001:20::/28 ORCHIDv2", "2001:20::1"],
  ["2001::/23 protocol assignments, last", "2001:1ff:ffff::1"],
  ["2001:db8::/32 documentation", "2001:db8::1"],
  ["2002::/16 6to4 of loopback", "2002:7f00:1::1"],
  ["2002::/16 6to4 of a public address", "2002:5db8:d822::1"],
  ["2620:4f:8000::/48 AS112", "2620:4f:8000::1"],
  ["3fff::/20 documentation", "3fff:fff::1"],
  ["4000:: above global unicast", "4000::1"],
  ["5f00::/16 segment routing", "5f00::1"],
  ["fc00::/7 unique local", "fc00::1"],
  ["fd00::/8 unique local, metadata", "fd00:ec2::254"],
  ["fe80::/10 link-local", "fe80::1"],
  ["fec0::/10 site-local", "fec0::1"],
  ["ff00::/8 multicast", "ff02::1"],
];

type Fault = "not_global_address" | "no_address";

/** Whole answers of hostile or broken name servers. */
export const HOSTILE_ANSWERS: readonly (readonly [name: string, answer: DnsAnswer, Fault])[] = [
  ["a private address after a public one", both(PUBLIC_V4, "10.0.0.1"), "not_global_address"],
  ["a private address before a public one", both("10.0.0.1", PUBLIC_V4), "not_global_address"],
  ["a private IPv6 beside a public IPv4", both(PUBLIC_V4, "fd00::1"), "not_global_address"],
  ["a private IPv4 beside a public IPv6", both(PUBLIC_V6, "10.0.0.1"), "not_global_address"],
  ["a mapped address beside a public one", both(PUBLIC_V4, "::ffff:1.1.1.1"), "not_global_address"],
  ["an alias of a private name", { cname: "private.example.net" }, "not_global_address"],
  ["an alias of an alias of a private name", { cname: "alias.example.net" }, "not_global_address"],
  ["an alias of a name that is missing", { cname: "missing.example.net" }, "no_address"],
  ["no such name", "nxdomain", "no_address"],
  ["a failing name server", "servfail", "no_address"],
  ["an empty answer", { addresses: [] }, "no_address"],
];

function both(...addresses: string[]): DnsAnswer {
  return { addresses };
}

/** What the aliases above lead to. */
export const ALIASES: Readonly<Record<string, DnsAnswer>> = {
  "alias.example.net": { cname: "private.example.net" },
  "private.example.net": { addresses: ["192.168.1.1"] },
  "missing.example.net": { addresses: [] },
};
