import type { Ledger } from "./ledger.ts";
import { type Method, newId, newMethod } from "./objects.ts";
import { missing } from "./refusals.ts";

/** What a bank says of a card. */
export interface Decline {
  readonly code: string;
  readonly declineCode: string;
  readonly message: string;
}

export interface Card {
  readonly brand: string;
  readonly last4: string;
  readonly does: "approve" | "authenticate" | "process" | Decline;
}

const decline = (code: string, declineCode: string, message: string): Decline => ({
  code,
  declineCode,
  message,
});
const declined = (declineCode: string) =>
  decline("card_declined", declineCode, "Your card was declined.");

const card = (brand: string, last4: string, does: Card["does"] = "approve"): Card => ({
  brand,
  last4,
  does,
});

export const GENERIC_DECLINE: Decline = declined("generic_decline");

/** By the names Stripe gives its test cards, after `pm_card_`, `tok_` or `spt_`. */
const CARDS: ReadonlyMap<string, Card> = new Map([
  ["visa", card("visa", "4242")],
  ["visa_debit", card("visa", "5556")],
  ["mastercard", card("mastercard", "4444")],
  ["amex", card("amex", "8431")],
  ["chargeDeclined", card("visa", "0002", GENERIC_DECLINE)],
  ["chargeDeclinedInsufficientFunds", card("visa", "9995", declined("insufficient_funds"))],
  ["chargeDeclinedLostCard", card("visa", "9987", declined("lost_card"))],
  ["chargeDeclinedStolenCard", card("visa", "9979", declined("stolen_card"))],
  [
    "chargeDeclinedExpiredCard",
    card("visa", "0069", decline("expired_card", "expired_card", "Your card has expired.")),
  ],
  [
    "chargeDeclinedIncorrectCvc",
    card("visa", "0127", decline("incorrect_cvc", "incorrect_cvc", "The security code is wrong.")),
  ],
  [
    "chargeDeclinedProcessingError",
    card("visa", "0119", decline("processing_error", "processing_error", "Try again later.")),
  ],
  ["authenticationRequired", card("visa", "3184", "authenticate")],
  ["processing", card("visa", "6789", "process")],
]);

function cardOf(name: string, prefix: string): Card | undefined {
  if (!name.startsWith(prefix)) return undefined;
  const rest = name.slice(prefix.length);
  return CARDS.get(rest) ?? CARDS.get(rest.replace(/^visa_/, ""));
}

function keep(ledger: Ledger, found: Card): Method {
  const method = ledger.keep(newMethod({ ...ledger.stamp(), ...found, id: newId("pm") }));
  ledger.cards.set(method.id, found);
  return method;
}

/** The payment method a parameter names: one that was made before, or a test card of Stripe's. */
export function methodNamed(ledger: Ledger, name: string): Method {
  const made = ledger.find("payment_method", name);
  if (made !== undefined) return made;
  const bank = name === "pm_usBankAccount_processing" ? CARDS.get("processing") : undefined;
  const found = bank ?? cardOf(name, "pm_card_");
  if (found === undefined) throw missing("PaymentMethod", name, "payment_method", 400);
  return keep(ledger, found);
}

export function methodOfToken(ledger: Ledger, token: string, param: string): Method {
  const found = cardOf(token, "tok_");
  if (found === undefined) throw missing("token", token, param, 400);
  return keep(ledger, found);
}

/** Any shared token pays; one with a test card's name does what the card does. */
export function methodOfSharedToken(ledger: Ledger, token: string, param: string): Method {
  const found = cardOf(token, "spt_") ?? CARDS.get("visa");
  if (!token.startsWith("spt_") || found === undefined) {
    throw missing("shared payment token", token, param, 400);
  }
  return keep(ledger, found);
}
