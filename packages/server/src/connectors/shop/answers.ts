import { z } from "zod";
import {
  type AnsweredQuote,
  SHOP_LINE_FAULTS,
  type ShopQuestion,
} from "../../domain/shop-quotes/shop-quote.js";

const MINOR_MAX = 1_000_000_000_000;
const OPTIONS_MAX = 50;
const DISCOUNTS_MAX = 50;
const LINES_MAX = 50;
const DAYS_MAX = 365;

const minor = z.int().min(0).max(MINOR_MAX);
const id = z.string().min(1).max(100);
const title = z.string().trim().min(1).max(200);

const Line = z.object({
  product_id: id,
  quantity: z.int().min(1),
  unit_minor: minor.optional(),
  fault: z.enum(SHOP_LINE_FAULTS).optional(),
});

const Quote = z.object({
  type: z.literal("quote.answer"),
  currency: z.string(),
  lines: z.array(Line).max(LINES_MAX),
  ships: z.boolean(),
  options: z
    .array(
      z.object({
        id,
        title,
        amount_minor: minor,
        days: z.tuple([z.int().min(0).max(DAYS_MAX), z.int().min(0).max(DAYS_MAX)]).nullish(),
      }),
    )
    .max(OPTIONS_MAX),
  discounts: z
    .array(z.object({ code: z.string().max(100).nullish(), title, amount_minor: minor }))
    .max(DISCOUNTS_MAX)
    .default([]),
  rejected_coupons: z.array(z.string().max(100)).max(DISCOUNTS_MAX).default([]),
  tax_minor: minor,
  total_minor: minor,
});

export const ReserveAnswer = z.union([
  z.object({ type: z.literal("reserve.answer"), state: z.literal("reserved") }),
  z.object({
    type: z.literal("reserve.answer"),
    state: z.literal("refused"),
    reason: z.enum(["out_of_stock", "price_changed", "closed"]),
  }),
]);

export const ReleaseAnswer = z.object({ type: z.literal("release.answer") });

export const OrderAnswer = z.object({ type: z.literal("order.answer"), shop_order_id: id });

const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);

/** Reads a quote. Undefined unless it answers the question, and its sum is right. */
export function readQuote(body: unknown, question: ShopQuestion): AnsweredQuote | undefined {
  const read = Quote.safeParse(body);
  if (!read.success || read.data.currency !== question.currency) return undefined;
  const { lines, ships, options, discounts, tax_minor, total_minor } = read.data;
  const isAsked = ({ product_id, quantity }: (typeof lines)[number], i: number) =>
    product_id === question.lines[i]?.product_id && quantity === question.lines[i]?.quantity;
  if (lines.length !== question.lines.length || !lines.every(isAsked)) return undefined;
  const units = lines.map(({ unit_minor, fault }) => fault ?? unit_minor);
  if (units.includes(undefined)) return undefined;
  if (new Set(options.map((option) => option.id)).size < options.length) return undefined;
  const chosen = options.find((option) => option.id === question.option_id);
  const goods = lines.map(({ unit_minor, fault, quantity }) =>
    fault === undefined ? (unit_minor as number) * quantity : 0,
  );
  const added = sumOf(goods) + (chosen?.amount_minor ?? 0) + tax_minor;
  const total = added - sumOf(discounts.map(({ amount_minor }) => amount_minor));
  // If a line cannot be bought, nothing is charged, and the total is not used.
  const isWhole = lines.every(({ fault }) => fault === undefined);
  if (isWhole && total !== total_minor) return undefined;
  return {
    kind: "answered",
    lines: units as AnsweredQuote["lines"],
    ships,
    options: options.map(({ amount_minor, days, ...option }) => ({
      ...option,
      amountMinor: amount_minor,
      days: days ?? null,
    })),
    discounts: discounts.map(({ code, amount_minor, ...discount }) => ({
      ...discount,
      code: code ?? null,
      amountMinor: amount_minor,
    })),
    rejectedCoupons: read.data.rejected_coupons,
    taxMinor: tax_minor,
    totalMinor: total_minor,
  };
}
