import type { Json } from "../../../server/test/connectors/shop-in-memory.ts";
import { answers, does, type Faults } from "./planting.ts";

export const QUOTE_FAULTS: Faults = {
  "adds wrongly": [
    "Every total is the exact sum.",
    answers("quote", (answer) => ({ ...answer, total_minor: answer.total_minor + 1 })),
  ],
  "answers with amounts as text": [
    "Every answer has the fields of the contract.",
    answers("quote", (answer) => ({ ...answer, tax_minor: String(answer.tax_minor) })),
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
};
