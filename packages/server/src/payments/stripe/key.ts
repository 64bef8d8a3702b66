import { ok, type Result, refuse } from "@gatehouse/protocol";
import type Stripe from "stripe";
import { type StripeTools, stripeClient } from "./client.js";

const SECRET_KEY = /^(?:sk|rk)_(test|live)_[A-Za-z0-9]{8,240}$/;
const PUBLISHABLE_KEY = /^pk_(test|live)_[A-Za-z0-9]{8,240}$/;
const WEBHOOK_SECRET = /^whsec_[A-Za-z0-9+/=_-]{8,240}$/;

/** A permission that a key must or should have. */
interface KeyAbility {
  readonly name:
    | "payments_read"
    | "payments_write"
    | "charges_read"
    | "refunds_read"
    | "refunds_write"
    | "disputes_read"
    | "checkout_write";
  readonly allowed: boolean;
  /** Without a required permission nothing can be paid. Without the others, less is known after a sale. */
  readonly required: boolean;
  readonly purpose: string;
}

export interface KeyReport {
  readonly live: boolean;
  readonly restricted: boolean;
  /** `acct_…`; null if the key may not read it. */
  readonly externalId: string | null;
  readonly abilities: readonly KeyAbility[];
}

/** The mode of a secret key; undefined if it is not a Stripe key. */
function keyMode(key: string): "live" | "test" | undefined {
  return SECRET_KEY.exec(key)?.[1] as "live" | "test" | undefined;
}

export function publishableMode(key: string): "live" | "test" | undefined {
  return PUBLISHABLE_KEY.exec(key)?.[1] as "live" | "test" | undefined;
}

export function isWebhookSecret(secret: string): boolean {
  return WEBHOOK_SECRET.test(secret);
}

type Probe = (client: Stripe) => Promise<unknown>;

const one = { limit: 1 };
const PROBES: ReadonlyArray<Omit<KeyAbility, "allowed"> & { readonly probe: Probe }> = [
  {
    name: "payments_read",
    required: true,
    purpose: "Payment Intents, read: to see the outcome of a payment",
    probe: (client) => client.paymentIntents.list(one),
  },
  {
    name: "payments_write",
    required: true,
    purpose: "Payment Intents, write: to authorize, capture and void payments",
    // Stripe checks the key before the missing parameters, so this creates nothing.
    probe: (client) => client.rawRequest("POST", "/v1/payment_intents", {}),
  },
  {
    name: "charges_read",
    required: false,
    purpose: "Charges, read: to see when an authorization expires",
    probe: (client) => client.charges.list(one),
  },
  {
    name: "refunds_read",
    required: false,
    purpose: "Refunds, read: to show refunds",
    probe: (client) => client.refunds.list(one),
  },
  {
    name: "refunds_write",
    required: false,
    purpose: "Refunds, write: to refund from the console",
    probe: (client) => client.rawRequest("POST", "/v1/refunds", {}),
  },
  {
    name: "disputes_read",
    required: false,
    purpose: "Disputes, read: to show disputes",
    probe: (client) => client.disputes.list(one),
  },
  {
    name: "checkout_write",
    required: false,
    purpose: "Checkout Sessions, write: to open payment pages for people",
    probe: (client) => client.rawRequest("POST", "/v1/checkout/sessions", {}),
  },
];

type ProbeResult = "allowed" | "not_allowed" | "not_a_key" | "no_answer" | "wrong_mode";

/** Whether a list shows objects of the key's mode only. */
function isOfMode(list: unknown, live: boolean): boolean {
  const { data } = list as { readonly data?: readonly { readonly livemode?: unknown }[] };
  return (data ?? []).every(({ livemode }) => livemode === undefined || livemode === live);
}

async function runProbe(client: Stripe, probe: Probe, live: boolean): Promise<ProbeResult> {
  try {
    return isOfMode(await probe(client), live) ? "allowed" : "wrong_mode";
  } catch (error) {
    const { type } = error as { readonly type?: string };
    if (type === "StripeInvalidRequestError") return "allowed";
    if (type === "StripePermissionError") return "not_allowed";
    return type === "StripeAuthenticationError" ? "not_a_key" : "no_answer";
  }
}

/** Stripe's id of the key's account; null if the key may not read it. */
async function externalIdOf(client: Stripe): Promise<string | null> {
  try {
    const { id } = (await client.rawRequest("GET", "/v1/account")) as { readonly id?: unknown };
    return typeof id === "string" && /^acct_\w{1,60}$/.test(id) ? id : null;
  } catch {
    return null;
  }
}

/** Checks which permissions a key has, without changing anything at Stripe. */
export async function reportOnKey(
  key: string,
  tools: Pick<StripeTools, "apiBase">,
): Promise<Result<KeyReport, "invalid_request" | "unavailable">> {
  const mode = keyMode(key);
  if (mode === undefined) {
    return refuse(
      "invalid_request",
      "secret_key: must be a secret or restricted key of Stripe (sk_… or rk_…).",
    );
  }
  if (mode === "live" && tools.apiBase !== undefined) {
    return refuse(
      "invalid_request",
      "secret_key: a live key cannot be used with a simulator. Unset GATEHOUSE_STRIPE_API_BASE.",
    );
  }
  const client = await stripeClient(key, tools);
  const abilities: KeyAbility[] = [];
  for (const { probe, ...ability } of PROBES) {
    const result = await runProbe(client, probe, mode === "live");
    if (result === "wrong_mode") {
      return refuse(
        "invalid_request",
        "secret_key: Stripe returned data of a different mode than the key's name says.",
      );
    }
    if (result === "not_a_key") {
      return refuse("invalid_request", "secret_key: the key is unknown to Stripe or was revoked.");
    }
    if (result === "no_answer") {
      return refuse("unavailable", "Stripe did not answer. Nothing was changed. Try again.");
    }
    abilities.push({ ...ability, allowed: result === "allowed" });
  }
  const externalId = await externalIdOf(client);
  return ok({ live: mode === "live", restricted: key.startsWith("rk_"), externalId, abilities });
}

/** Whether a payment belongs to the key's account. */
export async function ownsPayment(
  key: string,
  reference: string,
  tools: Pick<StripeTools, "apiBase">,
): Promise<boolean> {
  try {
    const { checkout, paymentIntents } = await stripeClient(key, tools);
    const { id } = reference.startsWith("cs_")
      ? await checkout.sessions.retrieve(reference)
      : await paymentIntents.retrieve(reference);
    return id === reference;
  } catch {
    return false;
  }
}
