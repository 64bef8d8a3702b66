import { z } from "zod";
import { COUPON_CHARS_MAX, COUPONS_MAX } from "../../domain/shop-quotes/shop-quote.js";

const MINOR_MAX = 1_000_000_000_000;

/** Lines of a message, and of its answer. */
export const LINES_MAX = 50;
const QUANTITY_MAX = 1_000_000;

export const minor = z.int().min(0).max(MINOR_MAX);
/** An id of either side. No database stores NUL in a text. */
export const id = z
  .string()
  .min(1)
  .max(100)
  .refine((text) => !text.includes("\0"), "must not contain NUL");
export const quantity = z.int().min(1).max(QUANTITY_MAX);

/** The SHA-256 of a secret text, in base64url. */
export const CHALLENGE = /^[\w-]{43}$/;
/** The secret text. */
export const VERIFIER = /^[\w.~-]{43,128}$/;

const text = z.string().nullish();
const currency = z.string().regex(/^[A-Z]{3}$/);
const country = z.string().regex(/^[A-Z]{2}$/);

/** As much of an address as prices depend on. */
const Place = z.object({ country, region: text, postal_code: text, city: text, street: text });

const cart = {
  currency,
  lines: z
    .array(z.object({ product_id: id, quantity }))
    .min(1)
    .max(LINES_MAX),
  destination: Place.nullable(),
  option_id: id.nullable(),
  coupons: z.array(z.string().min(1).max(COUPON_CHARS_MAX)).max(COUPONS_MAX),
};

export const ProofMessage = z.object({
  type: z.literal("proof"),
  challenge: z.string().regex(CHALLENGE),
});

export const QuoteMessage = z.object({ type: z.literal("quote"), ...cart });

export const ReserveMessage = z.object({
  type: z.literal("reserve"),
  reservation_id: id,
  expires_in_s: z.int().min(1),
  ...cart,
  total_minor: minor,
});

export const ReleaseMessage = z.object({ type: z.literal("release"), reservation_id: id });

const OrderLine = z.object({
  line_id: id,
  product_id: id,
  title: z.string(),
  quantity,
  cancelled: z.int().min(0),
  sent: z.int().min(0),
  unit_minor: minor,
});

const Buyer = z.object({ email: text, first_name: text, last_name: text, phone: text });

const Address = z.object({
  ...Place.shape,
  country: country.nullable(),
  street_2: text,
  first_name: text,
  last_name: text,
  phone: text,
});

const Refund = z.object({
  refund_id: id,
  amount_minor: minor,
  state: z.enum(["pending", "completed", "failed"]),
  origin_event_id: z.string().nullable(),
});

const Payment = z.object({
  state: z.enum(["authorized", "captured", "released", "lapsed"]),
  provider: z.string().nullable(),
  reference: z.string().nullable(),
  captured_minor: minor,
});

const Order = z.object({
  order_id: id,
  number: z.int(),
  revision: z.int().min(1),
  reservation_id: id,
  created_at: z.iso.datetime(),
  test: z.boolean(),
  currency,
  lines: z.array(OrderLine).min(1),
  option: z.object({ id, title: z.string(), amount_minor: minor }).nullable(),
  discount_minor: minor,
  fee_minor: minor,
  tax_minor: minor,
  total_minor: minor,
  buyer: Buyer.nullable(),
  destination: Address.nullable(),
  agent: z.object({ id: z.string(), name: z.string() }),
  payment: Payment,
  refunds: z.array(Refund),
});

export const OrderMessage = z.object({ type: z.literal("order"), order: Order });

/** An order, as its shop system gets it. */
export type ShopOrder = z.infer<typeof Order>;
