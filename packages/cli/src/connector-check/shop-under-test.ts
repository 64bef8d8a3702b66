import {
  type AnsweredQuote,
  readQuote,
  SHOP_MESSAGES,
  type ShopOrder,
} from "@gatehouse/server/connector";
import { cancelled } from "./cancelled-order.js";
import type { ShopEndpoint } from "./endpoint.js";
import { Broken, type Exchange } from "./finding.js";
import { Messenger } from "./messenger.js";
import { newId } from "./new-id.js";

/** A cart to ask about. */
export interface Cart {
  readonly lines: readonly { readonly product_id: string; readonly quantity: number }[];
  readonly destination: { readonly country: string } | null;
  readonly option_id: string | null;
  readonly coupons: readonly string[];
}

/** Long enough for a run. If the run is stopped, the stock is free again soon. */
const RESERVED_S = 900;

/** Plays Gatehouse against a shop system, and remembers what it leaves there. */
export class ShopUnderTest {
  readonly messenger: Messenger;
  readonly currency: string;
  /** The ids of its orders in the shop system. */
  readonly shopOrderIds = new Set<string>();
  /** Reservations and orders to clean up. */
  private readonly reservations = new Set<string>();
  private readonly orders = new Map<string, ShopOrder>();
  private readonly endpoint: ShopEndpoint;

  constructor(endpoint: ShopEndpoint, currency: string) {
    this.endpoint = endpoint;
    this.messenger = new Messenger(endpoint);
    this.currency = currency;
  }

  /** The last message, and its answer. */
  get last(): Exchange {
    return this.messenger.last;
  }

  quoteBody(cart: Cart) {
    return { type: "quote" as const, currency: this.currency, ...cart };
  }

  async quote(cart: Cart, more: object = {}): Promise<AnsweredQuote> {
    const answer = await this.messenger.ask({ ...this.quoteBody(cart), ...more });
    const quote = readQuote(answer, { currency: this.currency, ...cart });
    return this.messenger.usable("quote", quote);
  }

  async reserve(id: string, cart: Cart, totalMinor: number, seconds = RESERVED_S) {
    const message = {
      ...this.quoteBody(cart),
      type: "reserve" as const,
      reservation_id: id,
      expires_in_s: seconds,
      total_minor: totalMinor,
    };
    this.reservations.add(id);
    const answer = await this.messenger.read(message, SHOP_MESSAGES.reserve.answer);
    if (answer.state === "refused") this.reservations.delete(id);
    return answer;
  }

  async release(id: string): Promise<void> {
    const message = { type: "release" as const, reservation_id: id };
    await this.messenger.read(message, SHOP_MESSAGES.release.answer);
    this.reservations.delete(id);
  }

  async order(order: ShopOrder): Promise<string> {
    const { revision = 0 } = this.orders.get(order.order_id) ?? {};
    if (order.revision > revision) this.orders.set(order.order_id, order);
    const message = { type: "order" as const, order };
    const answer = await this.messenger.read(message, SHOP_MESSAGES.order.answer);
    this.reservations.delete(order.reservation_id);
    this.shopOrderIds.add(answer.shop_order_id);
    return answer.shop_order_id;
  }

  /** Reserves goods that are there at the right price. */
  async reserved(cart: Cart, totalMinor: number, seconds = RESERVED_S): Promise<string> {
    const id = newId("pay");
    await this.reserveAgain(id, cart, totalMinor, seconds);
    return id;
  }

  async reserveAgain(
    id: string,
    cart: Cart,
    totalMinor: number,
    seconds = RESERVED_S,
  ): Promise<void> {
    const answer = await this.reserve(id, cart, totalMinor, seconds);
    if (answer.state === "reserved") return;
    const problem = `The reservation was refused with ${answer.reason}, but the goods are there at this price.`;
    throw new Broken(problem, this.last);
  }

  /** Asks for a reservation that must be refused. */
  async refused(id: string, cart: Cart, totalMinor: number, reason: string): Promise<void> {
    const answer = await this.reserve(id, cart, totalMinor);
    if (answer.state === "refused" && answer.reason === reason) return;
    const exchange = this.last;
    if (answer.state === "reserved") await this.tidyReservation(id);
    const instead = answer.state === "refused" ? `was refused with ${answer.reason}` : "was made";
    throw new Broken(`The reservation ${instead}, but must be refused with ${reason}.`, exchange);
  }

  /** Frees what is still reserved. These answers are not checked. */
  async tidy(): Promise<void> {
    for (const id of this.reservations) await this.tidyReservation(id);
  }

  /** Cancels all orders. */
  async tidyOrders(): Promise<void> {
    for (const order of this.orders.values()) {
      await this.sendUnchecked("order", { order: cancelled(order) });
    }
  }

  private async tidyReservation(id: string): Promise<void> {
    this.reservations.delete(id);
    await this.sendUnchecked("release", { reservation_id: id });
  }

  private async sendUnchecked(type: "order" | "release", content: object): Promise<void> {
    const body = JSON.stringify({ type, ...content });
    await this.endpoint.sendAlways({ body, totalMs: SHOP_MESSAGES[type].totalMs });
  }
}
