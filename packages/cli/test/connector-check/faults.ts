import { signHmacWebhook, verifyHmacWebhook } from "@gatehouse/protocol";
import type { Json } from "../../../server/test/connectors/shop-in-memory.ts";
import type { ShopStandIn } from "../../../server/test/connectors/shop-stand-in.ts";

/** Makes a shop system wrong in one way. */
type Plant = (shop: ShopStandIn) => void;

const accepts =
  (
    wrong: (right: boolean, signature: { timestamp: string; signature: string }) => boolean,
  ): Plant =>
  (shop) => {
    const right = shop.accepts.bind(shop);
    shop.accepts = async (message, signature) => wrong(await right(message, signature), signature);
  };

/** Believes any time for which it is later (or earlier) than now. */
const acceptsTime =
  (isAccepted: (sentAt: number, now: number) => boolean): Plant =>
  (shop) => {
    const right = shop.accepts.bind(shop);
    shop.accepts = async (message, signature) => {
      const sentAt = Number(signature.timestamp) * 1000;
      if (!isAccepted(sentAt, shop.clock.now())) return right(message, signature);
      const key = { secret: shop.secret, now: sentAt };
      return (await verifyHmacWebhook(message, signature, key)).ok;
    };
  };

/** Changes what it answers to one type of message. */
const answers =
  (type: string, wrong: (answer: Json) => Json): Plant =>
  (shop) => {
    shop.spoil = { [type]: wrong };
  };

/** Does a message in another way. `right` is how it should. */
const does =
  (
    type: "quote" | "reserve" | "release" | "order",
    wrong: (shop: ShopStandIn, message: Json, right: (message: Json) => Json) => Json,
  ): Plant =>
  (shop) => {
    const right = shop[type].bind(shop);
    shop[type] = (message: Json) => wrong(shop, message, right);
  };

const RESERVED = { type: "reserve.answer", state: "reserved" };

const believes = (reason: string): Plant =>
  does("reserve", (shop, message, right) => {
    const answer = right(message);
    if (answer.reason !== reason) return answer;
    shop.reservations.set(message.reservation_id, message.lines);
    return RESERVED;
  });

/** Each fault with the one check that must fail. */
export const FAULTS: Readonly<Record<string, readonly [check: string, plant: Plant]>> = {
  "accepts messages without a signature": [
    "An unsigned message is refused with 401.",
    accepts((right, { signature }) => right || signature === ""),
  ],
  "accepts any signature": [
    "A message with a wrong signature is refused with 401.",
    accepts((right, { timestamp, signature }) => {
      const isFresh = Math.abs(Date.now() / 1000 - Number(timestamp)) < 300;
      return right || (signature !== "" && isFresh);
    }),
  ],
  "accepts old messages": [
    "An old message is refused with 401.",
    acceptsTime((sentAt, now) => sentAt < now),
  ],
  "accepts messages from the future": [
    "A message from the future is refused with 401.",
    acceptsTime((sentAt, now) => sentAt > now),
  ],
  "fails at a body that is not JSON": [
    "A body that is not JSON is answered with 400.",
    (shop) => {
      const right = shop.read.bind(shop);
      shop.read = (body) => {
        JSON.parse(body);
        return right(body);
      };
    },
  ],
  "answers an unknown type as if it were a release": [
    "An unknown type of message is answered with 400.",
    (shop) => {
      const right = shop.read.bind(shop);
      shop.read = (body) =>
        right(body) ?? (body.startsWith('{"') ? { type: "release" } : undefined);
    },
  ],
  "refuses messages with fields that it does not know": [
    "Unknown fields are ignored.",
    (shop) => {
      const right = shop.read.bind(shop);
      shop.read = (body) => (body.includes('"connector_check":') ? undefined : right(body));
    },
  ],
  "does not sign its answers": [
    "Every answer is signed with the id of its request.",
    (shop) => {
      shop.sign = async () => ({});
    },
  ],
  "signs its answers with an id of its own": [
    "Every answer is signed with the id of its request.",
    (shop) => {
      shop.sign = (answer) =>
        signHmacWebhook(
          { ...answer, id: "msg_own" },
          { secret: shop.secret, sentAt: shop.clock.now() },
        );
    },
  ],
  "does not answer quotes": [
    "Every answer comes within its time limit.",
    (shop) => {
      shop.spoil = { quote: "never" };
    },
  ],
  "answers with status 202": [
    "Every message that is right is answered with 200.",
    (shop) => {
      shop.status = 202;
    },
  ],
  "adds wrongly": [
    "Every total is the exact sum.",
    answers("quote", (answer) => ({ ...answer, total_minor: answer.total_minor + 1 })),
  ],
  "answers with amounts as text": [
    "Every answer has the fields of the contract.",
    answers("quote", (answer) => ({ ...answer, tax_minor: String(answer.tax_minor) })),
  ],
  "answers an order with a number as its id": [
    "Every answer has the fields of the contract.",
    answers("order", (answer) => ({ ...answer, shop_order_id: 981 })),
  ],
  "answers in its own currency": [
    "Every quote is in the requested currency.",
    answers("quote", (answer) => ({ ...answer, currency: "USD" })),
  ],
  "answers lines in another order": [
    "Every quote has the requested lines in their order.",
    answers("quote", (answer) => ({ ...answer, lines: answer.lines.toReversed() })),
  ],
  "gives all delivery options the same id": [
    "Every delivery option has its own id.",
    does("quote", (_shop, message, right) => {
      const answer = right(message);
      return { ...answer, options: answer.options.map((one: Json) => ({ ...one, id: "one" })) };
    }),
  ],
  "offers delivery without a destination": [
    "A quote without a destination has no delivery options.",
    answers("quote", (answer) =>
      answer.options.length > 0
        ? answer
        : { ...answer, options: [{ id: "parcel", title: "Parcel", amount_minor: 490 }] },
    ),
  ],
  "cannot deliver to a country alone": [
    "A quote for a country alone is answered.",
    (shop) => {
      const right = shop.read.bind(shop);
      shop.read = (body) => {
        const message = right(body);
        return message?.type === "quote" && message.destination !== null ? undefined : message;
      };
    },
  ],
  "forgets the options when one is chosen": [
    "A quote with each delivery option is answered.",
    does("quote", (_shop, message, right) => {
      const answer = right(message);
      if (message.option_id !== "courier") return answer;
      const [parcel] = answer.options;
      return { ...answer, options: [parcel], total_minor: answer.total_minor - 1500 };
    }),
  ],
  "gives an unknown product away": [
    "An unknown product has the fault not_found.",
    answers("quote", (answer) => ({
      ...answer,
      lines: answer.lines.map(({ fault, ...line }: Json) =>
        fault === "not_found" ? { ...line, unit_minor: 0 } : { ...line, ...(fault && { fault }) },
      ),
    })),
  ],
  "says nothing of a coupon that it does not have": [
    "A coupon that does not exist is in rejected_coupons.",
    answers("quote", (answer) => ({ ...answer, rejected_coupons: [] })),
  ],
  "sells more than it has": [
    "A quantity beyond the stock has the fault out_of_stock.",
    (shop) => {
      shop.stock = {};
    },
  ],
  "calls a line unavailable when there are too few": [
    "A quantity beyond the stock has the fault out_of_stock.",
    answers("quote", (answer) => ({
      ...answer,
      lines: answer.lines.map((line: Json) =>
        line.fault === "out_of_stock" ? { ...line, fault: "unavailable" } : line,
      ),
    })),
  ],
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
      if (isWhole && message.order.revision === 3) shop.stock.rose = (shop.stock.rose ?? 0) - 1;
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
