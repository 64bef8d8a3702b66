import { REASONS, type ReasonCode } from "@gatehouse/protocol";
import type { Problem } from "../owners/checkouts/checkout.js";

/** Words UCP has for it, where it has any (2026-08-25, standard codes). */
const CODES: Readonly<Partial<Record<ReasonCode, string>>> = {
  payment_declined: "payment_failed",
  out_of_stock: "out_of_stock",
};
/** What another card, or another cart, may mend. */
const MENDABLE: readonly ReasonCode[] = ["payment_declined", "out_of_stock", "review_expired"];

/** What a platform is told of a completion that no order came of. */
export function problemOf(reason: ReasonCode): Problem {
  const { message: content } = REASONS[reason];
  return { code: CODES[reason] ?? reason, content, final: !MENDABLE.includes(reason) };
}
