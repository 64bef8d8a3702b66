import {
  CHANGE_POINTS,
  CHECKOUT_POINT,
  OUTBOX_POINTS,
  PURCHASE_POINTS,
  RESERVED_POINT,
} from "../../server/src/infra/crash-points.ts";
import { seeded } from "../../server/test/selling/faulty-processor.ts";
import { DEADLY, type Deadly, isUnanswered, MESSAGES } from "./at-once.ts";
import type { Json } from "./connector-shop.ts";
import { FAULTS } from "./line.ts";
import { Purchases } from "./purchases.ts";
import { waiting } from "./shop-books.ts";
import type { Unreliable } from "./unreliable.ts";

/** A product of the shop that a schedule trades with. */
export interface Traded {
  readonly id: string;
  /** What the shop had, and what people added or took since. */
  stock: number;
  /** What an agent sees. */
  priceMinor: number;
}

const STEPS = 10;
/** Where Gatehouse can die that leaves something half done. */
const POINTS = [
  RESERVED_POINT,
  ...PURCHASE_POINTS.filter((point) => point !== "decide.released"),
  CHECKOUT_POINT,
  ...CHANGE_POINTS,
  ...OUTBOX_POINTS,
  "audit.records_written",
  "audit.committed",
];
/** As long as some requests take. */
const KILL_AFTER_MS_MAX = 400;
/** What happens in the middle of a schedule. */
export type Event =
  | "restart of Gatehouse"
  | "restart of the shop"
  | "death of Gatehouse"
  | "new connection";
/** How often each kind of step comes. */
const WEIGHTS = {
  mandate: 5,
  checkout: 6,
  repeat: 4,
  stock: 3,
  price: 2,
  shopSends: 4,
  gatehouseSends: 2,
  shopRefunds: 4,
  gatehouseRefunds: 3,
  shopCancels: 3,
  gatehouseCancels: 3,
  messagesArrive: 4,
  shopDies: 4,
  shopDown: 1,
  gatehouseDown: 1,
  bothUp: 3,
} as const;
type Step = keyof typeof WEIGHTS;
const STEP_OF_CHANCE = Object.entries(WEIGHTS).flatMap(([step, weight]) =>
  Array<Step>(weight).fill(step as Step),
);

const minor = (decimal: string) => Math.round(Number(decimal) * 100);
const decimal = (minorUnits: number) => (minorUnits / 100).toFixed(2);

/** A random sequence of purchases and changes on both sides of lines that lose messages. */
export class Schedule {
  readonly trace: string[] = [];
  readonly purchases: Purchases;
  readonly faults: string[] = [];
  /** Whether a process was killed: what it had sent can be sent again, and drafts are left. */
  wasKilled = false;
  private readonly world: Unreliable;
  private readonly random: () => number;
  private readonly products: readonly Traded[];
  /** What was meant for an order. Nobody sends what somebody cancels: that is for people to settle. */
  private readonly meant = new Map<string, "sent" | "cancelled">();

  constructor(world: Unreliable, seed: number, products: readonly Traded[]) {
    this.world = world;
    this.purchases = new Purchases(world);
    this.random = seeded(seed);
    this.products = products;
  }

  private pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.random() * from.length)] as T;
  }

  private note(text: string): void {
    this.trace.push(text);
  }

  /** A stream of random numbers, for something beside which others happen. */
  private stream(): () => number {
    return seeded(Math.floor(this.random() * 2 ** 31));
  }

  async run(event: Event | undefined): Promise<void> {
    const rate = this.random() * 0.5;
    const faults = this.stream();
    const fault = () =>
      faults() < rate ? FAULTS[Math.floor(faults() * FAULTS.length)] : undefined;
    for (const [name, line] of Object.entries(this.world.lines)) {
      line.fault = fault;
      line.note = (text) => this.note(`  ${name}, ${text}`);
    }
    this.world.webhooks.refuses = () => faults() < rate;
    await this.step("checkout");
    for (let n = 0; n < STEPS; n++) {
      if (event !== undefined && n === STEPS / 2) await this.happen(event);
      const steps = [this.pick(STEP_OF_CHANCE)];
      if (this.random() < 0.25) steps.push(this.pick(STEP_OF_CHANCE));
      await Promise.all(steps.map((step) => this.step(step)));
      await this.pass();
    }
  }

  /** Some seconds pass, and most of what waits is sent. */
  private async pass(): Promise<void> {
    const { world } = this;
    const [seconds, ours, theirs] = [this.random() * 40, this.random(), this.random()];
    await this.idle();
    world.moveClock(Math.floor(seconds));
    if (ours < 0.6 && !world.toGatehouse.isDown) await world.deliver();
    if (theirs < 0.5 && !world.toShop.isDown) await world.sendFromShop();
  }

  private async idle(): Promise<void> {
    await Promise.all(Object.values(this.world.lines).map((line) => line.idle()));
  }

  private async happen(event: Event): Promise<void> {
    const { world } = this;
    this.note(event);
    await this.idle();
    if (event === "restart of the shop") await world.wordpress.restart();
    else if (event === "restart of Gatehouse") await world.restartGatehouse();
    else if (event === "death of Gatehouse") await this.killGatehouse();
    else await this.connectAgain();
  }

  /** Gatehouse dies while agents buy, people change orders, and messages are sent. */
  private async killGatehouse(): Promise<void> {
    const { world } = this;
    const when =
      this.random() < 0.6 ? this.pick(POINTS) : Math.floor(this.random() * KILL_AFTER_MS_MAX);
    const steps = [this.pick(["mandate", "checkout"] as const), this.pick(STEP_OF_CHANCE)];
    steps.push(this.pick(["gatehouseSends", "gatehouseRefunds", "gatehouseCancels"] as const));
    world.toShop.isDown = false;
    world.toGatehouse.isDown = false;
    this.note(`  it dies at ${when}`);
    this.wasKilled = true;
    await world.killGatehouse(when, async () => {
      await Promise.all([...steps.map((step) => this.step(step)), world.deliver()]);
      await world.sendFromShop();
      await world.deliver();
    });
    await this.idle();
    await this.purchases.askAgain();
  }

  /** The shop connects again. What was on its way with the old connection must not arrive. */
  private async connectAgain(): Promise<void> {
    const { world } = this;
    const { toShop, toGatehouse } = world;
    const isEndedFirst = this.random() < 0.5;
    const lines = [toShop, toGatehouse];
    const faults = lines.map((line) => line.fault);
    for (const line of lines) {
      line.isDown = false;
      line.fault = () => undefined;
    }
    await world.sendFromShop();
    await world.deliver();
    // What waits in the shop goes with the old connection.
    if (isEndedFirst && (await waiting(world)) === 0) {
      this.note("  the shop disconnects");
      await world.wordpress.command("disconnect");
    }
    await world.connect();
    for (const line of lines) {
      for (const status of await line.sendLate()) {
        if (![401, 404].includes(status)) this.faults.push(`an old message got ${status}`);
      }
    }
    lines.forEach((line, n) => {
      line.fault = faults[n] as typeof line.fault;
    });
  }

  private async step(step: Step): Promise<void> {
    const product = this.pick(this.products);
    const quantity = 1 + Math.floor(this.random() * 2);
    const { told } = this.purchases;
    const order = told.length === 0 ? undefined : this.pick(told);
    const random = this.stream();
    const needsShop = step === "stock" || step === "price" || step.startsWith("shop");
    const needsGatehouse =
      ["mandate", "checkout", "repeat"].includes(step) || step.startsWith("gatehouse");
    const { toShop, toGatehouse } = this.world;
    const isDown = (needsShop && toShop.isDown) || (needsGatehouse && toGatehouse.isDown);
    if (isDown && !step.endsWith("Down")) return this.note(`${step}: is down`);
    this.note(`${step} ${product.id} × ${quantity}, order ${order}`);
    try {
      this.note(`  ${step}: ${await this.carryOut(step, { product, quantity, order, random })}`);
    } catch (error) {
      // The process that was killed would have answered.
      if (!this.wasKilled || !isUnanswered(error)) throw error;
      this.note(`  ${step}: no answer`);
    }
  }

  private async carryOut(
    step: Step,
    {
      product,
      quantity,
      order,
      random,
    }: {
      readonly product: Traded;
      readonly quantity: number;
      readonly order: string | undefined;
      readonly random: () => number;
    },
  ): Promise<unknown> {
    const { world, purchases } = this;
    const { id, priceMinor } = product;
    switch (step) {
      case "mandate":
        return purchases.byMandate({ id, quantity, priceMinor }, random);
      case "checkout":
        return purchases.byCheckout({ id, quantity, priceMinor }, random);
      case "repeat":
        return purchases.repeat(random);
      case "stock":
        return this.changeStock(product, random() < 0.5 ? -1 : 3);
      case "price":
        return this.changePrice(product, priceMinor + (random() < 0.5 ? -10 : 25));
      case "messagesArrive":
        for (const line of Object.values(world.lines)) await line.sendLate();
        if (!world.toShop.isDown) await world.sendFromShop();
        return world.toGatehouse.isDown ? "" : world.deliver();
      case "shopDies":
        return this.killWorker(random);
      case "shopDown":
        world.toShop.isDown = true;
        return "";
      case "gatehouseDown":
        world.toGatehouse.isDown = true;
        return "";
      case "bothUp":
        world.toShop.isDown = false;
        world.toGatehouse.isDown = false;
        return "";
      default:
        return order === undefined ? "no order" : this.changeOrder(step, order, random());
    }
  }

  /** A worker of the shop will die while it answers or sends. */
  private killWorker(random: () => number): unknown {
    const message = MESSAGES[Math.floor(random() * MESSAGES.length)] as Deadly;
    const queries = Math.floor(random() * DEADLY[message].queries);
    this.world.workers.kill(message, queries);
    this.wasKilled = true;
    return [message, queries];
  }

  private async changeStock(product: Traded, change: number) {
    const by = change < 0 ? "decrease" : "increase";
    const left = await this.world.php(
      `$p = wc_get_product( ${product.id} ); wc_update_product_stock( $p, ${Math.abs(change)}, '${by}' ); echo wc_get_product( ${product.id} )->get_stock_quantity();`,
    );
    product.stock += change;
    return left;
  }

  private async changePrice(product: Traded, priceMinor: number) {
    const price = decimal(priceMinor);
    const shown = await this.world.php(
      `$p = wc_get_product( ${product.id} ); $p->set_sale_price( '' ); $p->set_regular_price( '${price}' ); $p->save(); echo json_encode( $p->get_price() );`,
    );
    product.priceMinor = minor(shown);
    return shown;
  }

  /** Whether an order is to be sent or cancelled, as whoever came first meant it. */
  private means(order: string, what: "sent" | "cancelled"): boolean {
    if (!this.meant.has(order)) this.meant.set(order, what);
    return this.meant.get(order) === what;
  }

  private async changeOrder(step: Step, order: string, chance: number): Promise<unknown> {
    if (step.endsWith("Sends") && !this.means(order, "sent")) return "is cancelled";
    if (step.endsWith("Cancels") && !this.means(order, "cancelled")) return "is sent";
    const amountMinor = 50 + Math.floor(chance * 50);
    if (step.startsWith("shop")) return this.changeInShop(step, order, amountMinor);
    return this.changeInGatehouse(step, order, amountMinor);
  }

  private changeInShop(step: Step, order: string, amountMinor: number): Promise<Json> {
    const change = {
      shopSends: "if ( $o->has_status( 'processing' ) ) { $o->update_status( 'completed' ); }",
      shopCancels: "if ( $o->has_status( 'processing' ) ) { $o->update_status( 'cancelled' ); }",
      shopRefunds: `if ( $o->has_status( 'completed' ) && $o->get_total_refunded() < 2 ) { wc_create_refund( array( 'order_id' => $o->get_id(), 'amount' => '${decimal(amountMinor)}' ) ); }`,
    }[step as "shopSends"];
    return this.world.php(
      `$o = wc_get_orders( array( 'limit' => 1, 'meta_key' => '_gatehouse_order_id', 'meta_value' => '${order}' ) )[0] ?? null;
      if ( null !== $o ) { ${change} } echo json_encode( null === $o ? 'not there yet' : wc_get_order( $o->get_id() )->get_status() );`,
    );
  }

  private async changeInGatehouse(step: Step, order: string, amountMinor: number) {
    const { shop } = this.world;
    const at = (path: string, body: object) => shop.admin("POST", `/orders/${order}${path}`, body);
    const {
      revision,
      payment,
      refunded_minor,
      status,
      lines: bought,
    } = (await shop.admin("GET", `/orders/${order}`)).body;
    if (step === "gatehouseCancels") {
      const [{ line_id: id, quantity }] = bought;
      const part = quantity > 1 && amountMinor < 75 ? { line_items: [{ id, quantity: 1 }] } : {};
      return (await at("/cancel", part)).status;
    }
    if (step === "gatehouseRefunds") {
      if (payment !== "captured" || refunded_minor > 200) return payment;
      return (await at("/refund", { amount_minor: amountMinor, revision })).status;
    }
    if (status === "shipped") return status;
    const captured = payment === "authorized" ? (await at("/capture", { revision })).status : 0;
    return [captured, (await at("/ship", {})).status];
  }
}
