import { isJsonObject, type JsonObject, type JsonValue } from "../json/value.js";

/**
 * Google shows its own words for the codes of its list, and "something went wrong" for any other. Each of our
 * codes that is not in the list is shown as the nearest one that is. A code that is not here stays: those of
 * Google's list, and `requires_3ds` and `payment_pending`, for which every other code would say something wrong.
 * Google lists `totals_changed` as a warning. Here it stays an error: it is sent only where a completion was refused,
 * and a client that takes it for a warning would have its buyer charged another sum.
 */
const GOOGLE_CODES: Readonly<Record<string, string>> = {
  field_required: "missing_buyer_info",
  quote_changed: "totals_changed",
  not_found: "item_unavailable",
  payments_declined: "payment_failed",
  not_allowed: "item_ineligible",
  capabilities_incompatible: "item_ineligible",
  review_required: "item_ineligible",
  review_denied: "item_ineligible",
  review_expired: "item_ineligible",
  review_invalidated: "item_ineligible",
  policy_denied: "item_ineligible",
  budget_exceeded: "item_ineligible",
  sales_paused: "item_ineligible",
  platform_not_admitted: "item_ineligible",
  platform_suspended: "item_ineligible",
};

function inGoogleCodes(message: JsonValue): JsonValue {
  if (!isJsonObject(message) || typeof message.code !== "string") return message;
  const own = message.code;
  const code = Object.hasOwn(GOOGLE_CODES, own) ? (GOOGLE_CODES[own] as string) : own;
  return { ...message, code };
}

/**
 * An answer with the codes that Google knows in its `messages`.
 *
 * @example
 * const message = { type: "error", code: "field_required", content: "…", severity: "recoverable" };
 * withGoogleCodes({ messages: [message] }).messages[0].code; //=> "missing_buyer_info"
 */
export function withGoogleCodes(body: JsonObject): JsonObject {
  const { messages } = body;
  if (!Array.isArray(messages)) return body;
  return { ...body, messages: (messages as readonly JsonValue[]).map(inGoogleCodes) };
}
