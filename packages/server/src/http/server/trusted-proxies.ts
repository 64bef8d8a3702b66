import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import type { TLSSocket } from "node:tls";
import { plainAddress } from "../../infra/addresses.js";

/** The client of a request, as far as trusted proxies tell. */
export interface ClientConnection {
  readonly address: string;
  readonly secure: boolean;
  /** Whether the request has a forwarding header, trusted or not. */
  readonly forwarded: boolean;
}

/** Peers whose plain address is cached. */
const PEERS_MAX = 10_000;

function header(request: IncomingMessage, name: string): string {
  const value = request.headers[name];
  return (Array.isArray(value) ? value.join(",") : value) ?? "";
}

/** The proxies of the operator. Only they are believed about the client of a request. */
export class TrustedProxies {
  private readonly list = new BlockList();
  private readonly empty: boolean;
  /** Plain addresses of peers: one peer sends many requests. */
  private readonly peers = new Map<string, string>();

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

  private peerAddress({ socket }: IncomingMessage): string {
    const text = socket.remoteAddress ?? "";
    let address = this.peers.get(text);
    if (address === undefined) {
      address = plainAddress(text);
      if (this.peers.size >= PEERS_MAX) this.peers.clear();
      this.peers.set(text, address);
    }
    return address;
  }

  /**
   * The client is the rightmost X-Forwarded-For entry that is not a trusted proxy: anybody can write
   * the entries further left. From an untrusted peer every forwarding header is ignored.
   */
  clientOf(request: IncomingMessage): ClientConnection {
    const peer = this.peerAddress(request);
    const encrypted = (request.socket as TLSSocket).encrypted === true;
    const { headers } = request;
    const forwarded =
      headers["x-forwarded-for"] !== undefined ||
      headers["x-forwarded-proto"] !== undefined ||
      headers["x-forwarded-host"] !== undefined ||
      headers.forwarded !== undefined;
    if (!this.includes(peer)) return { address: peer, secure: encrypted, forwarded };
    const hops = header(request, "x-forwarded-for")
      .split(",")
      .map((hop) => plainAddress(hop.trim()));
    let address = peer;
    for (const hop of hops.reverse()) {
      if (isIP(hop) === 0) break;
      address = hop;
      if (!this.includes(hop)) break;
    }
    // The operator's own proxy wrote the last value.
    const proto = header(request, "x-forwarded-proto").split(",").at(-1)?.trim().toLowerCase();
    return { address, secure: encrypted || proto === "https", forwarded };
  }
}
