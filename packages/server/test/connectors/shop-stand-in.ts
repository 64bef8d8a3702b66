import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { text } from "node:stream/consumers";
import { signHmacWebhook, utf8, verifyHmacWebhook } from "@gatehouse/protocol";
import { connectionSecretPlace } from "../../src/domain/shop-connections/shop-connection.ts";
import { writeShopConnection } from "../../src/domain/shop-connections/store.ts";
import type { Clock } from "../../src/infra/clock.ts";
import type { TestServer } from "../harness.ts";

interface Line {
  readonly product_id: string;
  readonly quantity: number;
}

// biome-ignore lint/suspicious/noExplicitAny: what tests read of messages is checked by the tests
type Json = any;

/** What a test does to an answer: changes its body, or how it is signed; "silent" cuts the connection. */
type Spoil = "silent" | ((answer: Json) => Json);

/** A shop system as the contract of connectors says, with prices of 119 % and stock in memory. */
export class ShopStandIn {
  readonly secret = `whsec_${randomBytes(32).toString("base64")}`;
  received: Json[] = [];
  reservations = new Map<string, readonly Line[]>();
  released = new Set<string>();
  orders = new Map<string, Json>();
  /** Net prices in cents, and how many there are. */
  prices: Record<string, number> = {};
  stock: Record<string, number> = {};
  /** By the type of the message. */
  spoil: Readonly<Record<string, Spoil>> = {};
  /** How answers are signed, if not with the secret. */
  otherSecret: string | undefined;
  status = 200;
  private readonly clock: Clock;
  private readonly server: Server;

  private constructor(clock: Clock) {
    this.clock = clock;
    this.server = createServer(async (request, response) => {
      const body = await text(request);
      const id = String(request.headers["webhook-id"]);
      const signature = {
        timestamp: String(request.headers["webhook-timestamp"]),
        signature: String(request.headers["webhook-signature"]),
      };
      const key = { secret: this.secret, now: clock.now() };
      const verified = await verifyHmacWebhook({ id, body: utf8(body) }, signature, key);
      if (!verified.ok) return response.writeHead(401).end();
      const message = JSON.parse(body);
      this.received.push({ ...message, webhook_id: id });
      const spoil = this.spoil[message.type];
      const right = this.answer(message);
      if (spoil === "silent") return request.socket.destroy();
      const answer = utf8(JSON.stringify(spoil === undefined ? right : spoil(right)));
      const secret = this.otherSecret ?? this.secret;
      const headers = await signHmacWebhook({ id, body: answer }, { secret, sentAt: clock.now() });
      return response.writeHead(this.status, headers).end(answer);
    });
  }

  static async start(clock: Clock): Promise<ShopStandIn> {
    const shop = new ShopStandIn(clock);
    shop.server.listen(0, "127.0.0.1");
    await once(shop.server, "listening");
    return shop;
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as { port: number }).port}`;
  }

  reset(): void {
    this.received = [];
    this.reservations = new Map();
    this.released = new Set();
    this.orders = new Map();
    this.prices = { rose: 10_000, vase: 1250 };
    this.stock = { rose: 5 };
    this.spoil = {};
    this.otherSecret = undefined;
    this.status = 200;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  of(type: string): Json[] {
    return this.received.filter((message) => message.type === type);
  }

  /** Connects a site to it, as connecting with a code does. */
  async connect({ context }: TestServer, siteKeyHash: string): Promise<void> {
    const { db, secrets, ids } = context;
    const connectionId = ids.id("con");
    await db.transaction((tx) =>
      writeShopConnection(tx, {
        siteKeyHash,
        connectionId,
        endpoint: `http://${this.host}/connector`,
        system: "Stand-in 1",
        cartLink: "https://shop.example.com/checkout-link/?products={items}",
        sealedSecret: secrets.seal(connectionSecretPlace(connectionId), this.secret),
        edgeTokenId: "",
        connectedAt: this.clock.now(),
        seenAt: this.clock.now(),
        sync: null,
        synced: null,
      }),
    );
  }

  private left(productId: string, except?: string): number {
    const held = [...this.reservations]
      .filter(([id]) => id !== except)
      .flatMap(([, lines]) => lines);
    const wanted = held.filter(({ product_id }) => product_id === productId);
    const all = this.stock[productId] ?? Number.POSITIVE_INFINITY;
    return all - wanted.reduce((sum, { quantity }) => sum + quantity, 0);
  }

  private quote({ lines, destination, option_id }: Json): Json {
    const priced = lines.map(({ product_id, quantity }: Line) => {
      const { [product_id]: price } = this.prices;
      if (price === undefined) return { product_id, quantity, fault: "not_found" };
      if (this.left(product_id) < quantity) return { product_id, quantity, fault: "out_of_stock" };
      return { product_id, quantity, unit_minor: price };
    });
    const options =
      destination?.country === "DE"
        ? [
            { id: "parcel", title: "Parcel", amount_minor: 490, days: [1, 3] },
            { id: "courier", title: "Courier", amount_minor: 1500 },
          ]
        : [];
    const net = priced.reduce(
      (sum: number, { unit_minor = 0, quantity }: Json) => sum + unit_minor * quantity,
      0,
    );
    const shipping = options.find(({ id }) => id === option_id)?.amount_minor ?? 0;
    const tax_minor = Math.round((net + shipping) * 0.19);
    return {
      type: "quote.answer",
      currency: "EUR",
      lines: priced,
      ships: true,
      options,
      tax_minor,
      total_minor: net + shipping + tax_minor,
      unknown_to_us: true,
    };
  }

  private answer(message: Json): Json {
    if (message.type === "quote") return this.quote(message);
    if (message.type === "reserve") return { type: "reserve.answer", ...this.reserve(message) };
    if (message.type === "release") {
      this.reservations.delete(message.reservation_id);
      this.released.add(message.reservation_id);
      return { type: "release.answer" };
    }
    const { order } = message;
    if (!this.orders.has(order.order_id)) {
      this.reservations.delete(order.reservation_id);
      for (const { product_id, quantity } of order.lines) {
        if (product_id in this.stock) this.stock[product_id] = this.left(product_id) - quantity;
      }
    }
    if (!(this.orders.get(order.order_id)?.revision >= order.revision)) {
      this.orders.set(order.order_id, order);
    }
    return { type: "order.answer", shop_order_id: `wc-${order.number}` };
  }

  private reserve({ reservation_id: id, lines, total_minor, ...cart }: Json): Json {
    if (this.released.has(id)) return { state: "refused", reason: "closed" };
    if (lines.some((line: Line) => this.left(line.product_id, id) < line.quantity)) {
      return { state: "refused", reason: "out_of_stock" };
    }
    if (this.quote({ lines, ...cart }).total_minor !== total_minor && !this.reservations.has(id)) {
      return { state: "refused", reason: "price_changed" };
    }
    this.reservations.set(id, lines);
    return { state: "reserved" };
  }
}
