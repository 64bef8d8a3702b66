import type { Context } from "../../src/context.ts";
import { moneyOfStripe } from "../../src/payments/stripe/amounts.ts";
import { StripeSimulator } from "../stripe/simulator.ts";
import type { Authorization } from "./books.ts";
import type { Cart } from "./selling.ts";

type Intent = ReturnType<StripeSimulator["intents"]>[number];

/** Who is asked to authorize in a test, and what their own books say. */
export interface PaidBy {
  readonly env: Readonly<Record<string, string>>;
  /** The body of `PUT /processor`; each call is for another shop. */
  connect(): Readonly<Record<string, unknown>>;
  /** How orders pay. */
  readonly cart: Cart;
  /** How an order pays whose authorization nobody hears of, until `heard`. */
  unheard(): Cart;
  heard(): void;
  /** What is authorized for a site, and neither taken nor given up. */
  held(context: Context, siteKeyHash: string): Promise<readonly Authorization[]>;
  stop(): Promise<void>;
}

export function paidBySandbox(): PaidBy {
  return {
    env: {},
    connect: () => ({ kind: "sandbox", rail_on: true, settles: true }),
    cart: {},
    unheard: () => ({ token: "pm_sandbox_timeout" }),
    heard: () => undefined,
    held: async ({ db }, siteKeyHash) => {
      const sql = "SELECT * FROM sandbox_authorizations WHERE site_key_hash = ? AND status = ?";
      return db.all<Authorization>(sql, siteKeyHash, "authorized");
    },
    stop: async () => undefined,
  };
}

/** A simulated Stripe, and an account there for every shop. */
export async function paidByStripe(
  now?: () => number,
): Promise<PaidBy & { readonly stripe: StripeSimulator; intents(): readonly Intent[] }> {
  const stripe = await StripeSimulator.start(now === undefined ? {} : { now });
  const accounts: string[] = [];
  const intents = () => accounts.flatMap((id) => stripe.intents(id));
  return {
    stripe,
    intents,
    env: { GATEHOUSE_STRIPE_API_BASE: stripe.url },
    connect: () => {
      const { id, key: secret_key } = stripe.openAccount({ restricted: true });
      accounts.push(id);
      return { kind: "stripe", rail_on: true, settles: true, secret_key };
    },
    cart: { handler: "stripe" },
    unheard: () => {
      stripe.fault = ({ method, path }) =>
        method === "POST" && path === "/v1/payment_intents" ? "drop_after" : undefined;
      return { handler: "stripe" };
    },
    heard: () => {
      stripe.fault = () => undefined;
    },
    held: async (_context, siteKeyHash) =>
      intents()
        .filter(({ status }) => status === "requires_capture")
        .filter(({ metadata }) => metadata.gatehouse_site === siteKeyHash)
        .map(({ metadata, amount, currency }) => {
          const sum = moneyOfStripe(amount, currency);
          return {
            idempotency_key: metadata.gatehouse_attempt ?? "",
            status: "authorized",
            amount_minor: sum?.minor ?? -1,
            currency: sum?.currency ?? "",
          };
        }),
    stop: () => stripe.stop(),
  };
}
