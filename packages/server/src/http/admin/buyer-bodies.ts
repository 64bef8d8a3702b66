import { z } from "@hono/zod-openapi";
import type { eraseBuyer } from "../../actions/buyers/erase-buyer.js";
import { ERASED_KINDS } from "../../actions/buyers/erase-purchase.js";
import type { exportBuyer } from "../../actions/buyers/export-buyer.js";
import { type findBuyer, PURCHASES_MAX } from "../../actions/buyers/find-buyer.js";
import { KEPT_REASONS, type Kept } from "../../actions/buyers/kept.js";
import type { Context } from "../../context.js";
import { isBuyerAddress } from "../../domain/buyers/address.js";
import type { Cart } from "../../domain/checkouts/carts/cart.js";
import type { Checkout } from "../../domain/checkouts/checkout.js";
import type { Review } from "../../domain/reviews/review.js";
import type { Site } from "../../domain/sites/site.js";
import { isoTime } from "../../infra/clock.js";
import { line } from "../server/fields.js";
import { Timestamp, timeOrNull } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { ShownOrderBody } from "./order-body.js";
import { renderOrder } from "./orders.js";
import { MoneyBody } from "./schemas.js";

const EMAIL_CHARS_MAX = 254;

/** An address stands in the body and never in a URL, because URLs are logged. */
export const BuyerQuery = strict({
  email: line(EMAIL_CHARS_MAX)
    .refine(isBuyerAddress, "must be an address such as ann@example.com")
    .openapi({ example: "ann@example.com" }),
}).openapi("BuyerQuery");

const Kind = z.enum(["order", "checkout", "cart"]);
const Why = z.enum(KEPT_REASONS).openapi({
  description:
    "`payment_open`: the payment is only authorized. `not_sent`: items were not sent. `on_its_way`: items were sent " +
    "and not reported as delivered. `money_returning`: a refund or dispute is open. `notifying`: a message to the " +
    "platform or the buyer is not delivered yet. `paying`: a payment or review is in progress. `open`: it can still be bought.",
});
const Until = Timestamp.nullable().openapi({
  description: "When this ends at the latest. null if not known.",
});
const IsComplete = z.boolean().openapi({
  description: `false if there are more than ${PURCHASES_MAX} checkouts or carts.`,
});
const NeededFor = z.object({ why: Why, until: Until });

export const FoundBody = z
  .object({
    items: z.array(
      z.object({
        kind: Kind,
        id: z.string(),
        created_at: Timestamp,
        number: z.int().nullable().openapi({ description: "The number of an order." }),
        amount: MoneyBody.nullable(),
        needed_for: NeededFor.nullable().openapi({ description: "null if it can be erased." }),
        is_erasing: z.boolean().openapi({
          description:
            "Whether an erasure of it was requested. It is erased within an hour after it is no longer needed.",
        }),
      }),
    ),
    is_complete: IsComplete,
    erasure_requested_at: Timestamp.nullable().openapi({
      description: "When an erasure was last requested.",
    }),
  })
  .openapi("FoundBuyer");

const neededFor = ({ why, until }: Kept) => ({ why, until: timeOrNull(until) });

export function foundBody(
  result: Awaited<ReturnType<typeof findBuyer>>,
): z.infer<typeof FoundBody> {
  return {
    items: result.items.map(({ kind, id, createdAt, number, amount, kept, isErasing }) => ({
      kind,
      id,
      created_at: isoTime(createdAt),
      number,
      amount: amount && { minor: amount.minor, currency: amount.currency },
      needed_for: kept && neededFor(kept),
      is_erasing: isErasing,
    })),
    is_complete: result.isComplete,
    erasure_requested_at: timeOrNull(result.erasureRequestedAt),
  };
}

export const ErasureBody = z
  .object({
    requested_at: Timestamp,
    erased: z
      .object(Object.fromEntries(ERASED_KINDS.map((kind) => [kind, z.int()])) as ErasedShape)
      .openapi({ description: "How much was erased." }),
    kept: z
      .array(NeededFor.extend({ kind: Kind, id: z.string() }))
      .openapi({ description: "What is still needed. It is erased when it ends." }),
  })
  .openapi("BuyerErasure");

type ErasedShape = Record<(typeof ERASED_KINDS)[number], z.ZodInt>;

export function erasureBody({
  requestedAt,
  erased,
  kept,
}: Awaited<ReturnType<typeof eraseBuyer>>): z.infer<typeof ErasureBody> {
  return {
    requested_at: isoTime(requestedAt),
    erased: { ...erased },
    kept: kept.map(({ kind, id, ...needed }) => ({ kind, id, ...neededFor(needed) })),
  };
}

const Members = z.record(z.string(), z.unknown());
const Items = z.array(z.object({ id: z.string(), quantity: z.int() }));

export const ExportBody = z
  .object({
    domain: z.string(),
    email: z.string(),
    exported_at: Timestamp,
    is_complete: IsComplete,
    orders: z.array(ShownOrderBody),
    checkouts: z.array(
      z.object({
        checkout_id: z.string(),
        order_id: z.string().nullable(),
        status: z.string(),
        created_at: Timestamp,
        expires_at: Timestamp,
        platform: z.string(),
        items: Items,
        buyer: Members,
        context: Members,
        addresses: z.array(Members),
      }),
    ),
    carts: z.array(
      z.object({
        cart_id: z.string(),
        created_at: Timestamp,
        expires_at: Timestamp,
        platform: z.string(),
        items: Items,
        buyer: Members,
        context: Members,
      }),
    ),
    reviews: z.array(
      z.object({
        escalation_id: z.string(),
        status: z.string(),
        created_at: Timestamp,
        decided_at: Timestamp.nullable(),
        note: z.string().nullable().openapi({ description: "What the reviewer wrote." }),
      }),
    ),
  })
  .openapi("BuyerExport");

const itemsOf = (lines: Cart["lines"]) =>
  lines.map(({ productId: id, quantity }) => ({ id, quantity }));

const boughtOf = ({ createdAt, expiresAt, platform }: Checkout | Cart) => ({
  created_at: isoTime(createdAt),
  expires_at: isoTime(expiresAt),
  platform: platform.url,
});

const reviewOf = ({ escalationId, status, createdAt, decidedAt, note }: Review) => ({
  escalation_id: escalationId,
  status,
  created_at: isoTime(createdAt),
  decided_at: timeOrNull(decidedAt),
  note,
});

export function exportBody(
  context: Context,
  {
    site,
    email,
    exported,
  }: {
    readonly site: Site;
    readonly email: string;
    readonly exported: Awaited<ReturnType<typeof exportBuyer>>;
  },
): z.infer<typeof ExportBody> {
  return {
    domain: site.domain,
    email,
    exported_at: isoTime(context.clock.now()),
    is_complete: exported.isComplete,
    orders: exported.orders.map((order) => renderOrder(context, order)),
    checkouts: exported.checkouts.map((checkout) => ({
      checkout_id: checkout.checkoutId,
      order_id: checkout.orderId,
      status: checkout.status,
      ...boughtOf(checkout),
      items: itemsOf(checkout.content.lines),
      buyer: { ...checkout.content.buyer },
      context: { ...checkout.content.context },
      addresses: checkout.content.delivery.addresses.map((address) => ({ ...address })),
    })),
    carts: exported.carts.map((cart) => ({
      cart_id: cart.cartId,
      ...boughtOf(cart),
      items: itemsOf(cart.lines),
      buyer: { ...cart.buyer },
      context: { ...cart.context },
    })),
    reviews: exported.reviews.map(reviewOf),
  };
}
