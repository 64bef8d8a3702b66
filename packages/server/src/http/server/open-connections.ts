import type { RequestListener, ServerResponse } from "node:http";
import type { Server as NetServer, Socket } from "node:net";
import { plainAddress } from "../../infra/addresses.js";
import type { Metrics } from "../../infra/metrics.js";
import { NETWORK_FACTORS, type Networks, networksOf, prefixOf } from "../../infra/networks.js";
import type { TrustedProxies } from "./trusted-proxies.js";

/** Requests of one connection that may wait for an answer. No real client pipelines more. */
const PIPELINED_MAX = 32;

/** A client that reads nothing for this long, while an answer waits, is disconnected. */
const STALLED_MS_MAX = 30_000;

/** Above this part of all connections, idle ones are closed for new ones. */
const CROWDED = 0.9;
/** Above this part, connections with an open request are closed too: half-sent ones must not block others. */
const FULL = 0.95;

/** Requests of one connection that are under way. */
class ConnectionRequests {
  count = 0;
  /** Answers that are not sent yet. */
  readonly waiting = new Set<ServerResponse>();
  readonly done = () => {
    this.count--;
  };

  /**
   * The connection has closed. Node emits `close` for the current answer only: pipelined answers behind
   * it would keep everything that is reserved for them.
   */
  readonly end = () => {
    for (const response of [...this.waiting]) {
      if (response.socket === null) response.emit("close");
    }
  };
}

interface ConnectionLimits {
  readonly total: number;
  readonly perAddress: number;
  readonly proxies: TrustedProxies;
}

/**
 * Every open connection, and how many of its requests are under way. A TLS socket and the plain socket
 * below it have the same remote address and port, which therefore name the connection. The connections of
 * one address are limited, with more for its larger networks. All clients of a trusted proxy share its
 * address, so it has no limit.
 */
export class OpenConnections {
  private readonly limits: ConnectionLimits;
  /** Oldest first. */
  private readonly sockets = new Set<Socket>();
  private readonly byNetwork = new Map<string, number>();
  /** The sockets of each network, oldest first; sockets of trusted proxies are not in it. */
  private readonly byPrefix = new Map<string, Set<Socket>>();
  private countRefused: (limit: "address" | "process") => void = () => {};
  /** By remote address and port, while the connection is open. */
  private readonly underWay = new Map<string, ConnectionRequests>();
  /** The same by socket, so that the name is made once per connection, not once per request. */
  private readonly bySocket = new WeakMap<Socket, ConnectionRequests>();

  private stopping = false;

  constructor(limits: ConnectionLimits) {
    this.limits = limits;
  }

  measure(metrics: Metrics): void {
    metrics.gauge("gatehouse_connections_open", () => this.sockets.size);
    const count = metrics.counter("gatehouse_connections_refused_total");
    this.countRefused = (limit) => count({ limit });
  }

  private name({ remoteAddress, remotePort }: Socket): string {
    return `${remoteAddress} ${remotePort}`;
  }

  track(bound: NetServer): void {
    bound.on("connection", (socket: Socket) => {
      const address = plainAddress(socket.remoteAddress ?? "");
      const networks = this.limits.proxies.includes(address) ? undefined : networksOf(address);
      if (networks !== undefined && !this.hasPlace(networks)) {
        this.countRefused("address");
        socket.destroy();
        return;
      }
      const name = this.name(socket);
      this.add(socket, networks);
      socket.once("close", () => {
        this.remove(socket, networks);
        this.underWay.delete(name);
      });
      if (this.sockets.size > this.limits.total * CROWDED) this.makeRoom(socket, networks);
    });
  }

  private hasPlace(networks: Networks): boolean {
    const { perAddress } = this.limits;
    return networks.every((network, i) => {
      const open = this.byNetwork.get(network) ?? 0;
      return open < perAddress * (NETWORK_FACTORS[i] as number);
    });
  }

  private add(socket: Socket, networks: Networks | undefined): void {
    this.sockets.add(socket);
    if (networks === undefined) return;
    for (const network of networks) {
      this.byNetwork.set(network, (this.byNetwork.get(network) ?? 0) + 1);
    }
    const prefix = prefixOf(networks);
    this.byPrefix.set(prefix, (this.byPrefix.get(prefix) ?? new Set()).add(socket));
  }

  private remove(socket: Socket, networks: Networks | undefined): void {
    this.sockets.delete(socket);
    if (networks === undefined) return;
    for (const network of networks) {
      const open = (this.byNetwork.get(network) as number) - 1;
      if (open > 0) this.byNetwork.set(network, open);
      else this.byNetwork.delete(network);
    }
    const prefix = prefixOf(networks);
    const others = this.byPrefix.get(prefix) as Set<Socket>;
    others.delete(socket);
    if (others.size === 0) this.byPrefix.delete(prefix);
  }

  /**
   * Closes one connection of the network that has most: the oldest without an open request. If all have
   * one and hardly any connection is free, the oldest is closed for a network that has far fewer; other
   * newcomers are refused. If trusted proxies have all other connections, their oldest idle one is
   * closed: refusing new connections would stop every client behind them.
   */
  private makeRoom(newest: Socket, networks: Networks | undefined): void {
    let crowd: Set<Socket> = new Set();
    for (const sockets of this.byPrefix.values()) if (sockets.size > crowd.size) crowd = sockets;
    const others = [...crowd].filter((socket) => socket !== newest);
    const idle = others.find((socket) => this.isIdle(socket));
    const isFull = this.sockets.size > this.limits.total * FULL;
    const closed = idle ?? (isFull ? this.socketToClose(others, newest, networks) : undefined);
    if (closed === undefined) return;
    this.countRefused("process");
    closed.destroy();
  }

  /** The socket to close: the newcomer's, or the oldest one of the largest network or a proxy. */
  private socketToClose(others: readonly Socket[], newest: Socket, networks: Networks | undefined) {
    if (others.length === 0) return this.oldestIdle(newest);
    if (networks === undefined) return undefined;
    const own = this.byPrefix.get(prefixOf(networks))?.size ?? 0;
    if (others.length > 2 * own) return others[0];
    return own > 1 ? newest : undefined;
  }

  private oldestIdle(newest: Socket): Socket | undefined {
    for (const socket of this.sockets) {
      if (socket !== newest && this.isIdle(socket)) return socket;
    }
    return undefined;
  }

  private isIdle(socket: Socket): boolean {
    return (this.underWay.get(this.name(socket))?.count ?? 0) === 0;
  }

  private entry(socket: Socket): ConnectionRequests {
    let entry = this.bySocket.get(socket);
    if (entry === undefined) {
      const name = this.name(socket);
      entry = this.underWay.get(name) ?? new ConnectionRequests();
      this.underWay.set(name, entry);
      this.bySocket.set(socket, entry);
      socket.once("close", entry.end);
    }
    return entry;
  }

  /**
   * Counts requests, and closes a connection that sends them without reading the answers, or reads
   * nothing for too long. After an answer Node replaces the time limit with its own one for idle
   * connections.
   */
  counting(handler: RequestListener): RequestListener {
    return (request, response) => {
      // Node parses the rest of a packet even after its connection was closed.
      if (request.socket.destroyed) return;
      const entry = this.entry(request.socket);
      if (entry.count >= PIPELINED_MAX) return void request.socket.destroy();
      entry.count++;
      handler(request, response);
      // An answer that is already sent, with none before it, is done. One that waits behind another
      // has no socket yet.
      const sent = response.writableEnded && response.socket?.writableLength === 0;
      if (sent && entry.count === 1) return entry.done();
      entry.waiting.add(response);
      response.once("close", () => {
        entry.waiting.delete(response);
        entry.done();
        if (this.stopping && entry.count === 0) request.socket.destroySoon();
      });
      request.socket.setTimeout(STALLED_MS_MAX);
    };
  }

  /**
   * Closes connections without a request under way (new, idle, or in a TLS handshake), and from now on
   * each of the others after its last answer.
   */
  closeIdle(): void {
    this.stopping = true;
    for (const socket of this.sockets) {
      if (this.isIdle(socket)) socket.destroy();
    }
  }

  closeAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}
