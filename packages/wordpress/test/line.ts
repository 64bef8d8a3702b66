import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/**
 * `refused`: never arrives. `lost`: takes effect, and its answer is lost. `late`: arrives later, after others. `again`:
 * its answer is lost, and it arrives later once more. `twice`: arrives twice.
 */
export const FAULTS = ["refused", "lost", "late", "again", "twice"] as const;
type Fault = (typeof FAULTS)[number];

export interface Copy {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/** Messages of the contract of shop systems, and what agents and platforms want done. The rest passes. */
const MESSAGE = /\/gatehouse\/v1\/connector|\/v1\/connections\/con_|\/v1\/m\/|\/checkout-sessions/;

/** Stands between two parties, and does to messages what a test wants. */
export class Line {
  isDown = false;
  /** What happens to a message; undefined lets it pass. */
  fault: () => Fault | undefined = () => undefined;
  /** Is told of every fault. */
  note: (text: string) => void = () => undefined;
  /** Sees every message that is let through, and then its answer, also one that never reaches the sender. */
  watch: (copy: Copy) => (answer: Answer) => void = () => () => undefined;
  private late: Copy[] = [];
  private readonly underWay = new Set<Promise<unknown>>();
  private readonly target: () => number;
  private readonly server: Server;

  private constructor(target: () => number, server: Server) {
    this.target = target;
    this.server = server;
  }

  /** Listens on a port, and leads to the port of somebody else. */
  static async start(target: () => number): Promise<Line> {
    const server = createServer((incoming, response) => {
      const { socket } = incoming;
      line
        .pass(incoming)
        .then((answer) => {
          if (answer === undefined) return void socket.destroy();
          response.writeHead(answer.status, answer.headers).end(answer.body);
        })
        .catch(() => socket.destroy());
    });
    const line = new Line(target, server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return line;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  /** Nothing that was let through is being worked on any more. */
  async idle(): Promise<void> {
    while (this.underWay.size > 0) await Promise.allSettled(this.underWay);
  }

  /** Lets arrive what is late, the last one first, and returns the status of each answer. */
  async sendLate(): Promise<number[]> {
    const copies = this.late.reverse();
    this.late = [];
    const statuses: number[] = [];
    for (const copy of copies) {
      const answer = await this.forward(copy).catch(() => undefined);
      if (answer !== undefined) statuses.push(answer.status);
    }
    return statuses;
  }

  private async pass(incoming: IncomingMessage): Promise<Answer | undefined> {
    const { url: path = "", method = "GET", headers } = incoming;
    const copy = { path, method, headers, body: await buffer(incoming) };
    if (this.isDown) return undefined;
    const fault = method !== "GET" && MESSAGE.test(path) ? this.fault() : undefined;
    if (fault === undefined) return this.forward(copy);
    this.note(`${fault}: ${String(copy.body).slice(0, 300)}`);
    if (fault === "late" || fault === "again") this.late.push(copy);
    if (fault === "refused" || fault === "late") return undefined;
    if (fault === "twice") await this.forward(copy);
    const answer = await this.forward(copy);
    return fault === "twice" ? answer : undefined;
  }

  private forward(copy: Copy): Promise<Answer> {
    const { path, method, headers, body } = copy;
    const seen = this.watch(copy);
    const answered = new Promise<Answer>((resolve, reject) => {
      const asked = request({ port: this.target(), host: "127.0.0.1", path, method, headers });
      asked.on("error", reject);
      asked.on("response", async (response) => {
        const { statusCode: status = 502, headers: received } = response;
        const { connection: _, "transfer-encoding": __, ...kept } = received;
        buffer(response)
          .then((bytes) => {
            const answer = { status, headers: kept, body: bytes };
            seen(answer);
            resolve(answer);
          })
          .catch(reject);
      });
      asked.end(body);
    });
    this.underWay.add(answered);
    answered.catch(() => undefined).finally(() => this.underWay.delete(answered));
    return answered;
  }
}
