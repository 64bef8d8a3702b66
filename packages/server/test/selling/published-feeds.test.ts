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
import { plansOf } from "../query-plans.ts";
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
    // A job that reads products would be among the plans that a test looks at.
    await server.context.jobs.stop();
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
        // Google takes no preorder without a date.
        availability: "out_of_stock",
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

  /** Does this while the shop sells a product with everything that a feed can name, and others. */
  async function withTee(check: () => Promise<void>, ...others: readonly { id: string }[]) {
    const added = [TEE, ...others];
    for (const one of added) {
      expect((await shop.admin("POST", "/products", one)).status).toBe(201);
    }
    await check();
    for (const { id } of added) await shop.admin("DELETE", `/products?id=${id}`);
  }

  const acpProducts = async () =>
    (await (await read("acp.jsonl")).text())
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));

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
      const tee = (await acpProducts()).find(({ id }) => id === "tee");
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

  const VARIANTS = [
    { ...TEE, id: "a-tee", title: "Tee – Red / S", gtin: null, options: { Size: "S" } },
    { ...TEE, id: "z-tee", title: "Tee – Blue / M", gtin: null, options: { Color: "Blue" } },
  ];

  test("for ACP have the variants of a product together", async () => {
    await publish("acp");
    const check = async () => {
      const lines = await acpProducts();
      expect(lines.map(({ id }) => id)).toEqual(["bonsai", "rose & <co>", "tee", "tulip"]);
      const tee = lines[2];
      expect(tee.title).toBe("Tee");
      expect(tee.media[0].url).toBe(TEE.image_url);
      expect(tee.variants).toMatchObject([
        { id: "a-tee", title: "Tee – Red / S", variant_options: [{ name: "Size", value: "S" }] },
        // Without a group, but with its id.
        { id: "tee" },
        { id: "tee-m", variant_options: [{ value: "Red" }, { value: "M" }] },
        { id: "z-tee", price: { amount: 1500 } },
      ]);
      expect(lines[3]).toMatchObject({ title: "A tulip –", variants: [{ id: "tulip" }] });
    };
    const own = { ...TEE, id: "tee", item_group_id: null };
    const tulip = { ...TEE, id: "tulip", title: "A tulip –", item_group_id: null };
    await withTee(check, ...VARIANTS, own, tulip);
  });

  test.skipIf(schemaAbsent)("for ACP has lines that are valid products of its schema", async () => {
    await publish("acp");
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema(JSON.parse(readFileSync(schema, "utf8")), "feed");
    const validate = ajv.compile({ $ref: "feed#/$defs/Product" });
    await withTee(
      async () => {
        const lines = (await (await read("acp.jsonl")).text()).trimEnd().split("\n");
        for (const line of lines) {
          expect([validate(JSON.parse(line)), validate.errors]).toEqual([true, null]);
        }
        expect(lines).toHaveLength(3);
      },
      ...VARIANTS,
    );
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
    const many = Array.from({ length: 10_000 }, (_, place) => {
      const group = place < 5000 ? { item_group_id: `group ${place % 40}` } : {};
      return JSON.stringify({ id: `n${place}`, title: "N", price: "1", currency: "EUR", ...group });
    });
    feeds.answer = many.join("\n");
    await shop.admin("PUT", "/product-feed", { url: feeds.url });
    const { body } = await shop.admin("POST", "/product-feed/fetch", {});
    expect(body.last_result).toMatchObject({ outcome: "applied", added: 10_000 });
    await publish("acp");
    const products = await acpProducts();
    const variants = products.flatMap(({ variants: all }) =>
      all.map(({ id }: { id: string }) => id),
    );
    expect([variants.length, new Set(variants).size]).toEqual([10_002, 10_002]);
    expect(new Set(products.map(({ id }) => id)).size).toBe(5042);
    expect(products).toHaveLength(5042);
    if (dialect === "sqlite") {
      const plans = await plansOf(server.context.db, acpProducts);
      const byGroup = plans.flat().filter((step) => step.includes("<expr>"));
      expect(new Set(byGroup)).toEqual(
        new Set([
          "SEARCH products USING INDEX products_by_group (site_key_hash=? AND <expr>=? AND product_id>?)",
          "SEARCH products USING INDEX products_by_group (site_key_hash=? AND <expr>>?)",
        ]),
      );
      expect(plans.flat().filter((step) => step.startsWith("SCAN products"))).toEqual([]);
    }
    const head = await fetch(`${server.url}/v1/feeds/${shop.site_key_hash}/acp.jsonl`, {
      method: "HEAD",
    });
    expect(head.status).toBe(200);
  });
});
