import { setTimeout } from "node:timers/promises";
import { does, type Faults, type Plant } from "./planting.ts";

const RESERVED = { type: "reserve.answer", state: "reserved" };

const believes = (reason: string): Plant =>
  does("reserve", (shop, message, right) => {
    const answer = right(message);
    if (answer.reason !== reason) return answer;
    shop.reservations.set(message.reservation_id, message.lines);
    return RESERVED;
  });

export const RESERVATION_FAULTS: Faults = {
  "says that goods are reserved, and holds nothing": [
    "Reserved goods are not available to others.",
    does("reserve", (shop, message, right) => {
      const answer = right(message);
      shop.reservations.clear();
      return answer;
    }),
  ],
  "holds the goods twice if the message arrives again": [
    "The same reservation again holds its goods once.",
    does("reserve", (shop, message, right) => {
      const { reservation_id: id } = message;
      const before = shop.reservations.get(id);
      const answer = right(message);
      if (before !== undefined) shop.reservations.set(`${id} again`, before);
      return answer;
    }),
  ],
  "holds one reservation at a time": [
    "Two reservations hold the goods of both.",
    does("reserve", (shop, message, right) => {
      const answer = right(message);
      if (answer.state === "reserved" && message.lines[0].quantity === 1) {
        shop.reservations = new Map([[message.reservation_id, message.lines]]);
      }
      return answer;
    }),
  ],
  "reserves more than it has": [
    "A reservation beyond the stock is refused with out_of_stock.",
    believes("out_of_stock"),
  ],
  "reserves at any price": [
    "A reservation with a wrong total is refused with price_changed.",
    believes("price_changed"),
  ],
  "promises the same goods to two who ask at once": [
    "Of two reservations at the same time, one gets the goods.",
    does("reserve", async (shop, message, right) => {
      const seen = shop.reservations;
      shop.reservations = new Map(seen);
      const answer = right(message);
      const { reservations: mine } = shop;
      // What others reserve meanwhile is not seen, and not forgotten.
      shop.reservations = seen;
      await setTimeout(20);
      for (const [id, lines] of mine) shop.reservations.set(id, lines);
      return answer;
    }),
  ],
  "does not free released goods": [
    "A released reservation frees its goods.",
    does("release", (shop, { reservation_id: id }) => {
      shop.closed.add(id);
      return { type: "release.answer" };
    }),
  ],
  "does not answer the second release": [
    "Releasing again changes nothing.",
    (shop) => {
      const right = shop.read.bind(shop);
      shop.read = (body) => {
        const message = right(body);
        const isSecond = message?.type === "release" && shop.closed.has(message.reservation_id);
        return isSecond && shop.orders.size === 0 ? undefined : message;
      };
    },
  ],
  "reserves again what was released": [
    "A released reservation cannot be reserved again.",
    does("reserve", (shop, message, right) => {
      const { reservation_id: id, lines } = message;
      // Two were held before, and one of the reservation that it never had.
      const wasHeld = shop.orders.size === 0 && lines[0].quantity === 2;
      if (wasHeld) shop.closed.delete(id);
      return right(message);
    }),
  ],
  "remembers only releases of reservations that it has": [
    "A reservation that arrives after its release is refused.",
    does("release", (shop, message, right) => {
      const { reservation_id: id } = message;
      if (shop.reservations.has(id) || shop.closed.has(id)) return right(message);
      return { type: "release.answer" };
    }),
  ],
};
