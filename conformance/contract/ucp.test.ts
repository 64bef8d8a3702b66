import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import { createLocalJWKSet, flattenedVerify } from "jose";
import { beforeEach, describe, expect, inject, onTestFinished, test } from "vitest";
import { siteByHash, updateSite } from "../../packages/server/src/domain/sites/store.ts";
import { cleanUp, freshEnvironment, startServer } from "../../packages/server/test/harness.ts";
import { selling } from "../../packages/server/test/selling/selling.ts";
import { ask, verifiedSite } from "./asking.ts";
import { A_CARD, A_PURCHASE, canBuy, openShop, platformAt } from "./buying.ts";
import { admin, type Shop } from "./mandating.ts";

const CHECKOUT = "dev.ucp.shopping.checkout";
const profileUrl = ({ site_key_hash }: Shop) =>
  `${inject("target").url}/v1/ucp/${site_key_hash}/profile`;
const profileOf = async (shop: Shop) => (await ask("GET", profileUrl(shop))).body;
const advertised = async (shop: Shop) => CHECKOUT in (await profileOf(shop)).ucp.capabilities;

describe.skipIf(!canBuy())("UCP:", () => {
  let shop: Shop;
  beforeEach(async () => {
    shop = await openShop();
  });

  test("[1.7-a 4-o 9-f] the profile is the shop's own, in the declared version", async () => {
    const { status, headers, body } = await ask("GET", profileUrl(shop));
    expect([status, body.ucp.version]).toEqual([200, "2026-08-25"]);
    expect(headers.get("content-type")).toMatch(/^application\/json/);
    const [{ endpoint }] = body.ucp.services["dev.ucp.shopping"];
    expect(endpoint).toBe(`${inject("target").url}/v1/ucp/${shop.site_key_hash}`);
    expect(body.keys[0]).toMatchObject({ kty: "EC", crv: "P-256" });
  });

  test("[1.7-b] carts are priced from the catalog", async () => {
    const call = await platformAt(shop);
    const line_items = [{ item: { id: "rose", price: 1 }, quantity: 3 }];
    const { status, body } = await call("/carts", { line_items, currency: "USD" });
    expect([status, body.currency]).toEqual([201, "EUR"]);
    expect(body.totals).toContainEqual({ type: "total", amount: 30_000 });
    const dearer = { id: "rose", title: "A rose", price: "120.00", currency: "EUR" };
    await admin(shop, "PUT", "/products", { products: [dearer] });
    const again = await call(`/carts/${body.id}`, undefined, { method: "GET" });
    expect(again.body.totals).toContainEqual({ type: "total", amount: 36_000 });
  });

  test("[1.7-c 1.8-o 1.8-q] checkouts lead to an order, through the one payment path", async () => {
    const call = await platformAt(shop);
    const made = await call("/checkout-sessions", A_PURCHASE);
    expect([made.status, made.body.status]).toEqual([201, "ready_for_complete"]);
    const handlers = Object.values(made.body.ucp.payment_handlers).flat();
    expect(handlers).toHaveLength(1);
    const path = `/checkout-sessions/${made.body.id}/complete`;
    const foreign = {
      payment: { instruments: [{ ...A_CARD.payment.instruments[0], handler_id: "paypal" }] },
    };
    expect((await call(path, foreign)).body.status).toBe("ready_for_complete");
    const done = await call(path, A_CARD);
    expect([done.body.status, typeof done.body.order.id]).toEqual(["completed", "string"]);
    const { items } = (await admin(shop, "GET", "/orders")).body;
    expect(items).toMatchObject([{ payment: "authorized", amount: { minor: 10_490 } }]);
  });

  test("[4-p] the contract's own address answers checkout requests too", async () => {
    const call = await platformAt(shop);
    const { status, body } = await call("/checkouts", A_PURCHASE);
    expect([status, body.status]).toEqual([201, "ready_for_complete"]);
    const shown = await call(`/checkouts/${body.id}`, undefined, { method: "GET" });
    expect(shown.body).toEqual(body);
    const done = await call(`/checkouts/${body.id}/complete`, A_CARD);
    expect(done.body.status).toBe("completed");
  });

  test("[4-q] every checkout response carries the site's terms, signed by the service", async () => {
    const call = await platformAt(shop);
    const made = await call("/checkouts", A_PURCHASE);
    const keySet = (await ask("GET", `${inject("target").url}/.well-known/jwks.json`)).body;
    const responses = [made.body, (await call(`/checkouts/${made.body.id}/complete`, A_CARD)).body];
    for (const { policies } of responses) {
      const [{ signature, ...entry }] = policies;
      const [header, , mac] = signature.split(".");
      const payload = Buffer.from(canonicalize(entry) as string).toString("base64url");
      const flat = { protected: header, payload, signature: mac };
      await flattenedVerify(flat, createLocalJWKSet(keySet));
      const changed = {
        ...flat,
        payload: payload.replace(/.$/, (c: string) => (c === "0" ? "1" : "0")),
      };
      await expect(flattenedVerify(changed, createLocalJWKSet(keySet))).rejects.toThrow();
      const text = Buffer.from(await (await fetch(entry.url)).arrayBuffer());
      expect(createHash("sha256").update(text).digest("hex")).toBe(entry.sha256);
    }
  });

  const processor = (to: Shop, changed: object) =>
    admin(to, "PUT", "/processor", { kind: "sandbox", rail_on: true, settles: true, ...changed });

  async function expectShutBy(change: () => Promise<unknown>) {
    expect(await advertised(shop)).toBe(true);
    await change();
    expect(await advertised(shop)).toBe(false);
    const call = await platformAt(shop);
    const { body } = await call("/checkouts", A_PURCHASE);
    expect(body.messages[0].code).toBe("capabilities_incompatible");
  }

  test("[1.9-a] checkout is not advertised while no payment provider is connected", async () => {
    await expectShutBy(() => admin(shop, "DELETE", "/processor"));
  });

  test("[1.9-b] checkout is not advertised while its gate is closed", async () => {
    await expectShutBy(() => processor(shop, { rail_on: false }));
  });

  test("[1.9-c] checkout is not advertised while the site does not take payments through it", async () => {
    await expectShutBy(() => processor(shop, { settles: false }));
  });

  test("[1.9-d] checkout is not advertised while no policy is published", async () => {
    const site = await verifiedSite();
    const bare = { ...site, siteKey: site.site_key, mandateUrl: "" };
    await processor(bare, {});
    const products = [{ id: "rose", title: "A rose", price: "10.00", currency: "EUR" }];
    await admin(bare, "PUT", "/products", { products });
    expect(await advertised(bare)).toBe(false);
    await admin(bare, "PUT", "/policy", {
      policy: "rules/1",
      timezone: "UTC",
      default: "deny",
      rules: [{ id: "sell", effect: "allow", when: { skill: { eq: "complete_checkout" } } }],
    });
    expect(await advertised(bare)).toBe(true);
  });

  test("[1.9-f] a test account needs no wallet merchant id", async () => {
    const { live, wallet_merchant_id } = (await admin(shop, "GET", "/processor")).body;
    expect([live, wallet_merchant_id]).toEqual([false, null]);
    expect(await advertised(shop)).toBe(true);
  });
});

test.skipIf(!canBuy())("[4-a] every path of the endpoint table is served", async () => {
  const shop = await openShop();
  const { site_key: key, site_key_hash: hash, domain } = shop;
  const paths = [
    "/v1/discovery/ingest",
    `/v1/agent-card/${key}.json`,
    `/v1/catalog/${key}.json`,
    `/v1/mcp/${key}`,
    `/v1/llms/${hash}.txt`,
    `/v1/agent/${hash}`,
    `/v1/agent/domain/${domain}`,
    `/v1/m/${key}/mandate`,
    "/.well-known/jwks.json",
    `/v1/ucp/${hash}/profile`,
    `/v1/ucp/${hash}/checkouts`,
  ];
  for (const path of paths) {
    const { status, headers } = await ask("DELETE", path);
    // Nothing there takes that: 405 says what does, and that the path is served.
    expect([path, status]).toEqual([path, 405]);
    expect([path, headers.get("allow")]).toEqual([path, expect.stringMatching(/GET|POST/)]);
  }
});

test("[1.9-e] a live account without a wallet merchant id advertises no checkout", async () => {
  onTestFinished(cleanUp);
  const server = await startServer(await freshEnvironment("sqlite"));
  const shop = await selling(server).shop();
  const offered = async () => {
    const answer = await fetch(`${server.url}/v1/ucp/${shop.site_key_hash}/profile`);
    return (
      CHECKOUT in ((await answer.json()) as { ucp: { capabilities: object } }).ucp.capabilities
    );
  };
  // A live key is Stripe's own to check: what connecting one leads to is written instead.
  const connect = (walletMerchantId: string | null) =>
    server.context.db.transaction(async (tx) => {
      const site = await siteByHash(tx, shop.site_key_hash);
      if (site === undefined) throw new Error("the site is gone");
      const account = { kind: "stripe", live: true, railOn: true, settles: true } as const;
      const provider = { ...account, publishableKey: "pk_live_0123456789", walletMerchantId };
      await updateSite(tx, { ...site, provider }, server.context.clock.now());
    });
  await connect(null);
  expect(await offered()).toBe(false);
  await connect("BCR2DN4T");
  expect(await offered()).toBe(true);
});
