import type { RequestListener } from "node:http";
import type { Server as NetServer, Socket } from "node:net";

/** Answers one connection may keep waiting: no real client pipelines more requests than this. */
const PIPELINED_MAX = 32;

/**
 * Every open connection, and how many of its requests are under way. A TLS socket and the plain
 * one below it have the same remote end, so that names both.
 */
export class Connections {
  private readonly sockets = new Set<Socket>();
  private readonly underWay = new Map<string, number>();

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

  /** Counts requests, and cuts off a connection that sends them without reading the answers. */
  counting(handler: RequestListener): RequestListener {
    return (request, response) => {
      const name = this.name(request.socket);
      const count = (this.underWay.get(name) ?? 0) + 1;
      if (count > PIPELINED_MAX) return void request.socket.destroy();
      this.underWay.set(name, count);
      response.once("close", () => {
        const left = (this.underWay.get(name) ?? 1) - 1;
        if (left > 0) this.underWay.set(name, left);
        else this.underWay.delete(name);
      });
      handler(request, response);
    };
  }

  /** Closes connections without a request under way: new ones, idle ones, half-made TLS ones. */
  closeIdle(): void {
    for (const socket of this.sockets) {
      if (!this.underWay.has(this.name(socket))) socket.destroy();
    }
  }

  closeAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}
