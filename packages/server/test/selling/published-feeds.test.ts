import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { beforeAll, describe, expect, test } from "vitest";
import {
  cleanUp,
  createSite,
  freshEnvironment,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import { type Shop, submitting } from "../mandates/submitting.ts";
import { type FeedServer, startFeedServer } from "./feed-server.ts";

const schema = fileURLToPath(
  new URL(
    "../../../../../shared/schemas/acp/spec/2026-04-17/json-schema/schema.feed.json",
    import.meta.url,
  ),
);
const schemaAbsent = !existsSync(schema);
if (schemaAbsent) console.warn("skipped: ../shared/schemas/acp is not beside this repository");

const PRODUCTS = [
  {
    id: "rose & <co>",
    title: 'A "red" rose <b>',
    description: "Roses ]]> & more",
    price: "12.50",
    currency: "EUR",
    url: "https://shop.example.com/rose?a=1&b=2",
    image_url: "https://shop.example.com/rose.jpg",
    quantity: 0,
    identifier_exists: false,
  },
  { id: "bonsai", title: "A bonsai", price: "5000", currency: "JPY", availability: "preorder" },
];

const TEE = {
  id: "tee-m",
  title: "Tee",
  price: "20.00",
  currency: "EUR",
  image_url: "https://shop.example.com/tee.jpg",
  sale_price: "15.00",
  sale_from: "2020-01-01T00:00:00.000Z",
  sale_until: "2100-01-01T00:00:00.000Z",
  brand: "Rosa & Co",
  gtin: "4006381333931",
  mpn: "RS-12",
  category: "Clothing > Shirts",
  additional_image_urls: ["https://shop.example.com/2.jpg?a=1,2", "https://shop.example.com/3.jpg"],
  item_group_id: "tee",
  options: { Color: "Red", Size: "M" },
};

const SHIPPING = [
  {
    countries: ["DE", "*"],
    options: [{ id: "post", title: "Post", prices: { EUR: "4.90" }, days: [2, 4] }],
  },
];

describe.each(TIER_DATABASES)("the product feeds that a site publishes, on %s,", (dialect) => {
  let feeds: FeedServer;
  let server: TestServer;
  let shop: Shop;
  beforeAll(async () => {
    feeds = await startFeedServer();
    const env = { ...(await freshEnvironment(dialect)), GATEHOUSE_FETCH_ALLOW: feeds.host };
    server = await startServer(env);
    shop = await submitting(server).shop(null);
    await shop.admin("PUT", "/products", { products: PRODUCTS });
    await shop.admin("PUT", "/shop", {
      shipping: SHIPPING,
      links: { refund_policy: "https://shop.example.com/refunds" },
    });
    return async () => {
      feeds.stop();
      await cleanUp();
    };
  });

  const publish = (...formats: readonly string[]) =>
    shop.admin("PATCH", "", { published_feeds: { formats, condition: "used" } });
  const read = (name: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${server.url}/v1/feeds/${shop.site_key_hash}/${name}`, { headers });
  const llms = async () => (await fetch(`${server.url}/v1/llms/${shop.site_key_hash}.txt`)).text();

  test("are off until the owner publishes them, and agents find those that are on", async () => {
    expect((await read("google.xml")).status).toBe(404);
    expect(await llms()).not.toContain("Product feed");
    const { body } = await publish("google");
    expect((await read("google.xml")).status).toBe(200);
    expect((await read("acp.jsonl")).status).toBe(404);
    expect(await llms()).toContain(`[Product feed (Google)](${body.google_feed_url})`);
    expect(await llms()).not.toContain("acp.jsonl");
    const [record] = (await shop.admin("GET", "/audit/records?type=site.changed")).body.items;
    expect(record.record.change).toMatchObject({ published_feeds: { formats: ["google"] } });
    expect((await publish("google", "google")).status).toBe(400);
  });

  test("for Google has the attributes that agents need, and this service reads it back", async () => {
    await publish("google");
    const response = await read("google.xml");
    expect(response.headers.get("content-type")).toBe("application/rss+xml; charset=utf-8");
    const text = await response.text();
    expect(text).toContain("<g:price>12.50 EUR</g:price><g:condition>used</g:condition>");
    expect(text).toContain(
      "<g:shipping><g:country>DE</g:country><g:service>Post</g:service><g:price>4.90 EUR</g:price>" +
        "<g:min_transit_time>2</g:min_transit_time><g:max_transit_time>4</g:max_transit_time></g:shipping>",
    );
    const { site_key_hash } = await createSite(server, "copy.example.com");
    const at = `/v1/admin/sites/${site_key_hash}`;
    feeds.answer = text;
    await server.admin("PUT", `${at}/product-feed`, { url: feeds.url });
    const { body } = await server.admin("POST", `${at}/product-feed/fetch`, {});
    expect(body.last_result).toMatchObject({ added: 2, refused: 0 });
    const { items } = (await server.admin("GET", `${at}/products`)).body;
    expect(items).toMatchObject([
      {
        id: "bonsai",
        price: { minor: 5000, currency: "JPY" },
        availability: "preorder",
        identifier_exists: null,
      },
      {
        id: "rose & <co>",
        identifier_exists: false,
        description: "Roses ]]> & more",
        url: PRODUCTS[0]?.url,
        availability: "out_of_stock",
      },
    ]);
  });

  /** Does this while the shop sells a product with everything that a feed can name. */
  async function withTee(check: () => Promise<void>) {
    expect((await shop.admin("POST", "/products", TEE)).status).toBe(201);
    await check();
    await shop.admin("DELETE", "/products?id=tee-m");
  }

  test("for Google have all details of a product, and can be imported again", async () => {
    await publish("google");
    await withTee(async () => {
      const options = { ...TEE.options, Constructor: "Rosa", Colour: "Crimson" };
      const fields = { options, identifier_exists: false };
      expect((await shop.admin("PATCH", "/products?id=tee-m", fields)).status).toBe(200);
      const text = await (await read("google.xml")).text();
      const [, rest = ""] = text.split("<g:id>tee-m</g:id>");
      const [tee] = rest.split("</item>");
      for (const element of [
        "<g:price>20.00 EUR</g:price><g:sale_price>15.00 EUR</g:sale_price>",
        "<g:sale_price_effective_date>2020-01-01T00:00:00.000Z/2100-01-01T00:00:00.000Z</g:",
        "<g:brand>Rosa &amp; Co</g:brand><g:gtin>4006381333931</g:gtin><g:mpn>RS-12</g:mpn>",
        "<g:product_type>Clothing &gt; Shirts</g:product_type><g:item_group_id>tee</g:item_group_id>",
        "<g:color>Red</g:color><g:size>M</g:size>",
        "<g:attribute_name>Constructor</g:attribute_name>",
        "<g:attribute_name>Colour</g:attribute_name>",
      ]) {
        expect(tee).toContain(element);
      }
      // Only of the rose: the tee has them, and nobody has said that the bonsai has none.
      expect(tee).not.toContain("identifier_exists");
      expect(text.split("<g:identifier_exists>no</g:identifier_exists>")).toHaveLength(2);
      const { site_key_hash } = await createSite(server, "second.example.com");
      const at = `/v1/admin/sites/${site_key_hash}`;
      feeds.answer = text;
      await server.admin("PUT", `${at}/product-feed`, { url: feeds.url });
      await server.admin("POST", `${at}/product-feed/fetch`, {});
      const { items } = (await server.admin("GET", `${at}/products?id=tee-m`)).body;
      const { price: _, currency, ...same } = TEE;
      expect(items).toMatchObject([
        {
          ...same,
          options: { Color: "Red", Size: "M" },
          price: { minor: 1500, currency },
          regular_price: { minor: 2000, currency },
          sale_price: { minor: 1500, currency },
        },
      ]);
    });
  });

  test("for ACP name barcode, category, pictures, list price and variant", async () => {
    await publish("acp");
    await withTee(async () => {
      const lines = (await (await read("acp.jsonl")).text()).trimEnd().split("\n");
      const tee = lines.map((line) => JSON.parse(line)).find(({ id }) => id === "tee-m");
      const urls = [TEE.image_url, ...TEE.additional_image_urls];
      expect(tee.media).toMatchObject(urls.map((url) => ({ type: "image", url })));
      expect(tee.variants).toMatchObject([
        {
          barcodes: [{ type: "GTIN", value: TEE.gtin }],
          price: { amount: 1500 },
          list_price: { amount: 2000, currency: "EUR" },
          categories: [{ value: "Clothing > Shirts", taxonomy: "merchant" }],
          variant_options: [
            { name: "Color", value: "Red" },
            { name: "Size", value: "M" },
          ],
        },
      ]);
    });
  });

  test.skipIf(schemaAbsent)("for ACP has lines that are valid products of its schema", async () => {
    await publish("acp");
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema(JSON.parse(readFileSync(schema, "utf8")), "feed");
    const validate = ajv.compile({ $ref: "feed#/$defs/Product" });
    await withTee(async () => {
      const lines = (await (await read("acp.jsonl")).text()).trimEnd().split("\n");
      for (const line of lines) {
        expect([validate(JSON.parse(line)), validate.errors]).toEqual([true, null]);
      }
      expect(lines).toHaveLength(3);
    });
  });

  test("for ACP have price, availability, condition and seller", async () => {
    await publish("acp");
    const [, rose] = (await (await read("acp.jsonl")).text()).split("\n");
    expect(JSON.parse(rose ?? "")).toMatchObject({
      id: "rose & <co>",
      variants: [
        {
          price: { amount: 1250, currency: "EUR" },
          availability: { available: false, status: "out_of_stock" },
          condition: ["used"],
          seller: { links: [{ type: "refund_policy" }] },
        },
      ],
    });
  });

  test("are not sent again until a product or a setting changes", async () => {
    await publish("google", "acp");
    const first = await read("google.xml");
    await first.text();
    const etag = first.headers.get("etag") ?? "";
    expect(first.headers.get("cache-control")).toBe("public, max-age=300");
    const known = { "if-none-match": etag };
    expect((await read("google.xml", known)).status).toBe(304);
    expect((await read("acp.jsonl", known)).status).toBe(200);
    // Sold, not changed by its owner.
    const sql = "UPDATE products SET quantity = 5 WHERE site_key_hash = ? AND quantity = 0";
    await server.context.db.run(sql, shop.site_key_hash);
    const sold = await read("google.xml", known);
    expect([sold.status, (await sold.text()).includes("in_stock")]).toEqual([200, true]);
    await shop.admin("PATCH", "/products?id=bonsai", { paused: true });
    const paused = await (await read("google.xml")).text();
    expect(paused).not.toContain("bonsai");
    await shop.admin("PATCH", "/products?id=bonsai", { paused: false });
  });

  test("list every one of ten thousand products once", async () => {
    const many = Array.from({ length: 10_000 }, (_, place) =>
      JSON.stringify({ id: `n${place}`, title: "N", price: "1", currency: "EUR" }),
    );
    feeds.answer = many.join("\n");
    await shop.admin("PUT", "/product-feed", { url: feeds.url });
    const { body } = await shop.admin("POST", "/product-feed/fetch", {});
    expect(body.last_result).toMatchObject({ outcome: "applied", added: 10_000 });
    await publish("acp");
    const lines = (await (await read("acp.jsonl")).text()).trimEnd().split("\n");
    expect(new Set(lines.map((line) => JSON.parse(line).id)).size).toBe(10_002);
    expect(lines).toHaveLength(10_002);
    const head = await fetch(`${server.url}/v1/feeds/${shop.site_key_hash}/acp.jsonl`, {
      method: "HEAD",
    });
    expect(head.status).toBe(200);
  });
});
