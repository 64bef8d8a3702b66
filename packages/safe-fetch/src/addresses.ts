import { BlockList, isIP } from "node:net";

/**
 * IPv4 blocks that are not global unicast (IANA special-purpose registry), plus multicast,
 * reserved space and 6to4 relays.
 */
const IPV4_NOT_GLOBAL = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];

/**
 * IPv6 is allowed only inside 2000::/3, less these. Forms that a gateway turns into an IPv4
 * address (mapped, NAT64, 6to4, Teredo) are outside or listed here, whatever they embed.
 */
const IPV6_NOT_GLOBAL = [
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "2620:4f:8000::/48",
  "3fff::/20",
];

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits = ""] = network.split("/");
    list.addSubnet(address, Number(bits), isIP(address) === 4 ? "ipv4" : "ipv6");
  }
  return list;
}

const ipv4NotGlobal = blockList(IPV4_NOT_GLOBAL);
const ipv6Unicast = blockList(["2000::/3"]);
const ipv6NotGlobal = blockList(IPV6_NOT_GLOBAL);

/** Whether an address is one of the public internet's, reachable by anyone. */
export function isGlobalAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !ipv4NotGlobal.check(address, "ipv4");
    case 6:
      // A zone id (fe80::1%eth0) names a link of this machine.
      if (address.includes("%")) return false;
      return ipv6Unicast.check(address, "ipv6") && !ipv6NotGlobal.check(address, "ipv6");
    default:
      return false;
  }
}
