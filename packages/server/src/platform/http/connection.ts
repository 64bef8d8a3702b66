import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import type { TLSSocket } from "node:tls";

/** What is known of the other end of a request, after trusted proxies were asked. */
export interface Connection {
  readonly address: string;
  readonly secure: boolean;
  /** Whether any forwarding header came along, believed or not. */
  readonly forwarded: boolean;
}

export const LOOPBACK = /^(127\.|::1$)/;

/** `::ffff:10.0.0.1` is the IPv4 address it holds; some proxies add the port, some systems a zone. */
export function plainAddress(text: string): string {
  const bare = text.replace(/^\[(.*)\](?::\d+)?$/, "$1").replace(/^([\d.]+):\d+$/, "$1");
  const address = bare.replace(/%.*$/, "");
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped !== null) return mapped[1] as string;
  return isIP(address) === 6 ? unmapped(address) : address;
}

/** The same address in whatever other spelling of a mapped one. */
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

/** Peers whose address is cached; a removed one is read again. */
const PEERS_MAX = 10_000;
/** A peer asks many times over; what its address is needs to be found out once. */
const peers = new Map<string, string>();

function peerAddress({ socket }: IncomingMessage): string {
  const text = socket.remoteAddress ?? "";
  let address = peers.get(text);
  if (address === undefined) {
    address = plainAddress(text);
    if (peers.size >= PEERS_MAX) peers.clear();
    peers.set(text, address);
  }
  return address;
}

/** Knows which peers are proxies of ours. */
export class TrustedProxies {
  private readonly list = new BlockList();
  private readonly empty: boolean;

  constructor(networks: readonly string[]) {
    this.empty = networks.length === 0;
    for (const network of networks) {
      const [address = "", bits] = network.split("/");
      const family = isIP(address) === 4 ? "ipv4" : "ipv6";
      if (bits === undefined) this.list.addAddress(address, family);
      else this.list.addSubnet(address, Number(bits), family);
    }
  }

  includes(address: string): boolean {
    if (this.empty) return false;
    const family = isIP(address);
    return family !== 0 && this.list.check(address, family === 4 ? "ipv4" : "ipv6");
  }
}

function header(request: IncomingMessage, name: string): string {
  const value = request.headers[name];
  return (Array.isArray(value) ? value.join(",") : value) ?? "";
}

/**
 * The client is the rightmost X-Forwarded-For entry that is not a proxy of ours; entries further
 * left are what strangers wrote. From an untrusted peer every forwarding header is ignored.
 */
export function connectionOf(request: IncomingMessage, proxies: TrustedProxies): Connection {
  const peer = peerAddress(request);
  const encrypted = (request.socket as TLSSocket).encrypted === true;
  const { headers } = request;
  const forwarded =
    headers["x-forwarded-for"] !== undefined ||
    headers["x-forwarded-proto"] !== undefined ||
    headers["x-forwarded-host"] !== undefined ||
    headers.forwarded !== undefined;
  if (!proxies.includes(peer)) return { address: peer, secure: encrypted, forwarded };
  const hops = header(request, "x-forwarded-for")
    .split(",")
    .map((hop) => plainAddress(hop.trim()));
  let address = peer;
  for (const hop of hops.reverse()) {
    if (isIP(hop) === 0) break;
    address = hop;
    if (!proxies.includes(hop)) break;
  }
  // The last value is the one our own proxy wrote.
  const proto = header(request, "x-forwarded-proto").split(",").at(-1)?.trim().toLowerCase();
  return { address, secure: encrypted || proto === "https", forwarded };
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
