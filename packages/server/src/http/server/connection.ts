import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import type { TLSSocket } from "node:tls";
import { plainAddress } from "../../infra/addresses.js";

/** What is known of the other end of a request, after trusted proxies were asked. */
export interface Connection {
  readonly address: string;
  readonly secure: boolean;
  /** Whether any forwarding header came along, believed or not. */
  readonly forwarded: boolean;
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
