import { beforeAll, describe, expect, test } from "vitest";
import { siteMark } from "../../src/infra/db/product-search.ts";
import {
  answerOf,
  cleanUp,
  freshEnvironment,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { selling } from "../selling/selling.ts";
import { isSigned, Platform } from "./platform.ts";
import { schemaFaults, schemasThere } from "./schemas.ts";

const eur = (id: string, title: string, price: string, more: object = {}) => ({
  id,
  title,
  price,
  currency: "EUR",
  ...more,
});
const PRODUCTS = [
  eur("rose-red", "Red rose", "4.50", {
    description: "A long-stemmed flower.",
    url: "https://shop.example.com/rose",
    image_url: "https://shop.example.com/rose.jpg",
  }),
  eur("rose-white", "White rose", "5.00", { quantity: 0 }),
  eur("vase", "Vase", "15.00", {
    sale_price: "12.00",
    image_url: "https://shop.example.com/vase.jpg",
    additional_image_urls: ["https://shop.example.com/vase-2.jpg"],
    brand: "Rosa",
    gtin: "4006381333931",
    sku: "VASE-12",
    category: "Home > Vases",
    item_group_id: "vases",
    options: { Color: "Red" },
    description: "Holds one red flower, or three roses.",
  }),
  eur("cafe", "Café crème", "3.20", { availability: "out of stock" }),
  eur("zoll", "Zollstock 3.5m", "9.99", { description: "Für Gärtner's Hände: 4x4 / 10-teilig" }),
];

describe.each(TIER_DATABASES)("a shop's catalog, on %s,", (dialect) => {
  let server: TestServer;
  let platform: Platform;
  let shop: Shop;
  // biome-ignore lint/suspicious/noExplicitAny: the shop's profile, as it is served
  let profile: any;
  beforeAll(async () => {
    platform = await Platform.start();
    const env = await freshEnvironment(dialect);
    server = await startServer({ ...env, GATEHOUSE_FETCH_ALLOW: platform.host });
    const at = selling(server);
    shop = await at.shop();
    await shop.admin("PUT", "/products", { products: PRODUCTS });
    // Another shop with the same words: nobody finds what somebody else sells.
    const other = await at.shop();
    await other.admin("PUT", "/products", { products: [eur("theirs", "Red rose", "1.00")] });
    profile = await (await fetch(`${server.url}/v1/ucp/${shop.site_key_hash}/profile`)).json();
    return async () => {
      platform.stop();
      await cleanUp();
    };
  });
  const call = (path: string, body: unknown) =>
    platform.call(`${server.url}/v1/ucp/${shop.site_key_hash}/catalog/${path}`, body);
  const found = async (query: object) =>
    (await call("search", query)).body.products.map(({ id }: { id: string }) => id);

  test("is searched by words, without case and accents, with matching titles first", async () => {
    expect(await found({ query: "RED rose" })).toEqual(["rose-red", "vase", "rose-white"]);
    expect(await found({ query: "white" })).toEqual(["rose-white"]);
    expect(await found({ query: "cafe creme" })).toEqual(["cafe"]);
    expect(await found({ query: "Café" })).toEqual(["cafe"]);
    expect(await found({ query: "gartner hande" })).toEqual(["zoll"]);
    expect(await found({ query: "3.5m" })).toEqual(["zoll"]);
    expect(await found({ query: "flow" })).toEqual(["rose-red", "vase"]);
    expect(await found({ query: "fl" })).toEqual([]);
    expect(await found({ query: "flow red" })).toEqual(["rose-red", "vase"]);
    expect(await found({ query: "tulip" })).toEqual([]);
  });

  describe("with products in several languages,", () => {
    let search: (query: string, more?: object) => Promise<string[]>;
    let listed: (q: string) => Promise<string[]>;
    beforeAll(async () => {
      const shelf = await selling(server).shop();
      const products = [
        eur("bouquet", "Red rose bouquet", "39.00", { description: "Tied by hand." }),
        eur("strauss", "Bunter Strauß", "29.00", { description: "Mit Gläsern für Sträuße." }),
        eur("blumen", "Blumenstrauß", "49.00", { description: "Mit weißen Lilien." }),
        eur("glas", "Glas", "5.00"),
        eur("tulpe", "Gelbe Tulpen", "1.50", { description: "For a birthday." }),
        eur("chapeau", "Chapeau de paille", "19.00", { description: "Une fleur rouge." }),
        eur("flores", "Dos flores secas", "9.00"),
        eur("berry", "Berries in a box", "4.00"),
      ];
      await shelf.admin("PUT", "/products", { products });
      search = async (query, more = {}) => {
        const url = `${server.url}/v1/ucp/${shelf.site_key_hash}/catalog/search`;
        const { body } = await platform.call(url, { query, ...more });
        return body.products.map(({ id }: { id: string }) => id);
      };
      listed = async (q) => {
        const { body } = await shelf.admin("GET", `/products?q=${encodeURIComponent(q)}`);
        return body.items.map(({ id }: { id: string }) => id);
      };
    });

    test.each([
      ["roses", ["bouquet"]],
      ["Rosen", ["bouquet"]],
      ["strauss", ["strauss"]],
      ["straus", ["strauss"]],
      ["Sträuße", ["strauss"]],
      ["GLÄSER", ["glas", "strauss"]],
      ["tulpe", ["tulpe"]],
      ["chapeaux", ["chapeau"]],
      ["fleurs", ["chapeau"]],
      ["flor", ["flores"]],
      ["berry boxes", ["berry"]],
      ["blumenstrauss", ["blumen"]],
      ["lilie", ["blumen"]],
    ])("finds singular and plural: %s", async (query, ids) => {
      expect(await search(query)).toEqual(ids);
    });

    test("finds products with some of the words after those with all, most words first", async () => {
      expect(await search("red roses for my birthday")).toEqual(["bouquet", "tulpe"]);
      expect(await search("bunter Strauß mit Tulpen")).toEqual(["strauss", "tulpe"]);
      expect(await search("strauss glas")).toEqual(["strauss", "glas"]);
      expect(await search("chapeau rouge flor")).toEqual(["chapeau", "flores"]);
      expect(await search("for the mit une")).toEqual([]);
      const filters = { price: { max: 2000 } };
      expect(await search("red roses birthday", { filters })).toEqual(["tulpe"]);
    });

    test("shows them page by page, each once", async () => {
      const seen: string[] = [];
      const all = await search("strauss glas tulpen rose berry");
      expect([...all].sort()).toEqual(["berry", "bouquet", "glas", "strauss", "tulpe"]);
      for (const at of all.keys()) {
        const cursor = Buffer.from(`from ${at}`).toString("base64url");
        seen.push(...(await search("strauss glas", { pagination: { limit: 1, cursor } })));
      }
      expect(seen).toEqual(["strauss", "glas"]);
    });

    test("finds them in the owner's list too", async () => {
      expect(await listed("roses")).toEqual(["bouquet"]);
      expect(await listed("STRAUSS")).toEqual(["strauss"]);
      expect(await listed("rose red")).toEqual(["bouquet"]);
      expect(await listed("tied")).toEqual([]);
      expect(await listed("quet")).toEqual(["bouquet"]);
    });
  });

  test("finds a product by its SKU, also after an import of only that or only the description", async () => {
    const at = selling(server);
    const shelf = await at.shop();
    const url = `${server.url}/v1/ucp/${shelf.site_key_hash}/catalog/search`;
    const finds = async (query: string) =>
      (await platform.call(url, { query })).body.products.some(
        ({ id }: { id: string }) => id === "tall",
      );
    const text = { description: "For one flower." };
    await at.importLines(shelf, [eur("tall", "Tall vase", "15.00", { ...text, sku: "TV-12" })]);
    const all = async () => [await finds("tv-12"), await finds("flower"), await finds("CUP-7b")];
    expect(await all()).toEqual([true, true, false]);
    await at.importLines(shelf, [{ id: "tall", description: "For one rose." }]);
    expect(await all()).toEqual([true, false, false]);
    await at.importLines(shelf, [{ id: "tall", sku: "CUP-7b" }]);
    expect([await finds("rose"), await finds("cup-7B"), await finds("12")]).toEqual([
      true,
      true,
      false,
    ]);
    await at.importLines(shelf, [{ id: "tall", quantity: 3 }]);
    expect([await finds("rose"), await finds("cup-7B")]).toEqual([true, true]);
    await shelf.admin("PATCH", "/products?id=tall", { paused: true });
    expect(await finds("cup-7B")).toBe(false);
    await shelf.admin("PATCH", "/products?id=tall", { paused: false });
    expect(await finds("cup-7B")).toBe(true);
  });

  test("treats any search input as words, and nothing else", async () => {
    const hostile = [
      '"',
      "rose OR vase",
      "rose*",
      "title_words:rose",
      "site:x",
      "'); DROP TABLE products;--",
      "rose & !red",
      "(((",
      "\u0000",
      "NEAR(red rose)",
      ":*",
      "💐",
      "-",
      "key:41",
    ];
    for (const query of hostile) {
      const { status, body } = await call("search", { query });
      expect([query, status, Array.isArray(body.products)]).toEqual([query, 200, true]);
    }
    expect(await found({ query: "???" })).toEqual([]);
  });

  test("says what identifies a product, its category, pictures, variant and price without a sale", async () => {
    const { body } = await call("lookup", { ids: ["vase", "zoll"] });
    const categories = [{ value: "Home > Vases", taxonomy: "merchant" }];
    expect(body.products[0]).toMatchObject({
      categories,
      media: ["vase.jpg", "vase-2.jpg"].map((name) => ({
        url: `https://shop.example.com/${name}`,
      })),
      options: [{ name: "Color", values: [{ label: "Red" }] }],
      metadata: { brand: "Rosa", item_group_id: "vases" },
      price_range: { min: { amount: 1200 } },
      list_price_range: { min: { amount: 1500 }, max: { amount: 1500 } },
      variants: [
        {
          categories,
          barcodes: [{ type: "GTIN", value: "4006381333931" }],
          sku: "VASE-12",
          options: [{ name: "Color", label: "Red" }],
          price: { amount: 1200 },
          list_price: { amount: 1500, currency: "EUR" },
        },
      ],
    });
    for (const name of ["categories", "media", "options", "metadata", "list_price_range"]) {
      expect(body.products[1]).not.toHaveProperty(name);
    }
    expect(body.products[1].variants[0]).not.toHaveProperty("sku");
  });

  test("is listed completely without words, page by page, within a price range", async () => {
    const all = ["cafe", "rose-red", "rose-white", "vase", "zoll"];
    const filters = { price: { min: 0 } };
    expect(await found({ filters })).toEqual(all);
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < 3; pages++) {
      const pagination = { limit: 2, ...(cursor === undefined ? {} : { cursor }) };
      const { body } = await call("search", { filters, pagination });
      seen.push(...body.products.map(({ id }: { id: string }) => id));
      cursor = body.pagination.cursor;
      expect(body.pagination.has_next_page).toBe(pages < 2);
    }
    expect([seen, cursor]).toEqual([all, undefined]);
    expect(await found({ filters: { price: { min: 450, max: 999 } } })).toEqual([
      "rose-red",
      "rose-white",
      "zoll",
    ]);
    expect(await found({ query: "rose", filters: { price: { max: 450 } } })).toEqual(["rose-red"]);
  });

  test("is searched page by page, each product once, however many have the words", async () => {
    const lamps = Array.from({ length: 120 }, (_, n) =>
      n % 2 === 0
        ? eur(`lamp-${n}`, `Lamp ${n} ${"long ".repeat(n % 3)}`, "1.00")
        : eur(`desk-${n}`, `Desk ${n}`, "1.00", { description: "With a lamp." }),
    );
    await shop.admin("PUT", "/products", { products: [...PRODUCTS, ...lamps] });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const pagination = { limit: 7, ...(cursor === undefined ? {} : { cursor }) };
      const { body } = await call("search", { query: "lamp", pagination });
      seen.push(...body.products.map(({ id }: { id: string }) => id));
      cursor = body.pagination.cursor;
    } while (cursor !== undefined && seen.length < 200);
    expect([...seen].sort()).toEqual(lamps.map(({ id }) => id).sort());
    expect(seen.slice(0, 60).filter((id) => id.startsWith("desk"))).toEqual([]);
    await shop.admin("PUT", "/products", { products: PRODUCTS });
  });

  test("never shows words that another shop has smuggled in for it", async () => {
    const at = selling(server);
    const rival = await at.shop();
    // Letters to one Unicode table and marks to another, before what the index has for this shop.
    const mark = siteMark(shop.site_key_hash);
    const planted = ["\u19b0", "\u19c8", "\u00b7", "\u200b"].flatMap((between) =>
      Array.from({ length: 4 }, (_, n) =>
        eur(n === 0 ? "vase" : `x-${between}-${n}`, `${between}${mark}rose`, "1.00"),
      ),
    );
    await rival.admin("PUT", "/products", {
      products: [...new Map(planted.map((one) => [one.id, one])).values()],
    });
    expect((await found({ query: "rose" })).sort()).toEqual(["rose-red", "rose-white", "vase"]);
    const [first] = await found({ query: "rose", pagination: { limit: 1 } });
    expect(["rose-red", "rose-white"]).toContain(first);
  });

  test("needs at least one search input", async () => {
    for (const body of [{}, { query: " " }, { filters: {} }, { pagination: { limit: 5 } }]) {
      const { status, body: answer } = await call("search", body);
      expect([status, answer.code]).toEqual([400, "invalid_request"]);
      expect(answer.content).toBe("Send a `query`, or at least one of `filters`.");
    }
  });

  test("looks up 50 ids at once, and refuses more as too large", async () => {
    const ids = (count: number) => Array.from({ length: count }, (_, n) => `id-${n}`);
    expect((await call("lookup", { ids: ids(50) })).status).toBe(200);
    const { status, body } = await call("lookup", { ids: ids(51) });
    expect([status, body.code]).toEqual([400, "request_too_large"]);
    const meta = { "ucp-agent": { profile: platform.profileUrl() } };
    const args = { meta, catalog: { ids: ids(51) } };
    const over = await selling(server).call(shop, args, undefined, "lookup_catalog");
    expect([over.error.code, over.error.data.error]).toEqual([-32_602, "request_too_large"]);
  });

  test("finds what is sold now: changes are found at once, and removed products are not found", async () => {
    await shop.admin("PUT", "/products", {
      products: [...PRODUCTS.slice(1), eur("lily", "Lily", "2.00")],
    });
    expect(await found({ query: "lily" })).toEqual(["lily"]);
    expect(await found({ query: "stemmed" })).toEqual([]);
    await shop.admin("PUT", "/products", { products: PRODUCTS });
    expect(await found({ query: "lily" })).toEqual([]);
    expect(await found({ query: "stemmed" })).toEqual(["rose-red"]);
  });

  test("shows what a product costs in minor units, and whether it is available", async () => {
    const { body } = await call("lookup", { ids: ["rose-red", "rose-white", "none", "rose-red"] });
    expect(body.products).toMatchObject([
      {
        id: "rose-red",
        title: "Red rose",
        url: "https://shop.example.com/rose",
        media: [{ type: "image", url: "https://shop.example.com/rose.jpg" }],
        price_range: { min: { amount: 450, currency: "EUR" } },
        variants: [
          {
            id: "rose-red",
            price: { amount: 450, currency: "EUR" },
            availability: { available: true, status: "in_stock" },
            inputs: [{ id: "rose-red", match: "exact" }],
          },
        ],
      },
      { id: "rose-white", variants: [{ availability: { available: false } }] },
    ]);
    expect(body.messages).toMatchObject([{ type: "info", code: "not_found" }]);
    const one = await call("product", { id: "cafe" });
    expect(one.body.product.variants[0].availability).toEqual({
      available: false,
      status: "out_of_stock",
    });
    const none = await call("product", { id: "theirs" });
    expect([none.status, none.body.ucp.status, none.body.messages[0].code]).toEqual([
      200,
      "error",
      "not_found",
    ]);
  });

  test("is answered as UCP's schemas say, signed with the key of its profile", async ({ task }) => {
    const answers = [
      [
        "shopping/catalog_search.json#/$defs/search_response",
        await call("search", { query: "red" }),
      ],
      [
        "shopping/catalog_search.json#/$defs/search_response",
        await call("search", { filters: { price: { min: 0 } } }),
      ],
      [
        "shopping/catalog_lookup.json#/$defs/lookup_response",
        await call("lookup", { ids: ["vase", "x"] }),
      ],
      [
        "shopping/catalog_lookup.json#/$defs/get_product_response",
        await call("product", { id: "vase" }),
      ],
      ["common/types/error_response.json", await call("product", { id: "x" })],
    ] as const;
    for (const [schema, answer] of answers) {
      expect(schemaFaults(schema, answer.body)).toEqual([]);
      expect(await isSigned(profile, answer)).toBe(true);
      expect(answer.headers.get("cache-control")).toBe("no-store");
    }
    Object.assign(task.meta, { outside: schemasThere ? answers.length : 0 });
    const refused = await call("search", { pagination: { limit: 0 } });
    expect([refused.status, refused.body.code]).toEqual([400, "invalid_request"]);
    expect(await isSigned(profile, refused)).toBe(true);
    // And whoever changes a byte on the way is found out.
    const [, first] = answers[0];
    expect(await isSigned(profile, { ...first, body: { ...first.body, products: [] } })).toBe(
      false,
    );
    expect(await isSigned(profile, { ...first, status: 201 })).toBe(false);
  });

  test("refuses input that it cannot read, with a message", async () => {
    const wrong: [string, unknown][] = [
      ["search", { query: 5 }],
      ["search", { query: "x".repeat(501) }],
      ["search", { filters: [] }],
      ["search", { filters: { price: { min: -1 } } }],
      ["search", { pagination: { cursor: "nonsense" } }],
      ["lookup", {}],
      ["lookup", { ids: [] }],
      ["lookup", { ids: [1] }],
      ["product", {}],
      ["product", []],
      ["product", '{"id":"a","id":"b"}'],
    ];
    for (const [path, body] of wrong) {
      const answer = await call(path, body);
      expect([path, body, answer.status]).toEqual([path, body, 400]);
      expect(answer.body).toEqual({ code: "invalid_request", content: expect.any(String) });
    }
    const large = await call("search", { query: "rose", context: "x".repeat(128 * 1024) });
    expect([large.status, large.body.code]).toEqual([413, "body_too_large"]);
    const url = `${server.url}/v1/ucp/${shop.site_key_hash}/catalog/search`;
    expect((await answerOf(await fetch(url))).status).toBe(405);
  });
});
