import type Stripe from "stripe";
import type { ProviderAccount } from "../../domain/payments/accounts/store.js";
import type { ChangeAnswer, ChangeRequest } from "../provider.js";
import { stripeAmount } from "./amounts.js";
import { answerOfFailure } from "./answers.js";

/** The metadata key that finds the refund of a call whose answer never arrived here. */
export const CHANGE = "gatehouse_change";

const DASHBOARD = "https://dashboard.stripe.com";

/** The payment in Stripe's dashboard. The account is named, because a person may have several. */
export function dashboardUrl(
  { live, externalId }: Pick<ProviderAccount, "live" | "externalId">,
  intentId: string,
): string {
  const account = externalId === null ? "" : `/${externalId}`;
  return `${DASHBOARD}${account}${live ? "" : "/test"}/payments/${intentId}`;
}

const failed = (reason: string): ChangeAnswer => ({ outcome: "failed", reason });

/** A call that Stripe refused moved nothing, but an earlier one may have: see {@link answerOfFailure}. */
function changeFailure(error: unknown, first: boolean): ChangeAnswer {
  const answer = answerOfFailure(error, first);
  if (answer.outcome === "declined") return failed(answer.reason);
  const { reason } = answer as { readonly reason: string };
  const isRefused = answer.outcome === "unknown" && answer.refused === true;
  return { outcome: "unknown", reason, ...(isRefused ? { refused: true } : {}) };
}

async function change(
  intent: Stripe.PaymentIntent | undefined,
  { changeId, amount, first }: ChangeRequest,
  call: (
    intentId: string,
    amount: number,
    options: Stripe.RequestOptions,
  ) => Promise<{ readonly status: string | null }>,
): Promise<ChangeAnswer> {
  const sum = stripeAmount(amount);
  if (!sum.ok) return failed("amount_not_expressible");
  if (intent === undefined) return failed("payment_not_found");
  try {
    const options = { idempotencyKey: `gatehouse-${changeId}` };
    const { status } = await call(intent.id, sum.value, options);
    return status === "failed" || status === "canceled" ? failed(status) : { outcome: "done" };
  } catch (error) {
    return changeFailure(error, first);
  }
}

export function captureIntent(
  client: Stripe,
  intent: Stripe.PaymentIntent | undefined,
  request: ChangeRequest,
): Promise<ChangeAnswer> {
  return change(intent, request, (id, amount_to_capture, options) =>
    client.paymentIntents.capture(id, { amount_to_capture }, options),
  );
}

export function refundIntent(
  client: Stripe,
  intent: Stripe.PaymentIntent | undefined,
  request: ChangeRequest,
): Promise<ChangeAnswer> {
  const metadata = { [CHANGE]: request.changeId };
  return change(intent, request, (payment_intent, amount, options) =>
    client.refunds.create({ payment_intent, amount, metadata }, options),
  );
}
