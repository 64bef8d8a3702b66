import { expect } from "vitest";
import type { TestServer } from "../harness.ts";
import { send } from "../http-client.ts";
import type { Buyer, Shop } from "../mandates/submitting.ts";
import { type Cart, selling } from "../selling/selling.ts";
import type { StripeSimulator } from "../stripe/simulator.ts";

export const WEBHOOK_SECRET = "whsec_events0123456789abcdef";
export const APPROVAL_SECRET = "whsec_approvals0123456789abcd";

type Account = ReturnType<StripeSimulator["openAccount"]>;

/** Shops that are paid through a simulated Stripe. */
export function stripeSelling(server: TestServer, stripe: StripeSimulator) {
  const at = selling(server);

  const connect = (shop: Shop, settings: Readonly<Record<string, unknown>>) =>
    shop.admin("PUT", "/processor", {
      kind: "stripe",
      rail_on: true,
      settles: true,
      ...settings,
    });

  /** A shop with an account of its own, and somebody who buys. */
  async function stripeShop(options: Parameters<StripeSimulator["openAccount"]>[0] = {}) {
    const shop = await at.shop();
    const account = stripe.openAccount({ restricted: true, ...options });
    const connected = await connect(shop, {
      secret_key: account.key,
      webhook_secret: WEBHOOK_SECRET,
      approval_secret: APPROVAL_SECRET,
    });
    expect([connected.status, connected.body.kind]).toEqual([200, "stripe"]);
    return { shop, account, buyer: await at.buyer(shop) };
  }

  const signed = (to: Shop, by: Buyer, fields: Cart = {}) =>
    at.signed(to, by, { handler: "stripe", ...fields });

  const order = async (to: Shop, by: Buyer, fields: Cart = {}) =>
    at.send(to, await signed(to, by, fields));

  /** What Stripe holds ready of an account, as sums in Stripe's own integers. */
  const held = ({ id }: Account) =>
    stripe.intents(id).filter(({ status }) => status === "requires_capture");

  /** Sends a call of Stripe's to a hook of a shop. */
  async function hook(
    { site_key_hash }: Pick<Shop, "site_key_hash">,
    name: "events" | "order-approval",
    {
      body,
      headers,
    }: { readonly body: string; readonly headers: Readonly<Record<string, string>> },
  ) {
    const path = `/v1/hooks/stripe/${site_key_hash}/${name}`;
    return send(server.url + path, { method: "POST", headers, body });
  }

  return { ...at, connect, stripeShop, signed, order, held, hook };
}
