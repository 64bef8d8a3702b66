import { createHash } from "node:crypto";
import { canonicalize } from "@gatehouse/protocol";
import { createLocalJWKSet, flattenedVerify } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import {
  answerOf,
  cleanUp,
  freshEnvironment,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import { selling } from "../selling/selling.ts";
import { Platform } from "./platform.ts";
import { schemaFaults } from "./schemas.ts";

const option = (id: string, prices: Record<string, string>) => ({ id, title: "By post", prices });
const zone = (countries: string[], ...options: object[]) => ({ countries, options });
const SHOP = {
  shipping: [
    zone(["DE", "AT"], { ...option("standard", { EUR: "4.90", USD: "5.50" }), days: [2, 4] }),
    zone(["*"], option("world", { EUR: "15.00" })),
  ],
  taxes: [{ country: "US", region: "CA", percent: "7.25" }],
  terms: { text: "Be kind.\n", version: "2030-05" },
  links: { privacy_policy: "https://shop.example.com/privacy" },
  allow_unsigned: false,
  orders_without_address: false,
  buyer_mail: true,
  delivers: true,
  cart_link: null,
  currency: "EUR",
  time_zone: "Europe/Berlin",
};

describe.each(TIER_DATABASES)("the shop settings for platforms, on %s,", (dialect) => {
  let server: TestServer;
  let platform: Platform;
  let at: ReturnType<typeof selling>;
  beforeAll(async () => {
    platform = await Platform.start();
    const env = await freshEnvironment(dialect);
    server = await startServer({ ...env, GATEHOUSE_FETCH_ALLOW: platform.host });
    at = selling(server);
    return async () => {
      platform.stop();
      await cleanUp();
    };
  });
  const terms = async (site: string) => answerOf(await fetch(`${server.url}/v1/ucp/${site}/terms`));

  test("are set as a whole, shown as they were set, and recorded by their digest", async () => {
    const shop = await at.shop();
    const nothing = {
      shipping: [],
      taxes: [],
      terms: null,
      links: {},
      allow_unsigned: false,
      orders_without_address: false,
      buyer_mail: true,
      delivers: true,
      cart_link: null,
      currency: null,
      time_zone: null,
    };
    expect((await shop.admin("GET", "/shop")).body).toEqual(nothing);
    expect((await shop.admin("PUT", "/shop", SHOP)).body).toEqual(SHOP);
    expect((await shop.admin("GET", "/shop")).body).toEqual(SHOP);
    const [record] = await at.records(shop, "site.changed");
    expect(record.record.change).toMatchObject({
      kind: "shop_set",
      allow_unsigned: false,
      fields: expect.arrayContaining(["shipping"]),
    });
    expect(JSON.stringify(record.record)).not.toContain("Be kind");
    // What is left out is empty.
    await shop.admin("PUT", "/shop", { allow_unsigned: true });
    expect((await shop.admin("GET", "/shop")).body).toEqual({ ...nothing, allow_unsigned: true });
  });

  test.each([
    [
      "a country twice",
      { shipping: [zone(["DE"], option("a", {})), zone(["DE"], option("b", {}))] },
    ],
    ["an option twice", { shipping: [zone(["DE"], option("a", {}), option("a", {}))] }],
    ["an unknown country", { shipping: [zone(["Germany"], option("a", {}))] }],
    ["an invalid price", { shipping: [zone(["DE"], option("a", { EUR: "4,90" }))] }],
    [
      "more digits than the currency has",
      { shipping: [zone(["DE"], option("a", { JPY: "4.90" }))] },
    ],
    ["an unknown currency", { shipping: [zone(["DE"], option("a", { XXQ: "1" }))] }],
    ["a rate twice", { taxes: [1, 2].map(() => ({ country: "US", percent: "1" })) }],
    ["an invalid rate", { taxes: [{ country: "US", percent: "101" }] }],
    ["a page that is not https", { links: { faq: "http://shop.example.com/" } }],
    ["an unknown page", { links: { shop: "https://shop.example.com/" } }],
    ["empty terms", { terms: { text: "", version: "1" } }],
    ["a currency that does not exist", { currency: "XXQ" }],
    ["a time zone that does not exist", { time_zone: "Europe/Atlantis" }],
    ["an offset instead of a time zone", { time_zone: "+01:00" }],
    ["an unknown field", { discount: 5 }],
  ])("are refused with %s, and stay unchanged", async (_what, settings) => {
    const shop = await at.shop();
    await shop.admin("PUT", "/shop", SHOP);
    const { status, body } = await shop.admin("PUT", "/shop", settings);
    expect([status, body.error]).toEqual([400, "invalid_request"]);
    expect((await shop.admin("GET", "/shop")).body).toEqual(SHOP);
  });

  test("can be set by an owner, and seen by an auditor", async () => {
    const shop = await at.shop();
    const { token } = (await shop.admin("POST", "/tokens", { name: "A", role: "auditor" })).body;
    const path = `/v1/admin/sites/${shop.site_key_hash}/shop`;
    expect((await server.admin("GET", path, undefined, token)).status).toBe(200);
    expect((await server.admin("PUT", path, SHOP, token)).status).toBe(403);
  });

  test("have terms that anyone can read: the owner's, or default ones in the shop's name", async () => {
    const shop = await at.shop();
    const plain = await terms(shop.site_key_hash);
    expect([plain.status, plain.headers.get("content-type")]).toEqual([
      200,
      "text/plain; charset=utf-8",
    ]);
    expect(plain.body).toMatch(/^Your order is a contract with shop-\d+\.example\.com, https:/);
    await shop.admin("PUT", "/shop", SHOP);
    expect((await terms(shop.site_key_hash)).body).toBe("Be kind.\n");
    expect((await terms("A".repeat(43))).status).toBe(404);
  });

  test("add the taxes of the buyer's location to a cart's estimate, with an exact total", async () => {
    const shop = await at.shop();
    await shop.admin("PUT", "/shop", SHOP);
    const url = `${server.url}/v1/ucp/${shop.site_key_hash}/carts`;
    const line_items = [{ item: { id: "vase" }, quantity: 3 }];
    const totals = async (context: object) => {
      const headers = { "idempotency-key": JSON.stringify(context) };
      return (await platform.call(url, { line_items, context }, { headers })).body.totals;
    };
    const untaxed = ["subtotal", "total"].map((type) => ({ type, amount: 3750 }));
    expect(await totals({})).toEqual(untaxed);
    expect(await totals({ address_country: "DE" })).toEqual(untaxed);
    const taxed = [
      { type: "subtotal", amount: 3750 },
      { type: "tax", amount: 272 },
      { type: "total", amount: 4022 },
    ];
    expect(await totals({ address_country: "US", address_region: "CA" })).toEqual(taxed);
    expect(await totals({ address_country: "us", address_region: "CA" })).toEqual(taxed);
  });

  test("show on one line what was pasted on several, without invisible characters", async () => {
    const shop = await at.shop();
    const titled = { ...option("a", { EUR: "1" }), title: "By\u0000 \npost" };
    const settings = { shipping: [zone(["DE"], titled)], terms: { text: "x", version: "1\r\n2" } };
    const { body } = await shop.admin("PUT", "/shop", settings);
    expect([body.shipping[0].options[0].title, body.terms.version]).toEqual(["By post", "1 2"]);
  });

  test("link in the strict form, whatever the owner pasted", async () => {
    const shop = await at.shop();
    const links = { faq: "https://shop.example.com/a|b?c[]=ü" };
    const { body } = await shop.admin("PUT", "/shop", { links });
    expect(body.links.faq).toBe("https://shop.example.com/a%7Cb?c%5B%5D=%C3%BC");
    expect(schemaFaults("common/types/link.json", { type: "faq", url: body.links.faq })).toEqual(
      [],
    );
  });

  test("keep the terms that a buyer agreed to available after they change", async () => {
    const shop = await at.shop();
    await shop.admin("PUT", "/shop", { terms: { text: "First.\n", version: "1" } });
    const url = `${server.url}/v1/ucp/${shop.site_key_hash}/checkout-sessions`;
    const body = { line_items: [{ item: { id: "rose" }, quantity: 1 }] };
    const made = await platform.call(url, body, { headers: { "idempotency-key": "a-key" } });
    const [entry] = made.body.policies;
    await shop.admin("PUT", "/shop", { terms: { text: "Second.\n", version: "2" } });
    const agreed = await fetch(entry.url);
    expect([agreed.status, await agreed.text()]).toEqual([200, "First.\n"]);
    expect((await terms(shop.site_key_hash)).body).toBe("Second.\n");
    const never = entry.url.replace(/\w{64}$/, "0".repeat(64));
    expect((await fetch(never)).status).toBe(404);
  });

  test("sign the terms into every cart, so that jose and a hash can check them", async () => {
    const shop = await at.shop();
    await shop.admin("PUT", "/shop", SHOP);
    const url = `${server.url}/v1/ucp/${shop.site_key_hash}/carts`;
    const cart = { line_items: [{ item: { id: "rose" }, quantity: 1 }] };
    const headers = { "idempotency-key": "a-key" };
    const { body } = await platform.call(url, cart, { headers });
    const [{ signature, ...entry }, ...others] = body.policies;
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ type: "dev.gatehouse.policy.site_terms", version: "2030-05" });
    const [header, , sig] = signature.split(".");
    const keys = await (await fetch(`${server.url}/.well-known/jwks.json`)).json();
    const payload = Buffer.from(canonicalize(entry)).toString("base64url");
    const jws = { protected: header, payload, signature: sig };
    await flattenedVerify(jws, createLocalJWKSet(keys as never));
    const served = await fetch(entry.url);
    const sha256 = createHash("sha256").update(Buffer.from(await served.arrayBuffer()));
    expect(entry.sha256).toBe(sha256.digest("hex"));
    const base = `${server.context.config.baseUrl}/v1/ucp/${shop.site_key_hash}/terms`;
    expect(entry.url).toBe(`${base}/${entry.sha256}`);
    expect(body.links).toEqual([
      { type: "terms_of_service", url: entry.url },
      { type: "privacy_policy", url: "https://shop.example.com/privacy" },
    ]);
  });
});
