import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type UcpCapability,
} from "@gatehouse/protocol";
import type { Checkout, Quote } from "../../domain/checkouts/checkout.js";
import { COUPON_CHARS_MAX, COUPONS_MAX } from "../../domain/shop-quotes/shop-quote.js";
import { invalid } from "./errors.js";

export const DISCOUNT = "dev.ucp.shopping.discount";

/** The discount codes of a request, each once; null if it says nothing of them, or the platform cannot use any. */
export function readCodes(
  { discounts }: JsonObject,
  capabilities: readonly UcpCapability[],
): readonly string[] | null {
  if (!capabilities.includes(DISCOUNT) || !isJsonObject(discounts)) return null;
  const { codes } = discounts;
  if (codes === undefined) return null;
  const list = Array.isArray(codes) ? (codes as readonly JsonValue[]) : [undefined];
  if (list.length > COUPONS_MAX) {
    throw invalid(`\`discounts.codes\` can have at most ${COUPONS_MAX} codes.`);
  }
  const read = new Map<string, string>();
  for (const code of list) {
    if (typeof code !== "string" || code.length > COUPON_CHARS_MAX) {
      throw invalid(
        `\`discounts.codes\` must be a list of strings of at most ${COUPON_CHARS_MAX} characters.`,
      );
    }
    const plain = code.trim();
    const name = plain.toLowerCase();
    // UCP: codes are case-insensitive.
    if (plain !== "" && !read.has(name)) read.set(name, plain);
  }
  return [...read.values()];
}

/** `discounts` of an answer; undefined if the platform cannot use any here. */
export function discountsBody(
  { content, quote }: Checkout,
  capabilities: readonly UcpCapability[],
): JsonObject | undefined {
  const { discounts } = quote;
  if (discounts === undefined || !capabilities.includes(DISCOUNT)) return undefined;
  const applied = discounts.map(({ code, title, amountMinor: amount }) =>
    code === null ? { title, amount, automatic: true } : { code, title, amount },
  );
  return { codes: [...(content.codes ?? [])], applied };
}

/** A warning about codes that the link to the shop does not carry. */
export function codesToEnter(codes: readonly string[]): readonly JsonObject[] {
  if (codes.length === 0) return [];
  const content = `The link does not include these discount codes. The buyer must enter them in the shop at \`continue_url\`: ${codes.join(", ")}`;
  const path = "$.discounts.codes";
  return [{ type: "warning", code: "discount_code_not_carried", content, path }];
}

/** A warning for each code without effect. It does not keep anybody from buying. */
export function codeWarnings(
  codes: readonly string[],
  { rejectedCodes = [] }: Quote,
): readonly JsonObject[] {
  return rejectedCodes.map((code) => ({
    type: "warning",
    code: "discount_code_invalid",
    content: `The shop does not accept this discount code for these goods: ${code}`,
    path: `$.discounts.codes[${codes.indexOf(code)}]`,
  }));
}
