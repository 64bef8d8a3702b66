import { randomUUID } from "node:crypto";
import { seeded } from "../../server/test/selling/faulty-processor.ts";
import { BUYER, lines, paying } from "../../server/test/ucp/buying.ts";
import type { Json } from "./connector-shop.ts";
import { FAULTS } from "./line.ts";
import { BERLIN, FLAT_RATE } from "./market.ts";
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
const DELIVERY = {
  type: "shipping",
  destinations: [BERLIN],
  groups: [{ selected_option_id: FLAT_RATE }],
};
/** How often each kind of step comes. */
const WEIGHTS = {
  mandate: 5,
  checkout: 6,
  stock: 3,
  price: 2,
  shopSends: 4,
  gatehouseSends: 2,
  shopRefunds: 4,
  gatehouseRefunds: 3,
  shopCancels: 3,
  gatehouseCancels: 3,
  messagesArrive: 4,
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

/** Sends what waits in the shop. */
export const SEND =
  "Gatehouse\\WooCommerce\\Product_Push::run(); Gatehouse\\WooCommerce\\Order_Change_Sender::run(); echo 1;";

/** A random sequence of purchases and changes on both sides of lines that lose messages. */
export class Schedule {
  readonly trace: string[] = [];
  /** Orders that agents were told of. */
  readonly told: string[] = [];
  private readonly world: Unreliable;
  private readonly random: () => number;
  private readonly products: readonly Traded[];
  /** What was meant for an order. Nobody sends what somebody cancels: that is for people to settle. */
  private readonly meant = new Map<string, "sent" | "cancelled">();

  constructor(world: Unreliable, seed: number, products: readonly Traded[]) {
    this.world = world;
    this.random = seeded(seed);
    this.products = products;
  }

  private pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.random() * from.length)] as T;
  }

  private note(text: string): void {
    this.trace.push(text);
  }

  async run(restart: "gatehouse" | "shop" | undefined): Promise<void> {
    const { toShop, toGatehouse } = this.world;
    const rate = this.random() * 0.5;
    const faults = seeded(Math.floor(this.random() * 2 ** 31));
    const fault = () =>
      faults() < rate ? FAULTS[Math.floor(faults() * FAULTS.length)] : undefined;
    for (const [line, name] of [
      [toShop, "to the shop"],
      [toGatehouse, "to Gatehouse"],
    ] as const) {
      line.fault = fault;
      line.note = (text) => this.note(`  ${name}, ${text}`);
    }
    this.world.webhooks.refuses = () => faults() < rate;
    await this.step("checkout");
    for (let n = 0; n < STEPS; n++) {
      if (restart !== undefined && n === STEPS / 2) await this.restart(restart);
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
    if (theirs < 0.5 && !world.toShop.isDown) await world.php(SEND);
  }

  private async idle(): Promise<void> {
    await Promise.all([this.world.toShop.idle(), this.world.toGatehouse.idle()]);
  }

  private async restart(who: "gatehouse" | "shop"): Promise<void> {
    this.note(`restart: ${who}`);
    await this.idle();
    if (who === "shop") await this.world.wordpress.restart();
    else await this.world.restartGatehouse();
  }

  private async step(step: Step): Promise<void> {
    const product = this.pick(this.products);
    const quantity = 1 + Math.floor(this.random() * 2);
    const order = this.told.length === 0 ? undefined : this.pick(this.told);
    const chance = this.random();
    const needsShop = step === "stock" || step === "price" || step.startsWith("shop");
    const needsGatehouse =
      step === "mandate" || step === "checkout" || step.startsWith("gatehouse");
    const { toShop, toGatehouse } = this.world;
    const isDown = (needsShop && toShop.isDown) || (needsGatehouse && toGatehouse.isDown);
    if (isDown && !step.endsWith("Down")) return this.note(`${step}: is down`);
    this.note(`${step} ${product.id} × ${quantity}, order ${order}`);
    this.note(`  ${step}: ${await this.carryOut(step, { product, quantity, order, chance })}`);
  }

  private async carryOut(
    step: Step,
    {
      product,
      quantity,
      order,
      chance,
    }: {
      readonly product: Traded;
      readonly quantity: number;
      readonly order: string | undefined;
      readonly chance: number;
    },
  ): Promise<unknown> {
    const { world } = this;
    switch (step) {
      case "mandate":
        return this.buyByMandate(product, quantity);
      case "checkout":
        return this.buyByCheckout(product, quantity);
      case "stock":
        return this.changeStock(product, chance < 0.5 ? -1 : 3);
      case "price":
        return this.changePrice(product, product.priceMinor + (chance < 0.5 ? -10 : 25));
      case "messagesArrive":
        await world.toShop.sendLate();
        await world.toGatehouse.sendLate();
        if (!world.toShop.isDown) await world.php(SEND);
        return world.toGatehouse.isDown ? "" : world.deliver();
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
        return order === undefined ? "no order" : this.changeOrder(step, order, chance);
    }
  }

  private async buyByMandate({ id, priceMinor }: Traded, quantity: number) {
    const { at, shop, agent } = this.world;
    const total = decimal(priceMinor * quantity);
    const body = await at.signed(shop, agent, { items: [{ id, quantity }], total });
    const [first, ...others] = await this.oftenTwice(() => at.send(shop, body));
    // An agent without a definite answer sends the same again.
    const last = first.status === 503 ? await at.send(shop, body) : first;
    const answers = [first, ...others, last];
    this.tell(answers.map((answer) => answer.body.order_id));
    return answers.flatMap(({ status, body: { reason, order_id } }) => [status, reason, order_id]);
  }

  /** Sends a request, or two copies of it at the same time. */
  private async oftenTwice<T>(send: () => Promise<T>): Promise<[T, ...T[]]> {
    const copies = this.random() < 0.4 ? [send(), send()] : [send()];
    return (await Promise.all(copies)) as [T, ...T[]];
  }

  /** Keeps the order that the answers to one purchase name. */
  private tell(named: readonly (string | undefined)[]): void {
    const ids = [...new Set(named.filter((id) => id !== undefined))];
    if (ids.length > 1) throw new Error(`one purchase led to ${ids.join(" and ")}`);
    this.told.push(...ids);
  }

  private async buyByCheckout({ id }: Traded, quantity: number) {
    const { at, shop } = this.world;
    const wanted = {
      ...lines([id, quantity]),
      buyer: BUYER,
      fulfillment: { methods: [DELIVERY] },
    };
    const made = await at.create(shop, wanted);
    const answers: Json[] = [made.body.status];
    for (let tries = 0; tries < 3 && made.status === 201; tries++) {
      const key = randomUUID();
      const complete = () => at.complete(shop, made.body.id, paying(), { key });
      const copies = await this.oftenTwice(complete);
      answers.push(
        copies.map(({ status, body }) => [status, body.status, body.messages?.[0]?.code]),
      );
      const ordered = copies.flatMap(({ body }) =>
        body.order === undefined ? [] : [body.order.id],
      );
      if (ordered.length > 0) {
        this.tell(ordered);
        answers.push(ordered);
        break;
      }
      if (copies.some(({ status, body }) => body.status === "canceled" || status >= 400)) break;
    }
    return answers.flat(2);
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
