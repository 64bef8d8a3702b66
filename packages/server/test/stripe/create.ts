import type Stripe from "stripe";
import { methodNamed, methodOfSharedToken, methodOfToken } from "./cards.ts";
import { innerOf, isOn, numberOf, type Params, textOf, textsOf } from "./form.ts";
import { confirm } from "./intents.ts";
import type { Ledger } from "./ledger.ts";
import { type Intent, type Method, newId, newIntent } from "./objects.ts";
import type { Shape } from "./params.ts";

/** What an intent can be made with here. */
export const CREATE: Shape = {
  amount: "integer",
  currency: "text",
  allowed_payment_method_types: "texts",
  automatic_payment_methods: { enabled: "boolean", allow_redirects: "text" },
  capture_method: "text",
  confirm: "boolean",
  description: "text",
  expand: "texts",
  error_on_requires_action: "boolean",
  metadata: "map",
  payment_method: "text",
  return_url: "text",
  payment_method_data: {
    type: "text",
    card: { token: "text" },
    shared_payment_granted_token: "text",
  },
};

function methodAsked(ledger: Ledger, params: Params): Method | undefined {
  const named = textOf(params, "payment_method");
  if (named !== undefined) return methodNamed(ledger, named);
  const data = innerOf(params, "payment_method_data");
  const shared = textOf(data, "shared_payment_granted_token");
  const param = "payment_method_data[shared_payment_granted_token]";
  if (shared !== undefined) return methodOfSharedToken(ledger, shared, param);
  const token = textOf(innerOf(data, "card"), "token");
  return token === undefined
    ? undefined
    : methodOfToken(ledger, token, "payment_method_data[card][token]");
}

/** Makes an intent and, where asked to, confirms it. */
export function create(ledger: Ledger, params: Params): Intent {
  const method = methodAsked(ledger, params);
  const types = textsOf(params, "allowed_payment_method_types");
  const terms = {
    id: newId("pi"),
    amount: numberOf(params, "amount") ?? 0,
    currency: (textOf(params, "currency") ?? "").toLowerCase(),
    capture_method: (textOf(params, "capture_method") ??
      "automatic_async") as Stripe.PaymentIntent.CaptureMethod,
    description: textOf(params, "description") ?? null,
    metadata: { ...innerOf(params, "metadata") } as Record<string, string>,
    allowed_payment_method_types: types.length === 0 ? null : [...types],
  };
  const intent = ledger.keep(newIntent({ ...ledger.stamp(), ...terms }));
  ledger.tell("payment_intent.created", intent);
  if (method !== undefined && isOn(params, "confirm")) {
    const noActions = isOn(params, "error_on_requires_action");
    confirm(ledger, intent, method, { noActions, returnUrl: textOf(params, "return_url") });
  } else if (method !== undefined) {
    Object.assign(intent, { payment_method: method.id, status: "requires_confirmation" });
  }
  return intent;
}
