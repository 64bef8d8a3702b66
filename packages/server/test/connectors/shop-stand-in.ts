import { hash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import {
  type HmacMessage,
  signHmacWebhook,
  toBase64url,
  utf8,
  verifyHmacWebhook,
} from "@gatehouse/protocol";
import { SHOP_MESSAGES } from "../../src/connectors/shop/contract.ts";
import { connectionSecretPlace } from "../../src/domain/shop-connections/shop-connection.ts";
import { writeShopConnection } from "../../src/domain/shop-connections/store.ts";
import { SITE_TOPIC } from "../../src/domain/sites/site.ts";
import type { Clock } from "../../src/infra/clock.ts";
import type { TestAnswer, TestServer } from "../harness.ts";
import { send } from "../http-client.ts";
import { type Json, ShopInMemory } from "./shop-in-memory.ts";

/**
 * What a test does to an answer: changes its body; "silent" cuts the connection, "never" leaves it open without an
 * answer, "late" cuts the connection and keeps the message, which `arriveLate` handles.
 */
type Spoil = "silent" | "never" | "late" | ((answer: Json) => Json);

/** A message as it was sent. */
export interface SentMessage {
  readonly to: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Signature {
  readonly timestamp: string;
  readonly signature: string;
}

const CART_LINK = "https://shop.example.com/checkout-link/?products={items}&coupon={coupon}";

/** A secret text, and what others may see of it. */
export const newVerifier = () => toBase64url(randomBytes(32));
export const challengeOf = (verifier: string) => hash("sha256", verifier, "base64url");

/** A shop system that Gatehouse can be connected to. Tests replace its methods to make it wrong. */
export class ShopStandIn extends ShopInMemory {
  secret = `whsec_${randomBytes(32).toString("base64")}`;
  received: Json[] = [];
  /** By the type of the message. */
  spoil: Readonly<Record<string, Spoil>> = {};
  /** Where its answers redirect to; undefined if nowhere. */
  location: string | undefined;
  /** The paths that were asked. */
  paths: (string | undefined)[] = [];
  /** How answers are signed, if not with the secret. */
  otherSecret: string | undefined;
  status = 200;
  connectionId = "";
  /** The link into its own checkout; null if it has none. */
  connectionLink: string | null = CART_LINK;
  /** What it answers while it is connecting. */
  proof: string | undefined;
  /** Answers no proof, as a shop that is not connecting. */
  stopProving = false;
  /** The message that was sent to Gatehouse last. */
  lastSent: SentMessage | undefined;
  private sent = 0;
  private late: Json[] = [];
  readonly clock: Clock;
  private readonly server: Server;

  private constructor(clock: Clock) {
    super();
    this.clock = clock;
    this.server = createServer((request, response) => {
      this.serve(request, response).catch(() => response.writeHead(500).end());
    });
  }

  static async start(clock: Clock): Promise<ShopStandIn> {
    const shop = new ShopStandIn(clock);
    shop.server.listen(0, "127.0.0.1");
    await once(shop.server, "listening");
    return shop;
  }

  get port(): number {
    return (this.server.address() as { port: number }).port;
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** The domain of a site that it can be connected to with a code. */
  get domain(): string {
    return `shop.localhost:${this.port}`;
  }

  get endpoint(): string {
    return `http://${this.host}/connector`;
  }

  reset(): void {
    this.received = [];
    this.reservations = new Map();
    this.closed = new Set();
    this.orders = new Map();
    this.prices = { rose: 10_000, vase: 1250 };
    this.stock = { rose: 5 };
    this.ships = true;
    this.spoil = {};
    this.otherSecret = undefined;
    this.location = undefined;
    this.paths = [];
    this.late = [];
    this.status = 200;
    this.coupon = "welcome10";
    this.connectionLink = CART_LINK;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  of(type: string): Json[] {
    return this.received.filter((message) => message.type === type);
  }

  /** Connects a site to it, as connecting with a code does. */
  async connect(
    { context }: TestServer,
    siteKeyHash: string,
    endpoint = this.endpoint,
  ): Promise<void> {
    const { db, secrets, ids } = context;
    this.connectionId = ids.id("con");
    await db.transaction(async (tx) => {
      tx.announce(SITE_TOPIC, siteKeyHash);
      await writeShopConnection(tx, {
        siteKeyHash,
        connectionId: this.connectionId,
        endpoint,
        system: "Stand-in 1",
        sells: true,
        cartLink: this.connectionLink,
        sealedSecret: secrets.seal(connectionSecretPlace(this.connectionId), this.secret),
        edgeTokenId: "",
        connectedAt: this.clock.now(),
        seenAt: this.clock.now(),
        sync: null,
        synced: null,
      });
    });
  }

  /** Connects a site to it with a code, and keeps what Gatehouse answers. */
  async connectWith(
    { url }: Pick<TestServer, "url">,
    code: string,
    more: Json = {},
  ): Promise<TestAnswer> {
    this.proof = newVerifier();
    const answer = await send(`${url}/v1/connections`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        type: "connect",
        code,
        challenge: challengeOf(this.proof),
        endpoint: `http://${this.domain}/connector`,
        system: "Stand-in 1",
        ...more,
      }),
    });
    if (answer.status === 201) {
      this.connectionId = answer.body.connection_id;
      this.secret = answer.body.secret;
    }
    return answer;
  }

  /** Sends a signed message to Gatehouse, and checks that a good answer is signed for it. */
  async send(
    { url }: TestServer,
    path: "products" | "orders" | "status",
    message: Json,
    signing: { readonly secret?: string; readonly sentAt?: number } = {},
  ): Promise<TestAnswer> {
    const body = JSON.stringify(message);
    const id = `msg_${++this.sent}`;
    const key = { secret: this.secret, sentAt: this.clock.now(), ...signing };
    const headers = await signHmacWebhook({ id, body: utf8(body) }, key);
    const to = `${url}/v1/connections/${this.connectionId}/${path}`;
    this.lastSent = { to, headers, body };
    const answer = await send(to, { method: "POST", headers, body });
    if (answer.status === 200) {
      const signature = {
        timestamp: answer.headers.get("webhook-timestamp") ?? "",
        signature: answer.headers.get("webhook-signature") ?? "",
      };
      const isSigned = await this.accepts(
        { id, body: utf8(JSON.stringify(answer.body)) },
        signature,
      );
      if (!isSigned) throw new Error("the answer is not signed");
    }
    return answer;
  }

  /** Whether a message comes from Gatehouse, and is not old. */
  async accepts(message: HmacMessage, signature: Signature): Promise<boolean> {
    const key = { secret: this.secret, now: this.clock.now() };
    return (await verifyHmacWebhook(message, signature, key)).ok;
  }

  /** The message in a body; undefined if it is none of the contract. */
  read(body: string): Json {
    try {
      const message = JSON.parse(body);
      if (!Object.hasOwn(SHOP_MESSAGES, message.type)) return undefined;
      const { message: schema } = SHOP_MESSAGES[message.type as keyof typeof SHOP_MESSAGES];
      return schema.safeParse(message).success ? message : undefined;
    } catch {
      return undefined;
    }
  }

  /** Handles the messages that were held back. Returns the answers, which nobody gets. */
  arriveLate(): Json[] {
    return this.late.splice(0).map((message) => this.answer(message));
  }

  answer(message: Json): Json {
    return this[message.type as keyof typeof SHOP_MESSAGES](message);
  }

  sign(answer: HmacMessage): Promise<Readonly<Record<string, string>>> {
    const secret = this.otherSecret ?? this.secret;
    return signHmacWebhook(answer, { secret, sentAt: this.clock.now() });
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    this.paths.push(request.url);
    const header = (name: string) => String(request.headers[name] ?? "");
    const id = header("webhook-id");
    const signature = {
      timestamp: header("webhook-timestamp"),
      signature: header("webhook-signature"),
    };
    if (body.startsWith('{"type":"proof"') && this.proof !== undefined && !this.stopProving) {
      return void response.end(JSON.stringify({ type: "proof.answer", proof: this.proof }));
    }
    if (!(await this.accepts({ id, body: utf8(body) }, signature))) {
      return void response.writeHead(401).end();
    }
    const message = this.read(body);
    if (message === undefined) return void response.writeHead(400).end();
    this.received.push({ ...message, webhook_id: id });
    const spoil = this.spoil[message.type];
    if (spoil === "late") {
      this.late.push(message);
      return void request.socket.destroy();
    }
    const right = await this.answer(message);
    if (spoil === "never") return;
    if (spoil === "silent") return void request.socket.destroy();
    const answer = utf8(JSON.stringify(spoil === undefined ? right : spoil(right)));
    const to = this.location === undefined ? {} : { location: this.location };
    const headers = { ...(await this.sign({ id, body: answer })), ...to };
    response.writeHead(this.status, headers).end(answer);
  }
}
