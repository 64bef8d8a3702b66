/** What a refusal means to the one who gets it. */
export interface Reason {
  /** HTTP status that carries it. */
  readonly status: number;
  /** Public sentence: what happened and what to do. Names no internals, echoes no input. */
  readonly message: string;
}

function reason(status: number, message: string): Reason {
  return Object.freeze({ status, message });
}

/** Reasons a mandate is rejected, limited or not answered (outcomes of the mandate endpoint). */
const MANDATE_REASONS = {
  malformed: reason(
    400,
    "The body is not strict JSON. Send one UTF-8 JSON object without duplicate keys.",
  ),
  schema_invalid: reason(
    400,
    "A field is missing, unknown or of the wrong type. Compare the body with the mandate reference.",
  ),
  unsupported_version: reason(
    400,
    "This version or algorithm is not supported. Send v 1 and alg EdDSA.",
  ),
  audience_mismatch: reason(
    400,
    "The mandate was signed for another address. Sign the exact address of the mandate endpoint as audience.",
  ),
  arguments_mismatch: reason(
    400,
    "The signed skill or arguments differ from the call. Sign what you send.",
  ),
  cart_invalid: reason(
    400,
    "The cart cannot be priced. Check the items, the amount and the currency.",
  ),
  cart_mismatch: reason(
    400,
    "The total in the mandate is not the current price. Ask for the price again, and sign it in a new mandate.",
  ),
  mandate_not_yet_valid: reason(
    400,
    "The mandate is dated in the future. Check your clock and sign again.",
  ),
  mandate_expired: reason(400, "The mandate has expired. Sign a new one with a new mandate_id."),
  lifetime_too_long: reason(
    400,
    "The mandate is valid for too long. Shorten the time between issued_at and expires_at.",
  ),
  mandate_id_conflict: reason(
    400,
    "This mandate_id was used with other content. Use a new mandate_id.",
  ),
  evidence_invalid: reason(400, "The evidence was not accepted. Send the mandate without it."),
  signature_invalid: reason(
    401,
    "The signature does not verify. Sign the tag, a zero byte and the JCS text with the registered key.",
  ),
  identity_check_failed: reason(
    401,
    "The agent or its protocol is not accepted here. Register the key with this site first.",
  ),
  agent_pending: reason(
    403,
    "The owner has not approved this agent yet. Try again after the approval.",
  ),
  agent_suspended: reason(403, "The owner has suspended this agent. Ask the owner."),
  scope_not_granted: reason(
    403,
    "The agent may not use this skill here. Ask the owner for the scope.",
  ),
  policy_denied: reason(
    403,
    "The owner's rules do not allow this. Do not send the same request again.",
  ),
  budget_exceeded: reason(
    403,
    "This would exceed a budget in the owner's rules. Try a smaller amount, or try later.",
  ),
  payment_declined: reason(
    403,
    "The payment provider declined the payment. Use another payment method with a new mandate.",
  ),
  checkout_cancelled: reason(
    403,
    "The checkout was cancelled or changed during the payment. Nothing was charged. Create a new one.",
  ),
  out_of_stock: reason(403, "Not enough stock. Reduce the quantity, or choose another item."),
  evidence_already_used: reason(
    403,
    "This evidence was used before. Use each piece of evidence only once.",
  ),
  review_denied: reason(403, "A reviewer declined the request."),
  review_expired: reason(
    403,
    "Nobody reviewed the request in time. Send a new mandate if it still matters.",
  ),
  review_withdrawn: reason(403, "The agent withdrew the request."),
  review_invalidated: reason(
    403,
    "The request can no longer be approved, because the rules, the key or the cart changed. Send a new mandate.",
  ),
  mandates_disabled: reason(403, "This site accepts no mandates now."),
  site_paused: reason(403, "The shop has paused sales. Nothing was charged. Try again later."),
  skill_not_live: reason(
    403,
    "The site does not offer this skill now. Read the agent card for what it offers.",
  ),
  site_not_found: reason(404, "No site has this key."),
  agent_temporarily_locked: reason(
    429,
    "Too many mandates of this agent failed. Wait as long as Retry-After says.",
  ),
} as const;

/** Refusals of HTTP itself, of the admin interface and of every other route group. */
const HTTP_REASONS = {
  invalid_request: reason(
    400,
    "The request does not match what this route accepts. See the OpenAPI document.",
  ),
  unauthorized: reason(401, "Send a valid bearer token in the Authorization header."),
  https_required: reason(403, "This service accepts only HTTPS. Use its https:// address."),
  forbidden: reason(403, "The token's role does not allow this. Use a token with a higher role."),
  host_not_allowed: reason(
    403,
    "This service listens only on this machine. Call it at its own address, and only from its own pages.",
  ),
  not_found: reason(404, "There is nothing at this address."),
  pending_verification: reason(
    404,
    "The site's domain is not verified yet. Its owner can verify it.",
  ),
  method_not_allowed: reason(
    405,
    "This address does not accept this method. See the Allow header.",
  ),
  request_timeout: reason(408, "The request did not arrive in time. Send it again."),
  conflict: reason(
    409,
    "The request conflicts with the current state. Read the current state, then try again.",
  ),
  approval_blocked: reason(
    409,
    "This request cannot be approved now. The review stays open. Fix the problem, then approve again.",
  ),
  body_too_large: reason(413, "The body is larger than this route accepts."),
  unsupported_media_type: reason(
    415,
    "The body's type or encoding is not supported. Send plain application/json.",
  ),
  verification_failed: reason(
    422,
    "The proof of the domain was not found. Publish it, then verify again.",
  ),
  headers_too_large: reason(431, "The request's headers are larger than 16 KB."),
  rate_limited: reason(429, "Too many requests. Wait as long as Retry-After says."),
  internal_error: reason(
    500,
    "Something went wrong in the service. Give the request id to the operator.",
  ),
  unavailable: reason(
    503,
    "A check could not complete, so nothing was approved. Try again shortly.",
  ),
} as const;

/** Every reason a request can be refused for, by its code. Each has a page in `docs/errors/`. */
export const REASONS = Object.freeze({ ...MANDATE_REASONS, ...HTTP_REASONS });

/** The code of a reason. */
export type ReasonCode = keyof typeof REASONS;

/**
 * The documentation page of a reason, below `docs/errors/`.
 *
 * @example
 * reasonDocsSlug("policy_denied"); //=> "policy-denied"
 */
export function reasonDocsSlug(code: ReasonCode): string {
  return code.replaceAll("_", "-");
}
