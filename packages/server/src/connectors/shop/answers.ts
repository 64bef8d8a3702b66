import { ok, type Result, refuse } from "@gatehouse/protocol";
import { z } from "zod";
import {
  type AnsweredQuote,
  SHOP_LINE_FAULTS,
  type ShopQuestion,
} from "../../domain/shop-quotes/shop-quote.js";
import { oneLine } from "../../infra/one-line.js";
import { id, LINES_MAX, minor, quantity, VERIFIER } from "./messages.js";

const OPTIONS_MAX = 50;
const DISCOUNTS_MAX = 50;
const FEES_MAX = 20;
const DAYS_MAX = 365;
/** Longer than any code. A wrong one is named in the log and to the owner. */
const CURRENCY_CHARS_MAX = 10;

// The pattern tells the OpenAPI document that blanks alone are no title. Buyers, owners and agents read titles on one
// line, without hidden characters.
const title = z.string().trim().min(1).max(200).regex(/\S/).overwrite(oneLine).min(1);
const day = z.int().min(0).max(DAYS_MAX);
// The OpenAPI generator leaves out the length of a tuple.
const days = z.tuple([day, day]).meta({ minItems: 2, maxItems: 2 });

const Line = z
  .object({
    product_id: id,
    quantity,
    unit_minor: minor.optional(),
    fault: z.enum(SHOP_LINE_FAULTS).optional(),
  })
  // For the OpenAPI document. `linesFault` checks it, with a message of its own.
  .meta({ anyOf: [{ required: ["unit_minor"] }, { required: ["fault"] }] });

export const ProofAnswer = z.object({
  type: z.literal("proof.answer"),
  proof: z.string().regex(VERIFIER),
});

export const QuoteAnswer = z.object({
  type: z.literal("quote.answer"),
  currency: z.string().max(CURRENCY_CHARS_MAX),
  lines: z.array(Line).max(LINES_MAX),
  ships: z.boolean(),
  options: z
    .array(z.object({ id, title, amount_minor: minor, days: days.nullish() }))
    .max(OPTIONS_MAX),
  discounts: z
    .array(z.object({ code: z.string().max(100).nullish(), title, amount_minor: minor }))
    .max(DISCOUNTS_MAX)
    .default([]),
  fees: z
    .array(z.object({ title, amount_minor: minor }))
    .max(FEES_MAX)
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

type Quote = z.infer<typeof QuoteAnswer>;

/** How an answer breaks the contract: in its shape, or against the question or its own numbers. */
export type QuoteFault = "shape" | "currency" | "lines" | "options" | "sum";

const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);

/** Reads the fields of an answer. */
export function readAnswer<T>(schema: z.ZodType<T>, body: unknown): Result<T, "shape"> {
  const read = schema.safeParse(body);
  if (read.success) return ok(read.data);
  const [issue] = read.error.issues;
  const field = issue?.path.join(".") || "The answer";
  return refuse("shape", `${field}: ${issue?.message ?? "is not valid"}.`);
}

function linesFault({ lines }: Quote, requested: ShopQuestion["lines"]): string | undefined {
  if (lines.length !== requested.length) {
    return `${requested.length} lines were requested, and ${lines.length} answered.`;
  }
  const isAsked = ({ product_id, quantity }: Quote["lines"][number], i: number) =>
    product_id === requested[i]?.product_id && quantity === requested[i]?.quantity;
  if (!lines.every(isAsked)) {
    return "The lines do not have the products and quantities of the question, in its order.";
  }
  const isPriced = lines.every(({ unit_minor, fault }) => (fault ?? unit_minor) !== undefined);
  return isPriced ? undefined : "A line has neither unit_minor nor a fault.";
}

function sumFault(quote: Quote, optionId: string | null): string | undefined {
  const { lines, options, discounts, fees, tax_minor, total_minor } = quote;
  // If a line cannot be bought, nothing is charged, and the total is not used.
  if (lines.some(({ fault }) => fault !== undefined)) return undefined;
  const goods = sumOf(lines.map(({ unit_minor = 0, quantity }) => unit_minor * quantity));
  const delivery = options.find(({ id }) => id === optionId)?.amount_minor ?? 0;
  const discount = sumOf(discounts.map(({ amount_minor }) => amount_minor));
  const fee = sumOf(fees.map(({ amount_minor }) => amount_minor));
  const sum = goods - discount + delivery + fee + tax_minor;
  if (sum === total_minor) return undefined;
  const parts = `lines ${goods}, minus discounts ${discount}, plus option ${delivery}, plus fees ${fee}, plus tax ${tax_minor}`;
  return `total_minor is ${total_minor}, but the sum is ${sum}: ${parts}.`;
}

function answered(quote: Quote): AnsweredQuote {
  return {
    kind: "answered",
    lines: quote.lines.map(
      ({ unit_minor, fault }) => fault ?? unit_minor,
    ) as AnsweredQuote["lines"],
    ships: quote.ships,
    options: quote.options.map(({ amount_minor, days, ...option }) => ({
      ...option,
      amountMinor: amount_minor,
      days: days ?? null,
    })),
    discounts: quote.discounts.map(({ code, amount_minor, ...discount }) => ({
      ...discount,
      code: code ?? null,
      amountMinor: amount_minor,
    })),
    ...(quote.fees.length === 0
      ? {}
      : { fees: quote.fees.map((fee) => ({ title: fee.title, amountMinor: fee.amount_minor })) }),
    rejectedCoupons: quote.rejected_coupons,
    taxMinor: quote.tax_minor,
    totalMinor: quote.total_minor,
  };
}

/** Reads a quote. It must answer the question, and its sum must be right. */
export function readQuote(
  body: unknown,
  question: Pick<ShopQuestion, "currency" | "lines" | "option_id">,
): Result<AnsweredQuote, QuoteFault> {
  const read = readAnswer(QuoteAnswer, body);
  if (!read.ok) return read;
  const { value: quote } = read;
  const { currency, options } = quote;
  if (currency !== question.currency) {
    return refuse("currency", `${question.currency} was requested, and ${currency} answered.`);
  }
  const lines = linesFault(quote, question.lines);
  if (lines !== undefined) return refuse("lines", lines);
  if (new Set(options.map(({ id }) => id)).size < options.length) {
    return refuse("options", "Two options have the same id.");
  }
  const sum = sumFault(quote, question.option_id);
  return sum === undefined ? ok(answered(quote)) : refuse("sum", sum);
}
