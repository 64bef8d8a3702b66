import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { changePrices } from "../../src/actions/products/change-prices.ts";
import { checkImport } from "../../src/actions/products/check-import.ts";
import { importProducts } from "../../src/actions/products/import-products.ts";
import { serviceActor } from "../../src/domain/audit/drafts.ts";
import { csvLines } from "../../src/domain/products/product-lines.ts";
import { searchProducts } from "../../src/domain/products/search/store.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { HOUR_MS } from "../../src/infra/time.ts";
import { priceOrder } from "../../src/purchase/prices.ts";
import {
  answerOf,
  cleanUp,
  freshEnvironment,
  NOON,
  OPERATOR_TOKEN,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import { type Shop, submitting } from "../mandates/submitting.ts";

const CSV = "text/csv; charset=utf-8";
const LINES = "application/x-ndjson";

describe.each(TIER_DATABASES)("products, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let server: TestServer;
  let shop: Shop;
  beforeAll(async () => {
    server = await startServer(await freshEnvironment(dialect), { clock });
    return cleanUp;
  });
  beforeEach(async () => {
    shop = await submitting(server).shop(null);
  });

  const upload = async (type: string, body: RequestInit["body"], query = "", extra = {}) =>
    answerOf(
      await fetch(`${server.url}/v1/admin/sites/${shop.site_key_hash}/products/import${query}`, {
        method: "POST",
        headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, "content-type": type },
        body: body as string,
        ...extra,
      }),
    );
  const listed = async () => (await shop.admin("GET", "/products?limit=200")).body.items;
  const ids = async () => (await listed()).map(({ id }: { id: string }) => id);

  test("are imported from any common CSV: quotes, semicolons, a byte order mark, CRLF", async () => {
    const text =
      "\ufeffID;Title;description;price;currency;url;availability;quantity\r\n" +
      'rose;"A ""red"" rose; one";"Two\r\nlines";12.50;EUR;https://shop.example.com/rose;In Stock;3\r\n' +
      "vase;Vase;;20 eur;;;backorder;\r\n";
    const answer = await upload(CSV, text);
    expect(answer.body).toEqual({
      written: 2,
      removed: 0,
      refused: 0,
      problems: [],
      total: 2,
      stopped: false,
    });
    expect(await listed()).toMatchObject([
      {
        id: "rose",
        title: 'A "red" rose; one',
        description: "Two lines",
        price: { minor: 1250, currency: "EUR" },
        availability: "in_stock",
        quantity: 3,
        url: "https://shop.example.com/rose",
      },
      { id: "vase", price: { minor: 2000, currency: "EUR" }, quantity: null, url: null },
    ]);
    const [record] = (await shop.admin("GET", "/audit/records?type=site.changed")).body.items;
    expect(record.record.change).toMatchObject({ kind: "products_imported", written: 2 });
  });

  test("with a problem are reported by their line, and the others are imported", async () => {
    const good = { id: "a", title: "A", price: "1.00", currency: "EUR" };
    const lines = [
      JSON.stringify(good),
      "{",
      JSON.stringify({ ...good, id: "b", price: "1,00" }),
      "",
      JSON.stringify({ ...good, id: "c", currency: "EURO" }),
      JSON.stringify({ ...good, id: "d", quantity: -1 }),
      JSON.stringify({ ...good, id: "e", url: "javascript:alert(1)" }),
      JSON.stringify({ ...good, id: "f", colour: "red" }),
      JSON.stringify({ ...good, title: "again" }),
      JSON.stringify({ ...good, id: "g", title: "\u202eevil" }),
      JSON.stringify({ ...good, id: "h", price: "1.005" }),
      `{"id":"i","id":"j"}`,
      JSON.stringify({ ...good, id: "k", description: "x".repeat(70_000) }),
      JSON.stringify({ ...good, id: "z" }),
    ];
    const { body } = await upload(LINES, lines.join("\n"));
    expect([body.written, body.refused]).toEqual([2, 11]);
    expect(body.problems.map(({ line }: { line: number }) => line)).toEqual([
      2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13,
    ]);
    expect(await ids()).toEqual(["a", "z"]);
    const csv = await upload(CSV, "id,title,price,currency\nq,Q,1,EUR,extra\nr,R,2,EUR\n");
    expect(csv.body).toMatchObject({ written: 1, refused: 1, problems: [{ line: 2 }] });
  });

  test("let other work run while a file with many of them is checked and imported", async () => {
    const rows = Array.from({ length: 1000 }, (_, n) => `p${n % 10},P,1,EUR\n`);
    const whole = Buffer.from(`id,title,price,currency\n${rows.join("")}`);
    async function* file() {
      yield whole;
    }
    const { context } = server;
    const actor = serviceActor("feeds.fetch");
    const works = [
      () => checkImport(context, shop.site_key_hash, csvLines(file()), { replace: false }),
      () =>
        importProducts(context, shop.site_key_hash, csvLines(file()), { replace: false, actor }),
    ];
    for (const work of works) {
      let turns = 0;
      const count = () => {
        turns++;
        timer = setImmediate(count);
      };
      let timer = setImmediate(count);
      expect(await work()).toMatchObject({ ok: true, value: { refused: 990 } });
      clearImmediate(timer);
      expect(turns).toBeGreaterThanOrEqual(10);
    }
  });

  test("that a replacing file does not name are removed, unless a line of it was wrong", async () => {
    await upload(CSV, "id,title,price,currency\na,A,1,EUR\nb,B,1,EUR\n");
    const half = await upload(
      CSV,
      "id,title,price,currency\nb,B,2,EUR\nc,,1,EUR\n",
      "?mode=replace",
    );
    expect(half.body).toMatchObject({ written: 1, removed: 0, refused: 1, total: 2 });
    const whole = await upload(CSV, "id,title,price,currency\nb,B,3,EUR\n", "?mode=replace");
    expect(whole.body).toMatchObject({ written: 1, removed: 1, total: 1 });
    expect(await listed()).toMatchObject([{ id: "b", price: { minor: 300 } }]);
  });

  test("keep the fields that a file leaves out, and lose those that it empties", async () => {
    const whole =
      "id,title,price,currency,quantity,description,url\nrose,Rose,10.00,EUR,47,Long,https://a.example.com/";
    await upload(CSV, whole);
    await upload(CSV, "id,title,price,currency\nrose,Red rose,11.00,EUR");
    expect(await listed()).toMatchObject([
      { title: "Red rose", price: { minor: 1100 }, quantity: 47, description: "Long" },
    ]);
    await upload(
      LINES,
      '{"id":"rose","title":"Rose","price":"11.00","currency":"EUR","quantity":null}',
    );
    expect(await listed()).toMatchObject([{ quantity: null, description: "Long" }]);
    await upload(CSV, "id,title,price,currency,quantity,url\nrose,Rose,11.00 EUR,,3,");
    expect(await listed()).toMatchObject([{ quantity: 3, description: "Long", url: null }]);
    await shop.admin("PATCH", "/products?id=rose", { availability: "out_of_stock" });
    await upload(CSV, "id,title,price,currency,quantity,availability\nrose,Rose,11.00,EUR,,");
    expect(await listed()).toMatchObject([
      { quantity: null, description: "Long", availability: "out_of_stock" },
    ]);
    await upload(CSV, "id,title,price,currency\nrose,Rose,12.00,EUR", "?mode=replace");
    expect(await listed()).toMatchObject([{ quantity: null, description: "Rose", url: null }]);
  });

  test("keep their name, price and sale when a file has the stock alone, and a new product needs them", async () => {
    const head = "id,title,price,currency,quantity,sale_price,sale_until";
    await upload(CSV, `${head}\nrose,Red rose,10.00,EUR,47,8.00,2100-01-01`);
    const [before] = await listed();
    const stock = "id,quantity\nrose,5\nfern,2\nrose,7";
    const check = await upload(CSV, stock, "/check");
    expect(check.body).toMatchObject({
      changed: 1,
      changes: [{ id: "rose", fields: ["quantity"], after: { title: "Red rose" } }],
      problems: [
        { line: 3, problem: "title: is missing" },
        { line: 4, problem: "id: is already in an earlier line" },
      ],
    });
    const { body } = await upload(CSV, stock);
    expect([body.written, body.refused, body.problems]).toEqual([1, 2, check.body.problems]);
    const { changed_at: _before, ...same } = before;
    expect((await listed())[0]).toMatchObject({ ...same, quantity: 5 });
    expect((await shop.admin("GET", "/products?q=red")).body.items).toHaveLength(1);
    await upload(CSV, "id,sale_price\nrose,9.50");
    expect(await listed()).toMatchObject([
      { price: { minor: 950 }, regular_price: { minor: 1000 }, title: "Red rose", quantity: 5 },
    ]);
    await upload(CSV, "id,price,currency\nrose,12.00,EUR");
    await upload(LINES, '{"id":"rose","title":"Old rose"}');
    expect(await listed()).toMatchObject([
      { price: { minor: 1200 }, title: "Old rose", quantity: 5 },
    ]);
    const dear = await upload(CSV, "id,sale_price,currency\nrose,13.00,EUR");
    expect(dear.body.problems).toMatchObject([{ problem: expect.stringContaining("be lower") }]);
    const other = await upload(CSV, "id,quantity,currency\nrose,1,USD");
    expect(other.body.problems).toEqual([{ line: 2, problem: "price: is missing" }]);
    const whole = await upload(CSV, "id,quantity\nrose,1", "?mode=replace");
    expect(whole.body).toMatchObject({ written: 0, refused: 1 });
  });

  /** What identifies a product, as a table writes it. */
  const DETAILED =
    "id,title,price,currency,brand,gtin,mpn,sku,identifier_exists,category,additional_image_urls,item_group_id,options\n" +
    'tee-m,Tee,20.00,EUR,Rosa,4006381-333931,RS-12,TEE-M,No,Clothing>Shirts,"https://a.example.com/1 ' +
    'https://a.example.com/2",tee,Color: Red; Size: M\n';
  const DETAILS = {
    brand: "Rosa",
    gtin: "4006381333931",
    mpn: "RS-12",
    sku: "TEE-M",
    identifier_exists: false,
    category: "Clothing > Shirts",
    additional_image_urls: ["https://a.example.com/1", "https://a.example.com/2"],
    item_group_id: "tee",
    options: { Color: "Red", Size: "M" },
  };

  test("keep their brand, numbers, category, pictures and options when another file does not name them", async () => {
    expect((await upload(CSV, DETAILED)).body).toMatchObject({ written: 1, refused: 0 });
    expect(await listed()).toMatchObject([DETAILS]);
    const tee = { id: "tee-m", title: "Tee", price: "20.00", currency: "EUR" };
    const check = await upload(LINES, JSON.stringify({ ...tee, ...DETAILS }), "/check");
    expect(check.body).toMatchObject({ changed: 0, unchanged: 1 });
    await upload(CSV, "id,title,price,currency\ntee-m,Shirt,21.00,EUR\n");
    expect(await listed()).toMatchObject([{ title: "Shirt", ...DETAILS }]);
    const fields = { brand: null, gtin: "", options: { Size: "L" } };
    const changed = await shop.admin("PATCH", "/products?id=tee-m", fields);
    expect(changed.body).toMatchObject({ ...DETAILS, ...fields, gtin: null });
    await upload(CSV, "id,title,price,currency\ntee-m,Tee,20.00,EUR\n", "?mode=replace");
    expect(await listed()).toMatchObject([
      {
        brand: null,
        sku: null,
        identifier_exists: null,
        additional_image_urls: [],
        item_group_id: null,
        options: {},
      },
    ]);
  });

  test.each([
    ["gtin", "4006381333932", "gtin: must have 8, 12, 13 or 14 digits, and end with"],
    ["gtin", "12345", "gtin: must have 8, 12, 13 or 14 digits"],
    ["brand", "x".repeat(101), "brand: has more than 100 characters"],
    ["sku", "x".repeat(101), "sku: has more than 100 characters"],
    ["sku", "A\u202e1", "sku: has invisible characters"],
    ["identifier_exists", "maybe", "identifier_exists: must be yes or no"],
    ["category", "Garden > > Roses", "category: must be a path"],
    [
      "additional_image_urls",
      ["http://a.example.com/"],
      "additional_image_urls: must be an address",
    ],
    // Read step by step: a pattern that looks ahead from each blank would take minutes.
    [
      "additional_image_urls",
      `h${" ".repeat(400_000)}x`,
      "additional_image_urls: must be an address",
    ],
    ["additional_image_urls", Array(11).fill("https://a.example.com/"), "has more than 10"],
    ["options", "Red", "options: must be written as Color: Red; Size: M"],
    ["options", { Color: "a;b" }, "options: a name has no colon or semicolon"],
    [
      "options",
      Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`n${n}`, "v"])),
      "than 10",
    ],
    ["sale_price", "2.00", "sale_price: must be lower than the price"],
    ["sale_price", "1.00 USD", "sale_price: has a different currency than the price"],
    ["sale_until", "tomorrow", "sale_until: must be a time such as 2030-05-17T08:00:00Z"],
    ["sale_until", "2030-01-01", "sale_until: must be after sale_from"],
  ])("with a wrong %s are refused: %j", async (field, value, problem) => {
    const product = { id: "a", title: "A", price: "2.00", currency: "EUR" };
    const sale = { sale_price: "1.00", sale_from: "2030-02-01" };
    const line = { ...product, ...sale, [field]: value };
    const { status, body } = await shop.admin("PUT", "/products", { products: [line] });
    expect([status, body.message]).toEqual([400, expect.stringContaining(problem)]);
  });

  test("cost the sale price only during the sale, in lists, searches and orders alike", async () => {
    const at = (hours: number) => new Date(clock.now() + hours * HOUR_MS).toISOString();
    const sale = { sale_price: "1.50", sale_from: at(1), sale_until: at(3) };
    const rose = { id: "rose", title: "Rose", price: "2.00", currency: "EUR" };
    const vase = { id: "vase", title: "Vase", price: "9.00", currency: "EUR", sale_price: "8.00" };
    await shop.admin("PUT", "/products", { products: [{ ...rose, ...sale }, vase] });
    const prices = async () => {
      await changePrices(server.context, () => false);
      const { context } = server;
      const args = { items: [{ id: "rose", quantity: 2 }] };
      const request = { args, purpose: "order" } as const;
      const priced = await priceOrder(context, context.db, shop.site_key_hash, request);
      const items = await listed();
      const listing = items.map(({ price }: { price: { minor: number } }) => price.minor);
      const search = { words: [], minMinor: null, maxMinor: 160, offset: 0, limit: 9 };
      const cheap = await searchProducts(context.db, shop.site_key_hash, search);
      return [...listing, cheap.length, priced.ok ? priced.value.amount.minor : priced.reason];
    };
    expect(await prices()).toEqual([200, 800, 0, 400]);
    clock.advance(HOUR_MS);
    expect(await prices()).toEqual([150, 800, 1, 300]);
    expect(await listed()).toMatchObject([
      {
        regular_price: { minor: 200 },
        sale_price: { minor: 150 },
        changed_at: at(0),
        sale_until: at(2),
      },
      { regular_price: { minor: 900 }, sale_from: null, sale_until: null },
    ]);
    // A change of another field keeps the sale. A file that names a price without one ends it.
    await shop.admin("PATCH", "/products?id=vase", { title: "A vase" });
    expect(await prices()).toEqual([150, 800, 1, 300]);
    clock.advance(2 * HOUR_MS);
    await upload(CSV, "id,title,price,currency\nvase,Vase,9.00,EUR\n");
    expect(await prices()).toEqual([200, 900, 0, 400]);
    expect(await listed()).toMatchObject([{ sale_price: { minor: 150 } }, { sale_price: null }]);
  });

  test("change the time of their sale when a file names the time alone", async () => {
    const sale = { sale_price: "1.50", sale_until: "2030-08-01T00:00:00.000Z" };
    const rose = { id: "rose", title: "Rose", price: "2.00", currency: "EUR", ...sale };
    await shop.admin("PUT", "/products", { products: [rose] });
    const sale_until = "2030-09-01T00:00:00.000Z";
    await upload(CSV, `id,sale_until\nrose,${sale_until}\n`);
    const now = { title: "Rose", regular_price: { minor: 200 }, sale_price: { minor: 150 } };
    expect(await listed()).toMatchObject([{ ...now, sale_until }]);
  });

  test("are all replaced by a PUT, or none of them if one is refused", async () => {
    const product = { id: "a", title: "A", price: 1, currency: "EUR" };
    const bad = await shop.admin("PUT", "/products", {
      products: [product, { ...product, id: "b", price: "-1" }],
    });
    expect([bad.status, bad.body.message]).toEqual([
      400,
      "products.1: price: the amount is not a plain decimal; use a number such as 12.50.",
    ]);
    expect(await ids()).toEqual([]);
    await shop.admin("PUT", "/products", { products: [product] });
    expect(await ids()).toEqual(["a"]);
    await shop.admin("PUT", "/products", { products: [] });
    expect(await ids()).toEqual([]);
  });

  test("are listed page by page, with any characters in their ids", async () => {
    const names = ["ä b", "a/b?c", "\u{1f339}", "x".repeat(100), "10", "9"];
    const products = names.map((id) => ({ id, title: "T", price: "1", currency: "EUR" }));
    await shop.admin("PUT", "/products", { products });
    const seen: string[] = [];
    for (let cursor = ""; ; ) {
      const { body } = await shop.admin("GET", `/products?limit=2${cursor}`);
      seen.push(...body.items.map(({ id }: { id: string }) => id));
      if (body.next_cursor === undefined) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect([...seen].sort()).toEqual([...names].sort());
  });

  test("are refused if they are of another type, too large, or sent without permission", async () => {
    expect((await upload("application/json", "{}")).status).toBe(415);
    expect((await upload(CSV, "id\n", "?mode=all")).status).toBe(400);
    const chunk = new Uint8Array(1024 * 1024).fill(0x20);
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        if (sent++ > 80) controller.close();
        else controller.enqueue(chunk);
      },
    });
    // The rest is not read: a sender that goes on is answered, or cut off.
    const large = await upload(LINES, endless, "", { duplex: "half" }).catch(() => ({
      status: 413,
    }));
    expect(large.status).toBe(413);
    const token = (
      await server.admin("POST", "/v1/admin/tokens", {
        role: "auditor",
        name: "a",
        sites: [shop.site_key_hash],
      })
    ).body.token;
    const headers = { authorization: `Bearer ${token}`, "content-type": CSV };
    expect((await upload(CSV, "id\n", "", { headers })).status).toBe(403);
  });

  test("in an unreadable file are not imported, and the owner gets the reason", async () => {
    const why = async (body: RequestInit["body"]) => {
      const { status, body: said } = await upload(CSV, body);
      return [status, said.message];
    };
    expect(await why("id,title,price,currency,stock\na,A,1,EUR,3\n")).toEqual([
      400,
      expect.stringContaining(
        "The header line has the unknown field “stock”. Products have: id, title",
      ),
    ]);
    expect(await why("id,title,price,currency,id\n")).toEqual([
      400,
      "The header line has id twice.",
    ]);
    const latin = Buffer.from("id,title,price,currency\na,V\xe4se,1,EUR\n", "latin1");
    expect(await why(latin as never)).toEqual([400, expect.stringContaining("is not UTF-8")]);
    expect(await ids()).toEqual([]);
    const bad = await upload(LINES, "{\n".repeat(5000));
    expect(bad.body).toMatchObject({ refused: 1000, written: 0, stopped: true });
    expect(bad.body.problems).toHaveLength(100);
  });

  test("are imported by one import at a time, while other requests are served, and never for a deleted site", async () => {
    let more = () => {};
    const slow = new ReadableStream({
      start(controller) {
        const line = (id: number) =>
          `${JSON.stringify({ id: `p${id}`, title: "P", price: "1", currency: "EUR" })}\n`;
        const text = (from: number) =>
          Array.from({ length: 300 }, (_, n) => line(from + n)).join("");
        controller.enqueue(new TextEncoder().encode(text(0)));
        more = () => {
          controller.enqueue(new TextEncoder().encode(text(300)));
          controller.close();
        };
      },
    });
    const first = upload(LINES, slow, "", { duplex: "half" });
    // The beginning is in the log before the first product is.
    for (;;) {
      const { items } = (await shop.admin("GET", "/audit/records?type=site.changed")).body;
      const kinds = items.map(
        ({ record }: { record: { change: { kind: string } } }) => record.change.kind,
      );
      if (kinds.includes("products_import_begun")) break;
    }
    const second = await upload(LINES, "{}");
    expect([second.status, second.body.error]).toEqual([409, "conflict"]);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    await shop.admin("DELETE", "");
    more();
    expect((await first).status).toBe(404);
    const sql = "SELECT COUNT(*) AS count FROM products WHERE site_key_hash = ?";
    const left = await server.context.db.get<{ count: number }>(sql, shop.site_key_hash);
    expect(Number(left?.count)).toBe(0);
  });

  test("are priced exactly for any quantity", async () => {
    const products = [
      { id: "cent", title: "C", price: "0.07", currency: "EUR" },
      { id: "gold", title: "G", price: "999999999999.99", currency: "EUR" },
      { id: "yen", title: "Y", price: "3", currency: "JPY" },
      { id: "dinar", title: "D", price: "1.005", currency: "KWD" },
    ];
    await shop.admin("PUT", "/products", { products });
    const price = async (...items: [string, number][]) => {
      const args = { items: items.map(([id, quantity]) => ({ id, quantity })) };
      const { context } = server;
      const request = { args, purpose: "order" } as const;
      const priced = await priceOrder(context, context.db, shop.site_key_hash, request);
      return priced.ok ? priced.value.amount : priced.reason;
    };
    expect(await price(["cent", 3])).toEqual({ currency: "EUR", minor: 21 });
    expect(await price(["cent", 1000])).toEqual({ currency: "EUR", minor: 7000 });
    expect(await price(["yen", 999])).toEqual({ currency: "JPY", minor: 2997 });
    expect(await price(["dinar", 3])).toEqual({ currency: "KWD", minor: 3015 });
    expect(await price(["gold", 91])).toBe("cart_invalid");
    expect(await price(["yen", 1], ["cent", 1])).toBe("cart_invalid");
    expect(await price(["yen", 1001])).toBe("cart_invalid");
  });
});
