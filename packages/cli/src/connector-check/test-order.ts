import type { AnsweredQuote, ShopOrder } from "@gatehouse/server/connector";
import type { Goods } from "./goods.js";
import { newId } from "./new-id.js";

const BUYER = {
  email: "connector-check@example.com",
  first_name: "Connector",
  last_name: "Check",
  phone: null,
};

const ADDRESS = {
  region: null,
  postal_code: "10115",
  city: "Berlin",
  street: "Invalidenstr. 1",
  street_2: null,
  first_name: "Connector",
  last_name: "Check",
  phone: null,
};

interface OrderedGoods {
  readonly goods: Goods;
  readonly quantity: number;
  readonly quote: AnsweredQuote;
  readonly number: number;
}

/** A test order with its own reservation, as Gatehouse sends one that was just paid. */
export function testOrder({ goods, quantity, quote, number }: OrderedGoods): ShopOrder {
  const option = quote.options.find(({ id }) => id === goods.optionId);
  const [unit] = quote.lines;
  const line = {
    line_id: "li_1",
    product_id: goods.productId,
    title: `Product ${goods.productId}`,
    quantity,
    cancelled: 0,
    sent: 0,
    unit_minor: typeof unit === "number" ? unit : 0,
  };
  return {
    order_id: newId("ord"),
    number,
    revision: 1,
    reservation_id: newId("pay"),
    created_at: new Date().toISOString(),
    test: true,
    currency: goods.shop.currency,
    lines: [line],
    option: option
      ? { id: option.id, title: option.title, amount_minor: option.amountMinor }
      : null,
    discount_minor: quote.discounts.reduce((sum, { amountMinor }) => sum + amountMinor, 0),
    fee_minor: (quote.fees ?? []).reduce((sum, { amountMinor }) => sum + amountMinor, 0),
    tax_minor: quote.taxMinor,
    total_minor: quote.totalMinor,
    buyer: BUYER,
    destination: { country: goods.country, ...ADDRESS },
    agent: { id: "agt_connector_check", name: "Connector check" },
    payment: { state: "authorized", provider: "sandbox", reference: null, captured_minor: 0 },
    refunds: [],
  };
}
