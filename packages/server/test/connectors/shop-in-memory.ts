// biome-ignore lint/suspicious/noExplicitAny: what tests read of messages is checked by the tests
export type Json = any;

interface Line {
  readonly product_id: string;
  readonly quantity: number;
}

/** What is left of a line after cancellations. */
const kept = ({ quantity, cancelled }: Json): number => quantity - cancelled;

/** A shop as the contract of connectors says, with net prices, a tax of 19 %, stock in memory, and one coupon. */
export class ShopInMemory {
  reservations = new Map<string, readonly Line[]>();
  /** When each ends, by the clock of the machine. */
  endsAt = new Map<string, number>();
  /** How long a second of a message lasts here. */
  secondMs = 1000;
  /** Reservations that were released or became an order. */
  closed = new Set<string>();
  orders = new Map<string, Json>();
  /** Whether something has to be sent. */
  ships = true;
  /** Net prices in cents, and how many there are. */
  prices: Record<string, number> = {};
  stock: Record<string, number> = {};
  /** Takes 10 % off. */
  coupon = "welcome10";

  /** What can be bought of a product, beside a reservation. */
  left(productId: string, except?: string): number {
    const held = [...this.reservations]
      .filter(([id]) => id !== except && (this.endsAt.get(id) ?? Infinity) > Date.now())
      .flatMap(([, lines]) => lines);
    const wanted = held.filter(({ product_id }) => product_id === productId);
    const all = this.stock[productId] ?? Number.POSITIVE_INFINITY;
    return all - wanted.reduce((sum, { quantity }) => sum + quantity, 0);
  }

  quote({ lines, destination, option_id, coupons }: Json): Json {
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
    const isCoupon = (code: string) => code.toLowerCase() === this.coupon;
    const discount = coupons.some(isCoupon) ? Math.round(net * 0.1) : 0;
    const title = "10 % for new customers";
    const shipping = options.find(({ id }) => id === option_id)?.amount_minor ?? 0;
    const tax_minor = Math.round((net - discount + shipping) * 0.19);
    return {
      type: "quote.answer",
      currency: "EUR",
      lines: priced,
      ships: this.ships,
      options,
      discounts: discount === 0 ? [] : [{ code: this.coupon, title, amount_minor: discount }],
      rejected_coupons: coupons.filter((code: string) => !isCoupon(code)),
      tax_minor,
      total_minor: net - discount + shipping + tax_minor,
      unknown_to_us: true,
    };
  }

  reserve({ reservation_id: id, lines, total_minor, expires_in_s, ...cart }: Json): Json {
    const answer = { type: "reserve.answer" };
    if (this.closed.has(id)) return { ...answer, state: "refused", reason: "closed" };
    if (lines.some((line: Line) => this.left(line.product_id, id) < line.quantity)) {
      return { ...answer, state: "refused", reason: "out_of_stock" };
    }
    const { total_minor: total, rejected_coupons } = this.quote({ lines, ...cart });
    const isSame = total === total_minor && rejected_coupons.length === 0;
    if (!this.reservations.has(id) && !isSame) {
      return { ...answer, state: "refused", reason: "price_changed" };
    }
    this.reservations.set(id, lines);
    this.endsAt.set(id, Date.now() + expires_in_s * this.secondMs);
    return { ...answer, state: "reserved" };
  }

  release({ reservation_id: id }: Json): Json {
    this.reservations.delete(id);
    this.closed.add(id);
    return { type: "release.answer" };
  }

  order({ order }: Json): Json {
    const before = this.orders.get(order.order_id);
    if (before === undefined) this.release(order);
    if (before === undefined || before.revision < order.revision) {
      for (const [i, line] of order.lines.entries()) {
        const sold = before === undefined ? 0 : kept(before.lines[i]);
        const { [line.product_id]: stock } = this.stock;
        if (stock !== undefined) this.stock[line.product_id] = stock + sold - kept(line);
      }
      this.orders.set(order.order_id, order);
    }
    return { type: "order.answer", shop_order_id: `wc-${order.number}` };
  }
}
