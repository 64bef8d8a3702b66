import type { RequestListener } from "node:http";
import type { Server as NetServer, Socket } from "node:net";

/** Answers one connection may keep waiting: no real client pipelines more requests than this. */
const PIPELINED_MAX = 32;

/** A client that reads nothing for this long, while an answer waits, is cut off; Node may ask twice. */
const STALLED_MS_MAX = 30_000;

/** Requests of one connection that are under way. */
class Entry {
  count = 0;
  readonly done = () => {
    this.count--;
  };
}

/**
 * Every open connection, and how many of its requests are under way. A TLS socket and the plain
 * one below it have the same remote end, so that names both.
 */
export class Connections {
  private readonly sockets = new Set<Socket>();
  /** Requests under way, by the name of the remote end; kept while the connection lasts. */
  private readonly underWay = new Map<string, Entry>();
  /** The same entries by socket: a name is made once per connection, not once per request. */
  private readonly bySocket = new WeakMap<Socket, Entry>();

  private stopping = false;

  private name({ remoteAddress, remotePort }: Socket): string {
    return `${remoteAddress} ${remotePort}`;
  }

  track(bound: NetServer): void {
    bound.on("connection", (socket: Socket) => {
      const name = this.name(socket);
      this.sockets.add(socket);
      socket.once("close", () => {
        this.sockets.delete(socket);
        this.underWay.delete(name);
      });
    });
  }

  private entry(socket: Socket): Entry {
    let entry = this.bySocket.get(socket);
    if (entry === undefined) {
      const name = this.name(socket);
      entry = this.underWay.get(name) ?? new Entry();
      this.underWay.set(name, entry);
      this.bySocket.set(socket, entry);
    }
    return entry;
  }

  /**
   * Counts requests, and cuts off a connection that sends them without reading the answers, or
   * reads none for too long. Node puts its own limit for idle connections in place of ours once
   * an answer is out.
   */
  counting(handler: RequestListener): RequestListener {
    return (request, response) => {
      // The rest of a packet is still parsed after its connection was cut.
      if (request.socket.destroyed) return;
      const entry = this.entry(request.socket);
      if (entry.count >= PIPELINED_MAX) return void request.socket.destroy();
      entry.count++;
      handler(request, response);
      // An answer that is whole and gone already, with none before it, need not be waited for. One
      // that waits its turn behind another has no socket yet.
      const gone = response.writableEnded && response.socket?.writableLength === 0;
      if (gone && entry.count === 1) return entry.done();
      response.on("close", () => {
        entry.done();
        if (this.stopping && entry.count === 0) request.socket.destroySoon();
      });
      request.socket.setTimeout(STALLED_MS_MAX);
    };
  }

  /**
   * Closes connections without a request under way (new ones, idle ones, half-made TLS ones), and
   * from now on each of the others when its last answer is out.
   */
  closeIdle(): void {
    this.stopping = true;
    for (const socket of this.sockets) {
      if ((this.underWay.get(this.name(socket))?.count ?? 0) === 0) socket.destroy();
    }
  }

  closeAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}
