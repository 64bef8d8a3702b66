import { randomUUID } from "node:crypto";
import {
  type AnsweredQuote,
  type QuoteFault,
  readAnswer,
  readQuote,
  SHOP_MESSAGES,
  type ShopOrder,
} from "@gatehouse/server/connector";
import type { Reply, ShopEndpoint } from "./endpoint.js";
import { Broken, type Exchange, NotChecked } from "./finding.js";

type MessageType = keyof typeof SHOP_MESSAGES;

interface Message {
  readonly type: MessageType;
}

/** Rules for every answer, whatever it answers. Each is reported once, with the first answer that breaks it. */
export type AnswerRule = "status" | "signature" | "time" | QuoteFault;

export interface AnswerFault {
  readonly type: MessageType;
  readonly problem: string;
  readonly exchange: Exchange;
}

/** A cart to ask about. */
export interface Cart {
  readonly lines: readonly { readonly product_id: string; readonly quantity: number }[];
  readonly destination: { readonly country: string } | null;
  readonly option_id: string | null;
  readonly coupons: readonly string[];
}

/** A shop system that does not answer in time is not asked for the same again and again. */
const LATE_MAX = 2;
/** Long enough for a run. If the run is stopped, the stock is free again soon. */
const RESERVED_S = 900;

/** Plays Gatehouse: sends right messages, and holds every answer to the rules for answers. */
export class ShopUnderTest {
  readonly faults = new Map<AnswerRule, AnswerFault>();
  /** The types of messages that were answered as the contract says. */
  readonly answered = new Set<MessageType>();
  /** Reservations and orders that the run has left in the shop, for cleaning up. */
  readonly reservations = new Set<string>();
  readonly orders = new Map<string, ShopOrder>();
  readonly shopOrderIds = new Set<string>();
  last: Exchange = { sent: "", received: "" };
  private readonly endpoint: ShopEndpoint;
  readonly currency: string;
  private readonly late = new Map<MessageType, number>();

  constructor(endpoint: ShopEndpoint, currency: string) {
    this.endpoint = endpoint;
    this.currency = currency;
  }

  quoteBody(cart: Cart) {
    return { type: "quote" as const, currency: this.currency, ...cart };
  }

  async quote(cart: Cart, more: object = {}): Promise<AnsweredQuote> {
    const answer = await this.ask({ ...this.quoteBody(cart), ...more });
    const quote = readQuote(answer, { currency: this.currency, ...cart });
    if (!quote.ok) this.fail(quote.reason, "quote", quote.detail);
    this.answered.add("quote");
    return quote.value;
  }

  async reserve(id: string, cart: Cart, totalMinor: number) {
    const message = {
      ...this.quoteBody(cart),
      type: "reserve" as const,
      reservation_id: id,
      expires_in_s: RESERVED_S,
      total_minor: totalMinor,
    };
    this.reservations.add(id);
    const answer = await this.read(message, SHOP_MESSAGES.reserve.answer);
    if (answer.state === "refused") this.reservations.delete(id);
    return answer;
  }

  async release(id: string): Promise<void> {
    const message = { type: "release" as const, reservation_id: id };
    await this.read(message, SHOP_MESSAGES.release.answer);
    this.reservations.delete(id);
  }

  async order(order: ShopOrder): Promise<string> {
    const { revision = 0 } = this.orders.get(order.order_id) ?? {};
    if (order.revision > revision) this.orders.set(order.order_id, order);
    const message = { type: "order" as const, order };
    const answer = await this.read(message, SHOP_MESSAGES.order.answer);
    this.reservations.delete(order.reservation_id);
    this.shopOrderIds.add(answer.shop_order_id);
    return answer.shop_order_id;
  }

  /** Reserves goods that are there at the right price. */
  async reserved(cart: Cart, totalMinor: number): Promise<string> {
    const id = newId("pay");
    await this.reserveAgain(id, cart, totalMinor);
    return id;
  }

  async reserveAgain(id: string, cart: Cart, totalMinor: number): Promise<void> {
    const answer = await this.reserve(id, cart, totalMinor);
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

  /** Frees what is still reserved. Its answers are not checked. */
  async tidy(): Promise<void> {
    for (const id of this.reservations) await this.tidyReservation(id);
  }

  async tidyOrder(order: ShopOrder): Promise<void> {
    const { totalMs } = SHOP_MESSAGES.order;
    await this.endpoint.sendAlways({ body: JSON.stringify({ type: "order", order }), totalMs });
  }

  private async tidyReservation(id: string): Promise<void> {
    this.reservations.delete(id);
    const body = JSON.stringify({ type: "release", reservation_id: id });
    await this.endpoint.sendAlways({ body, totalMs: SHOP_MESSAGES.release.totalMs });
  }

  /** Sends a message, and reads its answer. */
  private async read<T>(message: Message, schema: Parameters<typeof readAnswer<T>>[0]): Promise<T> {
    const read = readAnswer(schema, await this.ask(message));
    if (!read.ok) this.fail("shape", message.type, read.detail);
    this.answered.add(message.type);
    return read.value;
  }

  /** Sends a message, and returns the JSON of its answer. */
  private async ask(message: Message): Promise<unknown> {
    const { type } = message;
    const { totalMs } = SHOP_MESSAGES[type];
    if ((this.late.get(type) ?? 0) >= LATE_MAX) {
      throw new NotChecked(`The shop system did not answer a ${type} in time.`);
    }
    const reply = await this.endpoint.send({ body: JSON.stringify(message), totalMs });
    this.last = reply.exchange;
    if (reply.isLate) this.late.set(type, (this.late.get(type) ?? 0) + 1);
    return this.jsonOf(type, reply);
  }

  private jsonOf(type: MessageType, { fault, isLate, status, isSigned, text }: Reply): unknown {
    if (isLate) this.fail("time", type, fault ?? "");
    if (fault !== undefined || status !== 200) {
      const problem = fault ?? `The ${type} was answered with status ${status}.`;
      // If others of its type were answered, then this message is what the shop system does not understand.
      if (this.answered.has(type)) throw new Broken(problem, this.last);
      this.fail("status", type, problem);
    }
    if (!isSigned) {
      const problem = "The answer has no valid webhook-signature for the id of its request.";
      this.note("signature", type, problem);
    }
    try {
      return JSON.parse(text);
    } catch {
      return this.fail("shape", type, "The answer is not JSON.");
    }
  }

  private note(rule: AnswerRule, type: MessageType, problem: string): void {
    if (!this.faults.has(rule)) this.faults.set(rule, { type, problem, exchange: this.last });
  }

  private fail(rule: AnswerRule, type: MessageType, problem: string): never {
    this.note(rule, type, problem);
    throw new NotChecked(`The answer to a ${type} cannot be used: ${problem}`);
  }
}

export const newId = (prefix: string) => `${prefix}_${randomUUID()}`;
