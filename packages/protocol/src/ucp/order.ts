import type { JsonObject } from "../json/value.js";
import type { UcpCapability } from "./capabilities.js";
import { UCP_VERSION } from "./versions.js";

/** The capability by which a platform reads orders, and hears of them. */
export const ORDER_CAPABILITY = "dev.ucp.shopping.order" satisfies UcpCapability;

/** What was bought of one product, and what of it is still to be sent. */
export interface UcpOrderLine {
  readonly id: string;
  readonly item: JsonObject;
  /** What the line came to when it was bought, in minor units. */
  readonly amountMinor: number;
  readonly original: number;
  /** Without what was cancelled. */
  readonly total: number;
  readonly fulfilled: number;
}

/** An order as far as a platform is told of it. */
interface UcpOrder {
  readonly id: string;
  /** The order as people call it. */
  readonly label: string;
  readonly checkoutId: string;
  readonly permalinkUrl: string;
  readonly currency: string;
  readonly lines: readonly UcpOrderLine[];
  readonly expectations: readonly JsonObject[];
  readonly events: readonly JsonObject[];
  readonly adjustments: readonly JsonObject[];
  /** What was to be paid when it was bought: that stays, adjustments say what has moved since. */
  readonly totals: readonly JsonObject[];
  /** As they were when it was bought. */
  readonly policies: readonly JsonObject[];
}

/**
 * How far a line is, by its quantities, as UCP derives it.
 *
 * @example
 * lineStatus({ total: 2, fulfilled: 1 }); //=> "partial"
 * lineStatus({ total: 0, fulfilled: 0 }); //=> "removed"
 */
export function lineStatus({ total, fulfilled }: Pick<UcpOrderLine, "total" | "fulfilled">) {
  if (total === 0) return "removed";
  if (fulfilled === total) return "fulfilled";
  return fulfilled > 0 ? "partial" : "processing";
}

function lineBody({ id, item, amountMinor: amount, ...line }: UcpOrderLine): JsonObject {
  const { original, total, fulfilled } = line;
  return {
    id,
    item,
    quantity: { original, total, fulfilled },
    totals: ["subtotal", "total"].map((type) => ({ type, amount })),
    status: lineStatus(line),
  };
}

const listed = (name: string, list: readonly JsonObject[]) =>
  list.length === 0 ? {} : { [name]: [...list] };

/**
 * UCP's order: all that is so now, never only what has changed.
 *
 * @example
 * const bought = { id: "li_1", item: { id: "rose" }, amountMinor: 500, original: 1, total: 1, fulfilled: 0 };
 * const none = { expectations: [], events: [], adjustments: [], policies: [] };
 * const order = { id: "ord_1", label: "#1042", checkoutId: "chk_1", permalinkUrl: "https://shop.example.com/o" };
 * const money = { currency: "EUR", totals: [{ type: "total", amount: 500 }] };
 * orderDocument({ ...order, ...money, lines: [bought], ...none }).line_items[0].status; //=> "processing"
 */
export function orderDocument(order: UcpOrder): JsonObject {
  const { id, label, checkoutId, permalinkUrl, currency, expectations, events, adjustments } =
    order;
  const capabilities = { [ORDER_CAPABILITY]: [{ version: UCP_VERSION }] };
  return {
    ucp: { version: UCP_VERSION, status: "success", capabilities },
    id,
    label,
    checkout_id: checkoutId,
    permalink_url: permalinkUrl,
    line_items: order.lines.map(lineBody),
    fulfillment: { ...listed("expectations", expectations), ...listed("events", events) },
    ...listed("adjustments", adjustments),
    currency,
    totals: [...order.totals],
    ...listed("policies", order.policies),
  };
}
