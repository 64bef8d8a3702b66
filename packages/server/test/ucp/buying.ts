import { randomUUID } from "node:crypto";
import type { JsonObject } from "@gatehouse/protocol";
import { expect } from "vitest";
import type { Clock } from "../../src/infra/clock.ts";
import {
  cleanUp,
  type DATABASES,
  freshEnvironment,
  startServer,
  type TestAnswer,
  type TestServer,
} from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { selling } from "../selling/selling.ts";
import { StripeSimulator } from "../stripe/simulator.ts";
import { type CallOptions, Platform } from "./platform.ts";
import { schemaFaults } from "./schemas.ts";

const over = (limit: string) => ({ "cart.total": { gt: { EUR: limit, JPY: "60000" } } });

/** Platforms buy for up to 500; above that a person is asked, and above 1,000 nobody. */
export const CHECKOUT_POLICY = {
  policy: "rules/1",
  timezone: "UTC",
  default: "deny",
  rules: [
    { id: "sell", effect: "allow", when: { skill: { in: ["place_order", "complete_checkout"] } } },
    { id: "ask-above", effect: "escalate", when: over("500.00") },
    { id: "never-above", effect: "deny", when: over("1000.00") },
  ],
};

export const SHOP = {
  shipping: [
    {
      countries: ["DE", "AT"],
      options: [
        { id: "standard", title: "By post", prices: { EUR: "4.90" }, days: [2, 4] },
        { id: "express", title: "By courier", prices: { EUR: "12.00" } },
      ],
    },
  ],
  taxes: [{ country: "AT", percent: "20" }],
};

export const ADDRESS = {
  street_address: "Gartenstr. 1",
  address_locality: "Berlin",
  postal_code: "10115",
  address_country: "DE",
  first_name: "Ada",
  last_name: "Love",
};
export const BUYER = { first_name: "Ada", email: "ada@example.com" };

export const lines = (...wanted: readonly (readonly [string, number])[]) => ({
  line_items: wanted.map(([id, quantity]) => ({ item: { id }, quantity })),
});

/** Says where it goes, and how. */
export const sent = (option: string | null = "standard", address: JsonObject = ADDRESS) => ({
  fulfillment: {
    methods: [
      {
        type: "shipping",
        destinations: [address],
        ...(option === null ? {} : { groups: [{ selected_option_id: option }] }),
      },
    ],
  },
});

/** All that one rose needs to be bought. */
export const ROSE = { ...lines(["rose", 1]), buyer: BUYER, ...sent() };

export const paying = (token = "pm_card_visa", handler_id = "sandbox") => ({
  payment: {
    instruments: [{ id: "i_1", handler_id, type: "card", credential: { type: "token", token } }],
  },
});

export interface BuyOptions extends CallOptions {
  readonly key?: string;
}

/** A platform that buys at shops of a server; every answer is held against UCP's schemas. */
export function buying(server: TestServer, platform: Platform, clock: Clock) {
  const at = selling(server);

  async function shop(settings: JsonObject = SHOP as never): Promise<Shop> {
    const made = await at.shop(CHECKOUT_POLICY as never);
    const set = await made.admin("PUT", "/shop", settings);
    expect(set.status).toBe(200);
    return made;
  }

  async function call(
    to: Shop,
    path: string,
    body?: unknown,
    { key = randomUUID(), method = "POST", headers = {}, ...more }: BuyOptions = {},
  ): Promise<TestAnswer> {
    const url = `${server.url}/v1/ucp/${to.site_key_hash}${path}`;
    const named = method === "GET" ? {} : { "idempotency-key": key };
    const all = { ...named, ...headers };
    const options = { created: clock.now(), sign: true, ...more, method, headers: all };
    const answer = await platform.call(url, body, options);
    if (answer.status < 300 && answer.body.ucp !== undefined && path.includes("checkout")) {
      const error = answer.body.ucp.status === "error";
      const schema = error ? "common/types/error_response.json" : CHECKOUT_SCHEMA;
      expect(schemaFaults(schema, answer.body)).toEqual([]);
      if (!error) expectSums(answer.body);
    }
    return answer;
  }

  const create = (to: Shop, body: unknown = ROSE, options: BuyOptions = {}) =>
    call(to, "/checkout-sessions", body, options);
  const get = (to: Shop, id: string, options: BuyOptions = {}) =>
    call(to, `/checkout-sessions/${id}`, undefined, { ...options, method: "GET" });
  const update = (to: Shop, id: string, body: unknown, options: BuyOptions = {}) =>
    call(to, `/checkout-sessions/${id}`, body, { ...options, method: "PUT" });
  const complete = (to: Shop, id: string, body: unknown = paying(), options: BuyOptions = {}) =>
    call(to, `/checkout-sessions/${id}/complete`, body, options);
  const cancel = (to: Shop, id: string, options: BuyOptions = {}) =>
    call(to, `/checkout-sessions/${id}/cancel`, undefined, options);

  /** What UCP says of an order; held against its schema. */
  async function readOrder(to: Shop, id: string, options: BuyOptions = {}) {
    const answer = await call(to, `/orders/${id}`, undefined, { ...options, method: "GET" });
    if (answer.body.ucp?.status === "success") {
      expect(schemaFaults("shopping/order.json", answer.body)).toEqual([]);
    }
    return answer;
  }

  /** Buys, and gives back the id of the order. */
  async function bought(to: Shop, body: unknown = ROSE, payment: unknown = paying()) {
    const { id } = await ready(to, body);
    const done = await complete(to, id, payment);
    expect(done.body.status).toBe("completed");
    return { checkoutId: id, orderId: done.body.order.id as string, order: done.body.order };
  }

  /** A checkout that can be completed. */
  async function ready(to: Shop, body: unknown = ROSE) {
    const { body: made } = await create(to, body);
    expect(made.status).toBe("ready_for_complete");
    return made as { readonly id: string; readonly continue_url: string };
  }

  const buy = { call, create, get, update, complete, cancel, ready, readOrder, bought };
  return { ...at, callTool: at.call, shop, ...buy };
}

/** A service on a database, a platform that calls it, and a simulated Stripe. */
export interface World {
  readonly server: TestServer;
  readonly platform: Platform;
  readonly stripe: StripeSimulator;
  readonly at: ReturnType<typeof buying>;
}

/** Opens all of it, and says how it is closed. */
export async function openWorld(
  dialect: (typeof DATABASES)[number],
  clock: Clock,
  more: Readonly<Record<string, string>> = {},
  hosts: readonly string[] = [],
): Promise<World & { close(): Promise<void> }> {
  const platform = await Platform.start();
  const stripe = await StripeSimulator.start({ now: () => clock.now() });
  const env = {
    ...(await freshEnvironment(dialect)),
    GATEHOUSE_SOURCE_REQUESTS_PER_MINUTE: "100000",
    GATEHOUSE_FETCH_ALLOW: [platform.host, ...hosts].join(","),
    GATEHOUSE_STRIPE_API_BASE: stripe.url,
    ...more,
  };
  const server = await startServer(env, { clock });
  const close = async () => {
    platform.stop();
    await cleanUp();
    await stripe.stop();
  };
  return { server, platform, stripe, at: buying(server, platform, clock), close };
}

const CHECKOUT_SCHEMA = "shopping/fulfillment.json#/$defs/dev.ucp.shopping.checkout";

interface Sums {
  readonly totals: readonly { readonly type: string; readonly amount: number }[];
  readonly line_items: readonly Sums[];
}

/** What UCP says of totals in prose alone: everything but the total adds up to it. */
function expectSums({ totals, line_items }: Sums): void {
  const sumOf = (list: Sums["totals"]) => list.reduce((sum, { amount }) => sum + amount, 0);
  const total = totals.filter(({ type }) => type === "total");
  expect([total.length, total[0]?.amount]).toEqual([
    1,
    sumOf(totals.filter(({ type }) => type !== "total")),
  ]);
  const subtotal = totals.find(({ type }) => type === "subtotal")?.amount;
  const ofLines = line_items.flatMap((line) => line.totals.filter(({ type }) => type === "total"));
  expect(subtotal).toBe(sumOf(ofLines));
}

/** Status, and the codes of what it says. */
export const told = ({ status, body }: TestAnswer) => [
  status,
  body.ucp?.status === "error" ? "error" : body.status,
  ...(body.messages ?? []).map(({ code }: { code: string }) => code),
];
