import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { signHmacWebhook, utf8, verifyHmacWebhook } from "@gatehouse/protocol";
import {
  ANSWER_BYTES_MAX as MESSAGE_BYTES_MAX,
  OrderChangeMessage,
  ProductsMessage,
  StatusMessage,
} from "@gatehouse/server/connector";
import { readBytes } from "../http.js";
import { SentOrderChanges } from "./sent-order-changes.js";
import { SentProducts } from "./sent-products.js";
import { SentRules } from "./sent-rules.js";

const PATH = /^\/v1\/connections\/[^/]+\/(products|orders|status)$/;
const SCHEMAS = { products: ProductsMessage, orders: OrderChangeMessage, status: StatusMessage };
/** What the listener says of its site, because it has none. */
const STATUS = {
  type: "status.answer",
  site: { domain: "localhost", status: "verified" },
  products: { listed: 0, paused: 0, synced_at: null, problem: null },
  selling: { open: true, problems: [] },
  messages: { waiting: 0, failed: 0 },
  agent_page: "http://localhost/",
};

/** Plays Gatehouse for the messages that a shop system sends. */
export class ShopListener {
  readonly rules = new SentRules();
  private readonly products = new SentProducts(this.rules);
  private readonly changes = new SentOrderChanges(this.rules);
  private readonly secret: string;
  private readonly onMessage: (says: string) => void;
  private readonly server = createServer((request, response) => {
    this.serve(request, response).catch(() => response.destroy());
  });

  constructor(secret: string, onMessage: (says: string) => void) {
    this.secret = secret;
    this.onMessage = onMessage;
  }

  /** Listens on this machine only. Throws if the port is in use. */
  async start(port: number): Promise<void> {
    this.server.listen(port, "127.0.0.1");
    await once(this.server, "listening");
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, kind] = PATH.exec(request.url ?? "") ?? [];
    if (request.method !== "POST" || kind === undefined) return refuse(response, 404, "Not found.");
    const body = await readBytes(request, MESSAGE_BYTES_MAX);
    if (body === undefined) {
      this.rules.fault("readable", "A message has more than 256 KB.");
      return refuse(response, 413, "The message has more than 256 KB.");
    }
    const id = String(request.headers["webhook-id"] ?? "");
    const signature = {
      timestamp: String(request.headers["webhook-timestamp"] ?? ""),
      signature: String(request.headers["webhook-signature"] ?? ""),
    };
    const now = Date.now();
    const verified = await verifyHmacWebhook({ id, body }, signature, { secret: this.secret, now });
    if (!verified.ok) {
      this.rules.fault(
        "signed",
        `The signature of a message to /${kind} is not valid: ${verified.detail}.`,
      );
      return refuse(response, 401, "The signature is wrong.");
    }
    this.rules.keep("signed");
    const answer = this.answer(kind as keyof typeof SCHEMAS, body.toString("utf8"), now);
    this.onMessage(`${kind}: ${answer.says}`);
    if (answer.body === undefined) return refuse(response, answer.status, answer.says);
    const text = JSON.stringify(answer.body);
    const key = { secret: this.secret, sentAt: now };
    const headers = await signHmacWebhook({ id, body: utf8(text) }, key);
    response.writeHead(200, { ...headers, "content-type": "application/json" }).end(text);
  }

  /** The answer to a message whose signature is right. */
  private answer(kind: keyof typeof SCHEMAS, text: string, now: number) {
    const fault = this.read(kind, text);
    if (!fault.ok) {
      this.rules.fault("readable", `A message to /${kind} cannot be read. ${fault.says}`);
      return { status: 400, body: undefined, says: fault.says };
    }
    this.rules.keep("readable");
    const body = this.take(kind, fault.message, now);
    const says =
      body === undefined ? "rejected on purpose, to see if it is sent again" : "accepted";
    return { status: 503, body, says };
  }

  private read(kind: keyof typeof SCHEMAS, text: string) {
    try {
      const read = SCHEMAS[kind].safeParse(JSON.parse(text));
      if (read.success) return { ok: true, message: read.data } as const;
      const [issue] = read.error.issues;
      return { ok: false, says: `${issue?.path.join(".")}: ${issue?.message}.` } as const;
    } catch {
      return { ok: false, says: "The message is not JSON." } as const;
    }
  }

  private take(kind: keyof typeof SCHEMAS, message: unknown, now: number): object | undefined {
    if (kind === "products") return this.products.take(message as never, now);
    return kind === "orders" ? this.changes.take(message as never) : STATUS;
  }
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ message }));
}
