import type { JsonObject } from "@gatehouse/protocol";
import type { Progress } from "../../actions/checkout/progress.js";
import type { Notice } from "../../actions/checkout/request.js";
import type { Changed } from "../../actions/checkout/sessions.js";
import { type Checkout, isHandedOff, type Missing } from "../../domain/checkouts/checkout.js";
import { lineMessages } from "./lines.js";

type Severity =
  | ("recoverable" | "unrecoverable")
  | ("requires_buyer_input" | "requires_buyer_review");

const error = (code: string, content: string, severity: Severity, path?: string): JsonObject => ({
  type: "error",
  code,
  content,
  severity,
  ...(path === undefined ? {} : { path }),
});

const METHOD = "$.fulfillment.methods[0]";

/** The message for each missing part of a purchase, with the path of the member. */
const MISSING: Readonly<Record<Missing, readonly [code: string, content: string, path?: string]>> =
  {
    email: [
      "field_required",
      "The buyer's email address is required to confirm the order.",
      "$.buyer.email",
    ],
    address: [
      "field_required",
      "Send a destination with first_name or last_name, street_address, address_locality and " +
        "address_country (two letters).",
      `${METHOD}.destinations`,
    ],
    option: [
      "field_required",
      "Choose a shipping option in `selected_option_id`.",
      `${METHOD}.groups[0].selected_option_id`,
    ],
    deliverable: [
      "address_undeliverable",
      "This shop does not ship to this address.",
      `${METHOD}.selected_destination_id`,
    ],
    payable: ["item_unavailable", "The total is too large."],
    taxes: [
      "field_required",
      "The country, and its region if it has regions, is required for taxes. Send address_country and " +
        "address_region as codes, in the destination or in `context`.",
    ],
    shop: [
      "shop_unavailable",
      "The shop cannot compute delivery and taxes now. Read the checkout again in a minute, or let the buyer continue " +
        "at `continue_url`.",
    ],
  };

const REFUSALS: Readonly<Record<NonNullable<Changed["refusal"]>, readonly [string, Severity]>> = {
  completing: ["This checkout is being completed. Read it again later.", "recoverable"],
  completed: ["This checkout is completed and cannot be changed.", "unrecoverable"],
  cancelled: ["This checkout was cancelled or has expired. Create a new one.", "unrecoverable"],
};

const NOTICES: Readonly<Record<Notice["code"], readonly [string, Severity]>> = {
  quote_changed: ["quote_changed", "recoverable"],
  not_payable: ["payment_failed", "recoverable"],
  too_many_tries: ["payment_failed", "unrecoverable"],
  too_many_reviews: ["review_required", "recoverable"],
};

/** The messages of a checkout that waits for a person. */
function progressMessages(progress: Progress | null): readonly JsonObject[] {
  if (progress?.kind === "reviewed") {
    const content =
      "The shop reviews this order before it is paid. The buyer does not have to do anything.";
    return [error("review_required", content, "requires_buyer_review")];
  }
  if (progress?.kind === "challenged" && progress.closesAt !== null) {
    const content = "The buyer is paying at `continue_url`. Read the checkout again later.";
    return [error("payment_pending", content, "requires_buyer_input")];
  }
  if (progress?.kind === "challenged") {
    const content = "The buyer has to confirm the payment with their bank, at `continue_url`.";
    return [error("requires_3ds", content, "requires_buyer_input")];
  }
  return [];
}

export interface CheckoutMessages {
  readonly progress: Progress | null;
  readonly refusal?: Changed["refusal"];
  readonly notice?: Notice | undefined;
  /** Whether the platform can name where something is sent. */
  readonly canShip: boolean;
}

/** Everything that a platform has to know before the checkout can go on. */
export function checkoutMessages(
  checkout: Checkout,
  { progress, refusal, notice, canShip }: CheckoutMessages,
): readonly JsonObject[] {
  const { content, quote, problem, status } = checkout;
  const messages: JsonObject[] = [];
  if (refusal !== undefined) {
    const [text, severity] = REFUSALS[refusal];
    messages.push(error("not_allowed", text, severity));
  }
  if (notice !== undefined) {
    const [code, severity] = NOTICES[notice.code];
    messages.push(error(code, notice.content, severity));
  }
  if (status === "completing") return [...messages, ...progressMessages(progress)];
  if (status !== "open") return messages;
  if (problem !== null) {
    const unlessFinal = isHandedOff(checkout) ? "requires_buyer_review" : "recoverable";
    const severity = problem.final ? "unrecoverable" : unlessFinal;
    messages.push(error(problem.code, problem.content, severity));
  }
  messages.push(...lineMessages(content.lines, quote, "recoverable"));
  if (quote.ships && !canShip) {
    const text = "This shop ships its products, which requires dev.ucp.shopping.fulfillment.";
    return [...messages, error("capabilities_incompatible", text, "unrecoverable")];
  }
  for (const missing of quote.missing) {
    const [code, text, path] = MISSING[missing];
    messages.push(error(code, text, "recoverable", path));
  }
  return messages;
}
