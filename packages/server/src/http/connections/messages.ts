import type { JsonValue } from "@gatehouse/protocol";
import { z } from "@hono/zod-openapi";
import type { OrderChange } from "../../actions/shop-connections/order-change.js";
import { CHALLENGE, id as Id, VERIFIER } from "../../connectors/shop/messages.js";
import { PARTS_MAX } from "../../domain/shop-connections/shop-connection.js";
import { line, lineOrNull, webAddress } from "../server/fields.js";
import { SHOP_PRODUCT } from "./shop-product.js";

/** The messages of shop systems, as docs/guide/connector.md says. Fields that are not known here are ignored. */

const PRODUCTS_MAX = 500;
const WORDS_CHARS_MAX = 200;
const CODE_CHARS_MAX = 100;
const URL_CHARS_MAX = 2048;
const LINES_MAX = 200;
const QUANTITY_MAX = 1_000_000;
const AMOUNT_MINOR_MAX = 1_000_000_000_000;

const Url = z.string().min(1).max(URL_CHARS_MAX);
const System = line(WORDS_CHARS_MAX).openapi({ example: "WooCommerce 10.2.4" });
const Sells = z.boolean().openapi({
  description:
    "false for a website without a shop. Gatehouse then asks for no quotes and sends no orders.",
});

export const ConnectMessage = z
  .object({
    type: z.literal("connect"),
    code: z.string().min(1).max(CODE_CHARS_MAX),
    verifier: z.string().regex(VERIFIER).nullable().default(null).openapi({
      description: "For a code of a link: what the `challenge` of the link is the SHA-256 of.",
    }),
    challenge: z.string().regex(CHALLENGE).openapi({
      description: "The SHA-256 of what the endpoint answers to the message `proof`, in base64url.",
    }),
    endpoint: Url.openapi({
      description: "On the domain of the site.",
      example: "https://shop.example.com/wp-json/gatehouse/v1/connector",
    }),
    system: System,
    sells: Sells.default(true),
    cart_link: Url.nullable()
      .default(null)
      .openapi({
        description:
          "A link into the shop's checkout. `{items}` stands for `id:quantity,id:quantity`. " +
          "`{coupon}` is replaced with the discount code of the buyer. Without a code, `&coupon={coupon}` is removed.",
        example: "https://shop.example.com/checkout-link/?products={items}&coupon={coupon}",
      }),
  })
  .openapi("ConnectMessage");

const Version = z.int().min(0);

export const ProductsMessage = z
  .object({
    type: z.literal("products"),
    sync: z
      .object({ id: Id, part: z.int().min(1).max(PARTS_MAX), last: z.boolean().default(false) })
      .nullable()
      .default(null),
    products: z.array(z.custom<JsonValue>()).max(PRODUCTS_MAX).default([]).openapi({
      type: "array",
      items: SHOP_PRODUCT,
    }),
    removed: z
      .array(z.object({ id: Id, version: Version }))
      .max(PRODUCTS_MAX)
      .default([]),
  })
  .openapi("ProductsMessage");

const Lines = z
  .array(z.object({ line_id: z.string().max(20), quantity: z.int().min(1).max(QUANTITY_MAX) }))
  .min(1)
  .max(LINES_MAX)
  .nullish();
const Words = lineOrNull(WORDS_CHARS_MAX).optional();
const AmountMinor = z.int().min(1).max(AMOUNT_MINOR_MAX);

const Change = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("sent"),
    lines: Lines,
    carrier: Words,
    tracking_number: Words,
    tracking_url: webAddress(/^https?$/).nullish(),
    capture: z.boolean().default(false),
    refunded_minor: AmountMinor.nullish().describe(
      "With `capture`: what the shop refunded before the capture. The buyer pays that much less.",
    ),
  }),
  z.object({ kind: z.literal("delivered"), lines: Lines }),
  z.object({ kind: z.literal("cancelled"), lines: Lines, reason: Words }),
  z.object({ kind: z.literal("captured"), amount_minor: AmountMinor.nullish() }),
  z.object({ kind: z.literal("refunded"), amount_minor: AmountMinor, reason: Words }),
]);

export const OrderChangeMessage = z
  .object({ type: z.literal("order.change"), event_id: Id, order_id: Id, change: Change })
  .openapi("OrderChangeMessage");

export const StatusMessage = z
  .object({
    type: z.literal("status"),
    verify: z.boolean().default(false),
    disconnect: z.boolean().default(false),
    system: System.optional(),
    sells: Sells.optional(),
    cart_link: Url.nullable().optional(),
  })
  .openapi("StatusMessage");

const linesOf = (lines: z.infer<typeof Lines>) =>
  lines?.map(({ line_id: id, quantity }) => ({ id, quantity })) ?? null;

/** Left out if nothing was refunded, so that the digest of an event from before this field stays the same. */
const refundedBefore = (minor: number | null | undefined) =>
  minor == null ? undefined : { refundedMinor: minor };

/** A change in the terms of the actions. */
export function changeOf(change: z.infer<typeof Change>): OrderChange {
  switch (change.kind) {
    case "sent":
      return {
        kind: "sent",
        lines: linesOf(change.lines),
        carrier: change.carrier ?? null,
        trackingNumber: change.tracking_number ?? null,
        trackingUrl: change.tracking_url ?? null,
        capture: change.capture,
        ...refundedBefore(change.refunded_minor),
      };
    case "delivered":
      return { kind: "delivered", lines: linesOf(change.lines) };
    case "cancelled":
      return { kind: "cancelled", lines: linesOf(change.lines), reason: change.reason ?? null };
    case "captured":
      return { kind: "captured", amountMinor: change.amount_minor ?? null };
    case "refunded":
      return { kind: "refunded", amountMinor: change.amount_minor, reason: change.reason ?? null };
  }
}
