import { type JsonObject, type JsonValue, lineIdAt } from "@gatehouse/protocol";
import type { LineFault, Quote, QuotedLine } from "../../domain/checkouts/checkout.js";
import type { WantedLine } from "../../domain/checkouts/platform.js";
import { PRODUCT_ID_CHARS_MAX } from "../../domain/products/product.js";
import { UNSEEN } from "../../domain/products/read-fields.js";
import { LINE_QUANTITY_MAX, LINES_MAX } from "../../purchase/prices.js";
import { invalid } from "./errors.js";
import { listIn, numberIn, objectIn, textIn } from "./fields.js";

/** ISO 4217's code for no currency: for a cart or checkout without a line that has a price. */
export const NO_CURRENCY = "XXX";

/** `line_items` of a request: the products, and how many of each. */
export function readLines(value: JsonValue | undefined): readonly WantedLine[] {
  return listIn(value, "line_items", LINES_MAX).map((line, i) => {
    const name = `line_items[${i}]`;
    const { item, quantity } = objectIn(line, name);
    const id = textIn(objectIn(item, `${name}.item`).id, `${name}.item.id`, PRODUCT_ID_CHARS_MAX);
    const count = numberIn(quantity, `${name}.quantity`, 1);
    if (id === null || id === "" || UNSEEN.test(id) || count === null) {
      throw invalid(`\`${name}\` must have an \`item.id\` and a \`quantity\`.`);
    }
    return { productId: id, quantity: count };
  });
}

/** UCP's code for what is wrong with a line, and a sentence for people. */
const FAULTS: Readonly<Record<LineFault, readonly [string, string]>> = {
  not_found: ["not_found", "There is no product with this id."],
  unavailable: ["item_unavailable", "This product cannot be ordered now."],
  out_of_stock: ["out_of_stock", "Not enough stock."],
  other_currency: [
    "item_unavailable",
    "This product has a different currency. Order it separately.",
  ],
  too_large: ["item_unavailable", "The total is too large."],
  too_many: [
    "quantity_invalid_limit_exceeded",
    `The quantity of a line can be at most ${LINE_QUANTITY_MAX}. Reduce the quantity.`,
  ],
};

/**
 * A message for each line that cannot be bought as it is. It names the product: such a line is not in
 * the answer, so no path leads to it.
 */
export function lineMessages(
  wanted: readonly WantedLine[],
  { lines }: { readonly lines: readonly (object | LineFault)[] },
  severity: "recoverable" | "unrecoverable",
): readonly JsonObject[] {
  return lines.flatMap((line, i) => {
    if (typeof line !== "string") return [];
    const [code, sentence] = FAULTS[line];
    return [{ type: "error", code, content: `${wanted[i]?.productId}: ${sentence}`, severity }];
  });
}

function lineBody(line: QuotedLine, i: number): JsonObject {
  const { productId: id, title, unitMinor: price, imageUrl, quantity, amountMinor: amount } = line;
  const image = imageUrl === null ? {} : { image_url: imageUrl };
  const totals = ["subtotal", "total"].map((type) => ({ type, amount }));
  return { id: lineIdAt(i), item: { id, title, price, ...image }, quantity, totals };
}

/** The lines that have a price; each id is the line's place in the request. */
export function lineBodies({ lines }: Pick<Quote, "lines">): readonly JsonObject[] {
  return lines.flatMap((line, i) => (typeof line === "string" ? [] : [lineBody(line, i)]));
}
