import type { Context } from "../../context.js";
import { type Checkout, TRIES_MAX } from "../../domain/checkouts/checkout.js";
import type { Site } from "../../domain/sites/site.js";
import { amountFault } from "../../purchase/settle.js";
import { isSameQuote } from "./quote.js";

/** Why nothing was tried, in words for the platform. */
export interface Notice {
  readonly code: "quote_changed" | "not_payable" | "too_many_tries" | "too_many_reviews";
  readonly content: string;
}

/** Why a checkout cannot be tried as it stands; undefined where it can. */
export function noticeOf(
  context: Context,
  { site, token }: { readonly site: Site; readonly token: string | undefined },
  { tries, quote }: Checkout,
): Notice | undefined {
  if (tries >= TRIES_MAX) {
    const content = "This checkout was tried too often. Make a new one.";
    return { code: "too_many_tries", content };
  }
  const { processor } = site;
  if (token === undefined || processor === null) {
    const content = "Send one instrument of a payment handler that this answer lists.";
    return { code: "not_payable", content };
  }
  if (quote.currency === null) return undefined;
  const amount = { currency: quote.currency, minor: quote.totals.totalMinor };
  const fault = amountFault(context, processor.kind, amount);
  return fault === undefined
    ? undefined
    : { code: "not_payable", content: `Not to be paid: ${fault}.` };
}

/** What a platform has to look at before it completes; undefined where it has seen everything. */
export function changeOf(before: Checkout, now: Checkout): Notice | undefined {
  if (!isSameQuote(before.quote, now.quote)) {
    const content = "Something has changed since this was shown. Look at it, and complete again.";
    return { code: "quote_changed", content };
  }
  if (before.platform.signed === now.platform.signed) return undefined;
  const content =
    "This was made without a signature, so that anybody may have changed it. Look at it, and " +
    "complete again.";
  return { code: "quote_changed", content };
}
