import { IncomingMessage, type RequestListener, ServerResponse } from "node:http";
import { Socket } from "node:net";

/** A request as a client sends it. */
export interface SimulatedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Where it comes from. */
  readonly address?: string;
}

/** What a client gets. Status 0: the connection was lost, and nobody knows what became of the request. */
export interface SimulatedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: actors read what they expect
  readonly body: any;
}

export const LOST: SimulatedAnswer = { status: 0, headers: {}, text: "", body: {} };

const HOST = "gate.example";

/** Keeps what is answered, and sends nothing. */
class KeptResponse extends ServerResponse {
  private readonly parts: Buffer[] = [];
  private readonly kept: Record<string, string> = {};
  private readonly answered: (answer: SimulatedAnswer) => void;

  constructor(request: IncomingMessage, answered: (answer: SimulatedAnswer) => void) {
    super(request);
    this.answered = answered;
  }

  override writeHead(status: number, ...more: unknown[]): this {
    this.statusCode = status;
    const headers = more.find((one) => typeof one === "object") ?? [];
    const pairs = Array.isArray(headers)
      ? headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]]] : []))
      : Object.entries(headers as object);
    for (const [name, value] of pairs) this.kept[String(name).toLowerCase()] = String(value);
    return this;
  }

  override flushHeaders(): void {}

  override write(part: unknown): boolean {
    this.parts.push(Buffer.from(part as string));
    return true;
  }

  override end(part?: unknown): this {
    if (part !== undefined && part !== null && typeof part !== "function") this.write(part);
    for (const [name, value] of Object.entries(this.getHeaders())) {
      this.kept[name] ??= String(value);
    }
    const text = Buffer.concat(this.parts).toString("utf8");
    const isJson = this.kept["content-type"]?.includes("json") === true && text.startsWith("{");
    const body = isJson ? JSON.parse(text) : {};
    this.answered({ status: this.statusCode, headers: this.kept, text, body });
    this.leave();
    return this;
  }

  /** Frees what is reserved for the request, as the end of its connection does. */
  leave(): void {
    this.emit("finish");
    this.emit("close");
  }
}

/** Hands a request to the pipeline of the service, without a network between. */
export function ask(
  listener: RequestListener,
  { method, url, headers = {}, body, address = "203.0.113.1" }: SimulatedRequest,
): Promise<SimulatedAnswer> {
  const socket = new Socket();
  Object.defineProperty(socket, "remoteAddress", { value: address });
  const request = new IncomingMessage(socket);
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
  const all = { host: HOST, ...length, ...headers };
  Object.assign(request, { method, url, headers: all, httpVersion: "1.1" });
  request.rawHeaders = Object.entries(all).flat();
  if (body !== undefined) request.push(body);
  request.push(null);
  return new Promise((resolve) => {
    listener(request, new KeptResponse(request, resolve));
  });
}
