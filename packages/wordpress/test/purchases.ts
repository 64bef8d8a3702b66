import { randomUUID } from "node:crypto";
import type { TestAnswer } from "../../server/test/harness.ts";
import { BUYER, lines, paying } from "../../server/test/ucp/buying.ts";
import { isUnanswered } from "./at-once.ts";
import type { Json } from "./connector-shop.ts";
import type { Copy } from "./line.ts";
import { BERLIN, FLAT_RATE } from "./market.ts";
import type { Unreliable } from "./unreliable.ts";

const DELIVERY = {
  type: "shipping",
  destinations: [BERLIN],
  groups: [{ selected_option_id: FLAT_RATE }],
};
/** An agent without an answer sends the same again, and goes on after so many tries. */
const TRIES_MAX = 3;
/** A message that is sent once more without a new signature can be too old by then. */
const TOO_OLD = [401];

/** The same bytes or the same key, however often they arrive. */
interface Wish {
  readonly send: () => Promise<TestAnswer>;
  isAnswered: boolean;
}

export interface Wanted {
  readonly id: string;
  readonly quantity: number;
  readonly priceMinor: number;
}

/** What the answer to one request says: the same every time, once it names an order. */
const gistOf = (status: number, body: Json) => ({
  status,
  outcome: body.outcome ?? body.status,
  order: body.order_id ?? body.order?.id,
});

/** Agents and platforms that buy, whose requests are lost, late, repeated, and arrive in another order. */
export class Purchases {
  /** Orders that were named in answers. */
  readonly told: string[] = [];
  /** What an agent should not have seen. */
  readonly faults: string[] = [];
  private readonly world: Unreliable;
  private readonly wishes: Wish[] = [];
  private readonly checkouts: string[] = [];
  /** By mandate or idempotency key: the answer that named an order or a checkout. */
  private readonly answers = new Map<string, string>();
  /** By mandate or checkout. */
  private readonly orders = new Map<string, string>();

  constructor(world: Unreliable) {
    this.world = world;
    world.fromAgents.watch = (copy) => this.watch(copy);
  }

  /** Compares every answer with those before it, also if the agent never gets it. */
  private watch({ path, headers, body, method }: Copy) {
    if (method === "GET") return () => undefined;
    const sent = body.length === 0 ? {} : JSON.parse(String(body));
    const mandate = sent.signed?.mandate_id;
    const key = mandate ?? `${method} ${path} ${headers["idempotency-key"]}`;
    const before = this.answers.get(key);
    return (answer: { readonly status: number; readonly body: Buffer }) => {
      const read = JSON.parse(String(answer.body));
      const gist = gistOf(answer.status, read);
      const created = path.endsWith("/checkout-sessions") ? read.id : undefined;
      const text = JSON.stringify({ ...gist, created });
      const isOld = TOO_OLD.includes(answer.status);
      if (before !== undefined && before !== text && !isOld) {
        this.faults.push(`${key} was answered with ${before}, and later with ${text}`);
      }
      if (gist.order === undefined && created === undefined) return;
      this.answers.set(key, before ?? text);
      if (gist.order !== undefined) this.tell(mandate ?? read.id, gist.order);
    };
  }

  /** Keeps the order of one purchase. */
  private tell(purchase: string, order: string): void {
    const known = this.orders.get(purchase) ?? order;
    if (known !== order) this.faults.push(`${purchase} led to ${known} and ${order}`);
    this.orders.set(purchase, known);
    if (!this.told.includes(order)) this.told.push(order);
  }

  /** Sends a request until there is an answer, at first perhaps two copies of it at the same time. */
  private async insist(send: Wish["send"], isTwice: boolean): Promise<TestAnswer | undefined> {
    const wish: Wish = { send, isAnswered: false };
    this.wishes.push(wish);
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const copies = isTwice && tries === 0 ? [wish, wish] : [wish];
      const answers = await Promise.all(copies.map((one) => this.answered(one)));
      const answer = answers.find((one) => one !== undefined && one.status !== 503);
      if (answer !== undefined) return answer;
    }
    return undefined;
  }

  private async answered(wish: Wish): Promise<TestAnswer | undefined> {
    try {
      const answer = await wish.send();
      wish.isAnswered ||= answer.status !== 503 && answer.body.status !== "complete_in_progress";
      return answer;
    } catch (error) {
      if (isUnanswered(error)) return undefined;
      throw error;
    }
  }

  async byMandate({ id, quantity, priceMinor }: Wanted, random: () => number): Promise<unknown> {
    const { at, shop, agent } = this.world;
    const total = ((priceMinor * quantity) / 100).toFixed(2);
    const body = await at.signed(shop, agent, { items: [{ id, quantity }], total });
    const answer = await this.insist(() => at.send(shop, body), random() < 0.4);
    if (answer === undefined) return "no answer";
    return [answer.status, answer.body.reason, answer.body.order_id];
  }

  /** A platform buys, and some of its requests arrive before those that it sent earlier. */
  async byCheckout({ id, quantity }: Wanted, random: () => number): Promise<unknown> {
    const { at, shop } = this.world;
    const [manner, isTwice] = [random(), random() < 0.4];
    const goods = lines([id, quantity]);
    const whole = { ...goods, buyer: BUYER, fulfillment: { methods: [DELIVERY] } };
    const key = () => ({ key: randomUUID() });
    const first = manner < 0.6 ? whole : goods;
    const creation = key();
    const made = await this.insist(() => at.create(shop, first, creation), isTwice);
    const checkout: string | undefined = made?.body.id;
    if (made?.status !== 201 || checkout === undefined) return made?.status ?? "no answer";
    this.checkouts.push(checkout);
    const wish = (send: (to: typeof shop, key: { key: string }) => Promise<TestAnswer>) => {
      const named = key();
      return () => send(shop, named);
    };
    const complete = () => wish((to, named) => at.complete(to, checkout, paying(), named));
    const update = wish((to, named) => at.update(to, checkout, whole, named));
    const cancel = wish((to, named) => at.cancel(to, checkout, named));
    if (manner >= 0.6 && manner < 0.8) {
      // The completion overtakes the address.
      await this.insist(complete(), false);
      await this.insist(update, isTwice);
    } else if (manner >= 0.8) {
      await Promise.all([this.insist(update, false), this.insist(complete(), isTwice)]);
    } else if (manner >= 0.5) {
      await Promise.all([this.insist(cancel, false), this.insist(complete(), isTwice)]);
    }
    const seen = await this.completed(complete, isTwice);
    // Sent before the completion, and overtaken by it.
    if (random() < 0.3) await this.insist(random() < 0.5 ? cancel : update, false);
    return seen;
  }

  /** Completes a checkout as often as it takes: its total may have changed meanwhile. */
  private async completed(complete: () => Wish["send"], isTwice: boolean): Promise<unknown> {
    const seen: unknown[] = [];
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const answer = await this.insist(complete(), isTwice);
      if (answer === undefined) return [...seen, "no answer"];
      const { status, body } = answer;
      seen.push(status, body.status, body.messages?.[0]?.code, body.order?.id);
      if (body.order !== undefined || body.status === "canceled" || status >= 400) break;
    }
    return seen;
  }

  /** Sends something once more that was sent before. */
  async repeat(random: () => number): Promise<unknown> {
    const wish = this.wishes[Math.floor(random() * this.wishes.length)];
    const answer = wish && (await this.answered(wish));
    return answer === undefined ? "no answer" : Object.values(gistOf(answer.status, answer.body));
  }

  /** Asks again for everything that was not answered. */
  async askAgain(): Promise<void> {
    for (const wish of this.wishes) if (!wish.isAnswered) await this.answered(wish);
  }

  /** What is wrong with what agents know in the end; `orders` are those of Gatehouse. */
  async disagreements(orders: readonly string[]): Promise<string[]> {
    const { at, shop } = this.world;
    const faults = [...this.faults];
    for (const id of orders) if (!this.told.includes(id)) faults.push(`no agent knows of ${id}`);
    if (new Set(this.orders.values()).size !== this.orders.size) {
      faults.push(`two purchases have one order: ${JSON.stringify([...this.orders])}`);
    }
    for (const id of this.checkouts) {
      const { body } = await at.get(shop, id);
      const shown = [body.status === "completed", body.order?.id];
      const order = this.orders.get(id);
      if (shown[0] !== (order !== undefined) || shown[1] !== order) {
        faults.push(`${id} led to ${order}, and is shown as ${body.status} with ${shown[1]}`);
      }
    }
    return faults;
  }
}
