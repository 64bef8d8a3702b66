import { z } from "@hono/zod-openapi";
import { type Checkout, chosenAddress } from "../../domain/checkouts/checkout.js";
import { isoTime } from "../../infra/clock.js";

const Texts = z.record(z.string(), z.string());

/** The buyer, the delivery and the totals of a checkout. Its items are not part of it. */
export const Purchase = z
  .object({
    checkout_id: z.string(),
    buyer: Texts.openapi({ description: "The buyer, as the platform sent it." }),
    address: Texts.nullable().openapi({
      description: "The shipping address. null if nothing is shipped.",
    }),
    delivery: z.object({ id: z.string(), title: z.string() }).nullable(),
    subtotal_minor: z.int(),
    shipping_minor: z.int().nullable(),
    fee_minor: z.int().openapi({ description: "What the shop charges besides." }),
    tax_minor: z.int(),
    quoted_at: z.iso.datetime().nullable().openapi({
      description:
        "When the shop system gave these prices. null if they are not from a shop system.",
    }),
  })
  .openapi("Purchase");

/** The data that people need to review an order or to send it. */
export function purchaseOf({ checkoutId, content, quote }: Checkout): z.infer<typeof Purchase> {
  const { buyer, delivery } = content;
  const { id: _, ...address } = chosenAddress(delivery) ?? { id: "" };
  const option = quote.options.find(({ id }) => id === delivery.optionId);
  const { subtotalMinor, shippingMinor, fees = [], taxMinor } = quote.totals;
  return {
    checkout_id: checkoutId,
    buyer: buyer as Record<string, string>,
    address: quote.ships ? (address as Record<string, string>) : null,
    delivery: option === undefined ? null : { id: option.id, title: option.title },
    subtotal_minor: subtotalMinor,
    shipping_minor: shippingMinor,
    fee_minor: fees.reduce((sum, { amountMinor }) => sum + amountMinor, 0),
    tax_minor: taxMinor,
    quoted_at: quote.quotedAt === undefined ? null : isoTime(quote.quotedAt),
  };
}
