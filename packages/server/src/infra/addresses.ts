import { isIP } from "node:net";

export const LOOPBACK = /^(127\.|::1$)/;

/** An address without port, brackets and zone; a mapped one such as `::ffff:10.0.0.1` as IPv4. */
export function plainAddress(text: string): string {
  const bare = text.replace(/^\[(.*)\](?::\d+)?$/, "$1").replace(/^([\d.]+):\d+$/, "$1");
  const address = bare.replace(/%.*$/, "");
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped !== null) return mapped[1] as string;
  return isIP(address) === 6 ? unmapped(address) : address;
}

/** The IPv4 address in any spelling of a mapped IPv6 address; other addresses unchanged. */
function unmapped(address: string): string {
  const dotted = /:(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const [a, b, c, d] = (dotted?.slice(1) ?? []).map(Number) as [number, number, number, number];
  const hex =
    dotted === null
      ? address
      : address.replace(/[\d.]+$/, `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`);
  const groups = expandIpv6(hex);
  if (groups.slice(0, 5).some((group) => group !== "0") || groups[5] !== "ffff") return address;
  const [high = 0, low = 0] = groups.slice(6).map((group) => Number.parseInt(group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** An address with its host part cut off, for logs: /24 or /48. */
export function cutAddress(address: string): string {
  if (isIP(address) === 4) return `${address.split(".").slice(0, 3).join(".")}.0/24`;
  if (isIP(address) === 6) return `${expandIpv6(address).slice(0, 3).join(":")}::/48`;
  return "unknown";
}

/** The eight groups of an IPv6 address, in one spelling. */
export function expandIpv6(address: string): string[] {
  const plain = address.replace(/\d+\.\d+\.\d+\.\d+$/, "0:0");
  const [head = "", tail] = plain.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const middle = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0");
  const groups = tail === undefined ? left : [...left, ...middle, ...right];
  return groups.map((group) => Number.parseInt(group, 16).toString(16));
}
