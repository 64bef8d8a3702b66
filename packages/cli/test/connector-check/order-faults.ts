import type { Json } from "../../../server/test/connectors/shop-in-memory.ts";
import { answers, does, type Faults } from "./planting.ts";

export const ORDER_FAULTS: Faults = {
  "answers an order with a number as its id": [
    "Every answer has the fields of the contract.",
    answers("order", (answer) => ({ ...answer, shop_order_id: 981 })),
  ],
  "keeps the reservation beside the order": [
    "An order takes the goods of its reservation once.",
    does("order", (shop, message, right) => {
      const { reservation_id: id } = message.order;
      const held = shop.reservations.get(id);
      const answer = right(message);
      if (held !== undefined) shop.reservations.set(id, held);
      return answer;
    }),
  ],
  "takes the goods again if the order arrives again": [
    "The same order again changes nothing.",
    does("order", (shop, message, right) => {
      const { order } = message;
      const isSame = shop.orders.get(order.order_id)?.revision === 1 && order.revision === 1;
      const answer = right(message);
      if (isSame) shop.stock.rose = (shop.stock.rose ?? 0) - 1;
      return answer;
    }),
  ],
  "makes another order of the same message": [
    "The same order again changes nothing.",
    does("order", (shop, message, right) => {
      const { order } = message;
      const isSame = shop.orders.get(order.order_id)?.revision === order.revision;
      const answer = right(message);
      return isSame ? { ...answer, shop_order_id: "wc-another" } : answer;
    }),
  ],
  "reserves again what became an order": [
    "A reservation that became an order cannot be reserved again.",
    does("reserve", (shop, message, right) => {
      const { reservation_id: id } = message;
      for (const order of shop.orders.values()) {
        if (order.reservation_id === id) shop.closed.delete(id);
      }
      return right(message);
    }),
  ],
  "frees the goods of an order if its reservation is released": [
    "A release after the order changes nothing.",
    does("release", (shop, message, right) => {
      const { reservation_id: id } = message;
      for (const order of shop.orders.values()) {
        if (order.reservation_id === id) shop.stock.rose = (shop.stock.rose ?? 0) + 2;
      }
      return right(message);
    }),
  ],
  "keeps cancelled lines": [
    "A cancelled line returns to the stock.",
    does("order", (_shop, { order }, right) => {
      const lines = order.lines.map((line: Json) => ({ ...line, cancelled: 0 }));
      return right({ order: { ...order, lines } });
    }),
  ],
  "returns cancelled lines each time": [
    "The same cancellation again changes nothing.",
    does("order", (shop, message, right) => {
      const { order } = message;
      const isSame = shop.orders.get(order.order_id)?.revision === order.revision;
      const answer = right(message);
      const [{ cancelled }] = order.lines;
      if (isSame) shop.stock.rose = (shop.stock.rose ?? 0) + cancelled;
      return answer;
    }),
  ],
  "believes the message that arrives last": [
    "An older revision changes nothing.",
    does("order", (shop, message, right) => {
      const before = shop.orders.get(message.order.order_id);
      if (before?.revision > message.order.revision) before.revision = 0;
      return right(message);
    }),
  ],
  "returns only part of a cancelled order": [
    "A cancelled order returns all its goods.",
    does("order", (shop, message, right) => {
      const [line] = message.order.lines;
      const answer = right(message);
      const isWhole = message.order.number === 1 && line.cancelled === line.quantity;
      if (isWhole && message.order.revision === 4) shop.stock.rose = (shop.stock.rose ?? 0) - 1;
      return answer;
    }),
  ],
  "ignores an order without a reservation": [
    "An order without a reservation takes its goods.",
    does("order", (shop, message, right) => {
      const { order } = message;
      const isKnown =
        shop.reservations.has(order.reservation_id) || shop.orders.has(order.order_id);
      if (isKnown || order.lines[0].cancelled > 0) return right(message);
      return { type: "order.answer", shop_order_id: "none" };
    }),
  ],
  "takes cancelled lines of an order that it does not have yet": [
    "An order that arrives with cancelled lines takes only the rest.",
    does("order", (shop, message, right) => {
      const { order } = message;
      if (shop.orders.has(order.order_id)) return right(message);
      const lines = order.lines.map((line: Json) => ({ ...line, cancelled: 0 }));
      return right({ order: { ...order, lines } });
    }),
  ],
};
