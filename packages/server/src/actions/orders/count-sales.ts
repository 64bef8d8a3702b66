import type { Money } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { listSales } from "../../domain/orders/sales/store.js";
import { isTestItemId } from "../../domain/products/test-items/test-item-id.js";
import type { Site } from "../../domain/sites/site.js";
import { type CountBy, stepOf } from "../count-by.js";

/** Orders one answer is made from. */
const ORDERS_MAX = 5000;
/** Buyers and products one answer names: those that sold most. */
const NAMED_MAX = 10;

/** Orders, and their amounts in each currency. */
interface Sales {
  readonly orders: number;
  readonly amounts: readonly Money[];
}

export interface SalesCounts {
  readonly total: Sales;
  /** Of UTC hours or days, the oldest first. Steps without an order are left out. */
  readonly steps: readonly ({ readonly start: number } & Sales)[];
  readonly actors: readonly ({ readonly actorId: string } & Sales)[];
  readonly products: readonly (Sales & {
    readonly id: string;
    readonly title: string;
    readonly quantity: number;
  })[];
  /** Whether these are test orders, because the site takes no real payments. */
  readonly isTest: boolean;
  /** Whether there were more orders than were counted. */
  readonly cut: boolean;
}

/** Adds up orders, each currency by itself. */
class Sum implements Sales {
  orders = 0;
  private readonly minor = new Map<string, number>();

  add({ minor, currency }: Money): void {
    this.orders += 1;
    this.minor.set(currency, (this.minor.get(currency) ?? 0) + minor);
  }

  get amounts(): readonly Money[] {
    return [...this.minor]
      .map(([currency, minor]) => ({ minor, currency }))
      .toSorted((a, b) => a.currency.localeCompare(b.currency));
  }
}

function sumAt<Key>(sums: Map<Key, Sum>, key: Key): Sum {
  const sum = sums.get(key) ?? new Sum();
  sums.set(key, sum);
  return sum;
}

interface Sold {
  readonly title: string;
  readonly sum: Sum;
  quantity: number;
}

/** The largest amount first. Several currencies cannot be compared: then the number of orders decides. */
function mostSold(a: Sales, b: Sales): number {
  const [one, other] = [a.amounts, b.amounts].map((amounts) =>
    amounts.length === 1 ? amounts[0] : undefined,
  );
  if (one === undefined || other === undefined || one.currency !== other.currency)
    return b.orders - a.orders;
  return other.minor - one.minor;
}

/** What a site sold in a time: in all, over time, to whom, and which products. */
export async function countSales(
  { db }: Context,
  { siteKeyHash, provider }: Site,
  span: { readonly from: number; readonly to: number },
  by: CountBy,
): Promise<SalesCounts> {
  const live = provider?.live === true;
  const sales = await listSales(db, siteKeyHash, { ...span, live }, ORDERS_MAX + 1);
  const total = new Sum();
  const steps = new Map<number, Sum>();
  const actors = new Map<string, Sum>();
  const products = new Map<string, Sold>();
  for (const { createdAt, actorId, items, amount } of sales.slice(0, ORDERS_MAX)) {
    total.add(amount);
    sumAt(steps, stepOf(createdAt, by)).add(amount);
    sumAt(actors, actorId).add(amount);
    for (const { id, title, quantity, unit_minor } of items) {
      if (isTestItemId(id)) continue;
      const sold = products.get(id) ?? { title, sum: new Sum(), quantity: 0 };
      sold.sum.add({ minor: unit_minor * quantity, currency: amount.currency });
      sold.quantity += quantity;
      products.set(id, sold);
    }
  }
  return {
    total,
    steps: [...steps]
      .toSorted(([a], [b]) => a - b)
      .map(([start, { orders, amounts }]) => ({ start, orders, amounts })),
    actors: [...actors]
      .map(([actorId, { orders, amounts }]) => ({ actorId, orders, amounts }))
      .toSorted(mostSold)
      .slice(0, NAMED_MAX),
    products: [...products]
      .map(
        ([
          id,
          {
            title,
            quantity,
            sum: { orders, amounts },
          },
        ]) => ({
          id,
          title,
          quantity,
          orders,
          amounts,
        }),
      )
      .toSorted((a, b) => b.quantity - a.quantity)
      .slice(0, NAMED_MAX),
    // A site without a provider has sold nothing yet, not even in test mode.
    isTest: !live && (provider !== null || sales.length > 0),
    cut: sales.length > ORDERS_MAX,
  };
}
