import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import type { Received } from "../../packages/server/test/notifications/receiver.ts";
import { type CallOptions, Platform } from "../../packages/server/test/ucp/platform.ts";
import { AWAITED_HEADER } from "../target.ts";
import { admin, type Shop, shopWithRules } from "./mandating.ts";

/** Only a service of our own fetches profiles from this machine. */
export const canBuy = () => inject("target").profileHost !== undefined;

/** A shop that sells roses for 100 to platforms, and sends them to Germany. */
export async function openShop(): Promise<Shop> {
  const shop = await shopWithRules();
  const rules = [
    { id: "sell", effect: "allow", when: { skill: { in: ["place_order", "complete_checkout"] } } },
  ];
  await admin(shop, "PUT", "/policy", {
    policy: "rules/1",
    timezone: "UTC",
    default: "deny",
    rules,
  });
  await admin(shop, "PUT", "/processor", { kind: "sandbox", rail_on: true, settles: true });
  const rose = { id: "rose", title: "A red rose", price: "100.00", currency: "EUR" };
  await admin(shop, "PUT", "/products", { products: [rose] });
  const standard = { id: "standard", title: "By post", prices: { EUR: "4.90" } };
  await admin(shop, "PUT", "/shop", { shipping: [{ countries: ["DE"], options: [standard] }] });
  return shop;
}

/** Publishes a profile where the service can fetch it. */
export async function publish(profile: unknown): Promise<string> {
  const url = `http://${inject("target").profileHost}/${randomUUID()}`;
  await fetch(url, { method: "PUT", body: JSON.stringify(profile) });
  return url;
}

/** Somebody who buys at a shop for people, and signs all it says; it may want to hear of orders. */
export async function platformAt({ site_key_hash }: Shop, webhookUrl?: string) {
  const platform = await Platform.start();
  platform.stop();
  if (webhookUrl !== undefined) platform.wantsNews(webhookUrl);
  const profile = await publish(platform.profile);
  const base = `${inject("target").url}/v1/ucp/${site_key_hash}`;
  return (path: string, body?: unknown, { method = "POST", ...options }: CallOptions = {}) => {
    const headers = method === "GET" ? {} : { "idempotency-key": randomUUID() };
    return platform.call(base + path, body, { ...options, method, profile, headers, sign: true });
  };
}

/** An address at which somebody hears of orders, and what arrives there: as many as are waited for. */
export function newsAddress() {
  const url = `http://${inject("target").profileHost}/${randomUUID()}?team=1`;
  const heard = async (count: number): Promise<readonly Received[]> =>
    (await fetch(url, { headers: { [AWAITED_HEADER]: String(count) } })).json();
  return { url, heard };
}

/** All that one of them needs to be bought. */
export const A_PURCHASE = {
  line_items: [{ item: { id: "rose" }, quantity: 1 }],
  buyer: { first_name: "Ada", email: "ada@example.com" },
  fulfillment: {
    methods: [
      {
        type: "shipping",
        destinations: [
          { street_address: "Gartenstr. 1", address_locality: "Berlin", address_country: "DE" },
        ],
        groups: [{ selected_option_id: "standard" }],
      },
    ],
  },
};

export const A_CARD = {
  payment: {
    instruments: [
      {
        id: "i1",
        handler_id: "sandbox",
        type: "card",
        credential: { type: "token", token: "pm_card_visa" },
      },
    ],
  },
};
