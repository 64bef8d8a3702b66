import type { PaidStep } from "./step.js";

/**
 * How far a payment is: given up, an authorization is first being released and then released, or
 * found captured by its owner.
 */
export type PaymentState =
  | ("unknown" | "authorized" | "declined")
  | ("releasing" | "released" | "captured");

/** What may follow. The first definite answer is the one that counts. */
const NEXT: Readonly<Record<PaymentState | "requested", readonly PaymentState[]>> = {
  requested: ["unknown", "authorized", "declined", "releasing"],
  unknown: ["unknown", "authorized", "declined", "releasing"],
  authorized: ["releasing"],
  releasing: ["released", "captured"],
  // Authorized after all, behind a refusal that stands: it is let go, or was taken already.
  declined: ["releasing", "captured"],
  released: [],
  captured: [],
};

const RELEASES = { requested: "releasing", done: "released", captured: "captured" } as const;

/** How far a record says the payment is; undefined where it says nothing that is known. */
export function paymentState({ payment, release }: PaidStep): PaymentState | undefined {
  if (release !== undefined) {
    return payment === "authorized" && Object.hasOwn(RELEASES, release)
      ? RELEASES[release as keyof typeof RELEASES]
      : undefined;
  }
  return payment === "authorized" || payment === "declined" || payment === "unknown"
    ? payment
    : undefined;
}

/** What is wrong with what a record makes of its payment; undefined when nothing is. */
export function outcomeFault(step: PaidStep): string | undefined {
  const { outcome, ordered } = step;
  const state = paymentState(step);
  if (state === undefined) return "it does not give the state of the payment";
  if (state === "authorized") {
    if (outcome === "approved") return undefined;
    return "a payment was authorized, but no order was created and nothing was voided";
  }
  if (ordered) return "it names an order without an authorized payment";
  return outcome === "approved"
    ? "it says approved, but the payment was not authorized"
    : undefined;
}

/** What was read of one attempt to pay. */
export interface Course {
  readonly attempt: string;
  readonly state: PaymentState;
  /** The record that said so. */
  readonly seq: number;
}

/** What is wrong with a payment after what was read of it before; undefined when nothing is. */
export function courseFault(
  step: PaidStep,
  before: Course | undefined,
  fromFirst: boolean,
): string | undefined {
  const state = paymentState(step);
  if (state === undefined) return undefined;
  if (before === undefined) {
    // What a decision that is not here came to may be told in records that are not here either.
    if (!fromFirst || NEXT.requested.includes(state)) return undefined;
    return "it voids a payment that was not authorized";
  }
  if (before.attempt !== step.attempt) {
    return `it is a second attempt: record ${before.seq} has another one for the same decision`;
  }
  if (NEXT[before.state].includes(state)) return undefined;
  return `it says ${state}, but record ${before.seq} said that the payment was ${before.state}`;
}
