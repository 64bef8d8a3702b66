import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fetchDueFeeds } from "../../src/actions/product-feeds/fetch-due-feeds.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { DatabaseUnavailableError } from "../../src/infra/db/database.ts";
import {
  cleanUp,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import { type Shop, submitting } from "../mandates/submitting.ts";
import { type FeedServer, item, rss, startFeedServer } from "./feed-server.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe.each(TIER_DATABASES)("the product feed of a site, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let feeds: FeedServer;
  let server: TestServer;
  let shop: Shop;
  /** After how many records of the log writing one fails; 0 if none does. */
  let failsAt = 0;
  const crashPoint = (point: string) => {
    if (point !== "audit.records_written" || failsAt === 0) return;
    if (--failsAt === 0) throw new DatabaseUnavailableError("gone");
  };
  async function start(env: TestServer["env"]) {
    server = await startServer(env, { clock, crashPoint });
    await server.context.jobs.stop();
  }
  beforeAll(async () => {
    feeds = await startFeedServer();
    const env = { ...(await freshEnvironment(dialect)), GATEHOUSE_FETCH_ALLOW: feeds.host };
    await start(env);
    return async () => {
      feeds.stop();
      await cleanUp();
    };
  });
  beforeEach(async () => {
    shop = await submitting(server).shop(null);
  });

  async function restart() {
    await server.stop();
    await start(server.env);
    const admin: Shop["admin"] = (method, path, body) =>
      server.admin(method, `/v1/admin/sites/${shop.site_key_hash}${path}`, body);
    shop = { ...shop, admin };
  }
  const address = () => `${feeds.url}/${shop.site_key_hash}`;
  const set = (more: object = {}) =>
    shop.admin("PUT", "/product-feed", { url: address(), ...more });
  const requests = () => feeds.requests.filter(({ url }) => url?.includes(shop.site_key_hash));
  const fetchNow = async (body: object = {}) =>
    (await shop.admin("POST", "/product-feed/fetch", body)).body;
  /** Serves this feed, fetches it and returns the result. */
  const fetched = async (answer: FeedServer["answer"], body: object = {}) => {
    feeds.answer = answer;
    return (await fetchNow(body)).last_result;
  };
  const listed = async () => (await shop.admin("GET", "/products?limit=200")).body.items;
  const ids = async () => (await listed()).map(({ id }: { id: string }) => id);
  const records = async () => {
    const { items } = (await shop.admin("GET", "/audit/records?type=site.changed")).body;
    return items.map(({ record }: { record: { change: { kind: string } } }) => record.change);
  };

  test("adds, changes, pauses, resumes and removes products, and records what it does", async () => {
    await shop.admin("PUT", "/products", {
      products: [{ id: "own", title: "Mine", price: "1", currency: "EUR" }],
    });
    expect((await set({ every_hours: 6 })).body).toMatchObject({ format: null, last_result: null });
    const extra = {
      description: "Red &amp;lt;b&amp;gt; &lt;b&gt;roses&lt;/b&gt;",
      availability: "in stock",
      link: "https://shop.example.com/rose",
      quantity: "4",
      sale_price: "2.00 EUR",
      shipping: "<g:price>9.99 EUR</g:price>",
    };
    const first = await fetched(rss(item("rose", extra), item("vase"), item("lily")));
    expect(first).toMatchObject({ outcome: "applied", listed: 3, added: 3, changed: 0, paused: 0 });
    expect(await listed()).toMatchObject([
      { id: "lily" },
      { id: "own" },
      { id: "rose", description: "Red <b> roses", price: { minor: 200 }, quantity: 4 },
      { id: "vase", url: null },
    ]);
    expect((await shop.admin("GET", "/product-feed")).body.format).toBe("google_xml");

    const [changedAt] = (await listed()).map((one: { changed_at: string }) => one.changed_at);
    clock.advance(1000);
    const second = await fetched(rss(item("rose", { ...extra, quantity: "3" }), item("lily")));
    expect(second).toMatchObject({
      outcome: "applied",
      added: 0,
      changed: 1,
      paused: 1,
      removed: 0,
    });
    expect(await listed()).toMatchObject([
      { id: "lily", changed_at: changedAt },
      { id: "own", paused: false },
      { id: "rose", quantity: 3 },
      { id: "vase", paused: true },
    ]);
    expect((await records()).slice(0, 2)).toMatchObject([
      { kind: "product_feed_applied", added: 0, changed: 1, paused: 1, removed: 0, total: 4 },
      { kind: "product_feed_begun", added: 0, changed: 1, paused: 1 },
    ]);

    const count = (await records()).length;
    const same = await fetched(rss(item("rose", { ...extra, quantity: "3" }), item("lily")));
    expect(same).toMatchObject({ outcome: "unchanged", listed: 2 });
    expect(await records()).toHaveLength(count);

    await fetched(rss(item("rose"), item("lily"), item("vase")));
    expect((await listed()).find(({ id }: { id: string }) => id === "vase").paused).toBe(false);
    await fetched(rss(item("rose"), item("lily")));
    clock.advance(31 * DAY_MS);
    expect(await fetched(rss(item("rose"), item("lily")))).toMatchObject({ removed: 1 });
    expect(await ids()).toEqual(["lily", "own", "rose"]);
  });

  test("brings the attributes of its items, leaves out wrong ones, and ends its sales", async () => {
    await set();
    const at = (hours: number) => new Date(clock.now() + hours * HOUR_MS).toISOString();
    const tee = {
      brand: "Rosa",
      gtin: "4006381333931",
      mpn: "RS-12",
      google_product_category: "212",
      product_type: "Clothing &gt; Shirts",
      item_group_id: "tee",
      color: "Red",
      size: "M",
      sale_price: "2.00 EUR",
      sale_price_effective_date: `${at(-1)}/${at(1)}`,
    };
    const pictures = [1, 2].map(
      (n) => `<g:additional_image_link>https://a.example.com/${n}</g:additional_image_link>`,
    );
    const whole = item("tee", tee).replace("</item>", `${pictures.join("")}</item>`);
    const wrong = {
      gtin: "123",
      identifier_exists: "no",
      brand: "x".repeat(101),
      sale_price: "9.00 EUR",
    };
    expect(await fetched(rss(whole, item("wrong", wrong)))).toMatchObject({ added: 2, refused: 0 });
    expect(await listed()).toMatchObject([
      {
        brand: "Rosa",
        gtin: "4006381333931",
        mpn: "RS-12",
        category: "Clothing > Shirts",
        item_group_id: "tee",
        options: { Color: "Red", Size: "M" },
        additional_image_urls: ["https://a.example.com/1", "https://a.example.com/2"],
        price: { minor: 200 },
        regular_price: { minor: 250 },
        sale_until: at(1),
      },
      {
        brand: null,
        gtin: null,
        identifier_exists: false,
        sale_price: null,
        price: { minor: 250 },
      },
    ]);
    expect(await fetched(rss(whole, item("wrong", wrong)))).toMatchObject({ outcome: "unchanged" });
    // A sale that cannot be read, or costs nothing, does not keep a product from being sold.
    for (const sale_price of ["1.00 USD", "1,50 EUR", "0.00 EUR"]) {
      const items = rss(whole, item("wrong", { ...wrong, sale_price }));
      expect(await fetched(items)).toMatchObject({ refused: 0 });
      expect(await listed()).toMatchObject([{}, { sale_price: null, price: { minor: 250 } }]);
    }
    const { sale_price: _, sale_price_effective_date: __, ...over } = tee;
    expect(await fetched(rss(item("tee", over), item("wrong")))).toMatchObject({ changed: 1 });
    expect(await listed()).toMatchObject([{ brand: "Rosa", price: { minor: 250 } }, {}]);
  });

  test("leaves alone what the owner paused or resumed by hand", async () => {
    await set();
    await fetched(rss(item("a"), item("b"), item("c")));
    await shop.admin("PATCH", "/products?id=a", { paused: true });
    await fetched(rss(item("c"), item("b", { title: "New" })));
    await fetched(rss(item("a"), item("b"), item("c")));
    expect(await listed()).toMatchObject([{ id: "a", paused: true }, { paused: false }, {}]);
    await fetched(rss(item("b"), item("c")));
    await fetched(rss(item("a", { title: "Back" }), item("c")));
    await shop.admin("PATCH", "/products?id=b", { paused: false });
    clock.advance(31 * DAY_MS);
    expect(await fetched(rss(item("a"), item("c")))).toMatchObject({ removed: 0, paused: 0 });
    expect(await listed()).toMatchObject([{ id: "a" }, { id: "b", paused: false }, { id: "c" }]);
  });

  test("is not applied while it is empty or lists less than half, unless the owner accepts it", async () => {
    await set();
    const many = Array.from({ length: 10 }, (_, place) => item(`p${place}`));
    await fetched(rss(...many));
    const few = await fetched(rss(...many.slice(0, 4)));
    expect(few).toMatchObject({ outcome: "not_applied", listed: 4, paused: 0 });
    expect(few.message).toContain("less than half of its products: 4 instead of 10");
    expect(await fetched(rss(), { accept_fewer: true })).toMatchObject({ outcome: "not_applied" });
    expect((await listed()).every(({ paused }: { paused: boolean }) => !paused)).toBe(true);
    const accepted = await fetched(rss(...many.slice(0, 4)), { accept_fewer: true });
    expect(accepted).toMatchObject({ outcome: "applied", paused: 6 });
  });

  test("is fetched on schedule, once by all nodes, and not read again while it is unchanged", async () => {
    await set({ every_hours: 6 });
    feeds.answer = ({ headers }, response) => {
      if (headers["if-none-match"] === '"one"') return response.writeHead(304).end();
      return response.setHeader("etag", '"one"').end(rss(item("a"), item("b")));
    };
    const due = () => fetchDueFeeds(server.context, () => false);
    await Promise.all([due(), due()]);
    expect([requests().length, await ids()]).toEqual([1, ["a", "b"]]);
    clock.advance(5 * HOUR_MS);
    await due();
    expect(requests()).toHaveLength(1);
    clock.advance(HOUR_MS);
    await due();
    const { last_result, next_fetch_at } = (await shop.admin("GET", "/product-feed")).body;
    expect(last_result).toMatchObject({ outcome: "unchanged", listed: 2 });
    expect(Date.parse(next_fetch_at)).toBe(clock.now() + 6 * HOUR_MS);
    feeds.answer = (_request, response) => response.writeHead(503).end();
    clock.advance(6 * HOUR_MS);
    await due();
    const failed = (await shop.admin("GET", "/product-feed")).body;
    expect(failed.last_result).toMatchObject({
      outcome: "failed",
      message: "The server of the feed answered 503.",
    });
    expect(Date.parse(failed.next_fetch_at)).toBe(clock.now() + HOUR_MS);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    for (const result of ["applied", "unchanged", "failed"]) {
      expect(metrics).toMatch(
        new RegExp(`^gatehouse_feed_fetches_total\\{result="${result}"\\} [1-9]`, "m"),
      );
    }
    expect((await listed()).every(({ paused }: { paused: boolean }) => !paused)).toBe(true);
  });

  test("reports items with errors by their line, and keeps what it knows of them", async () => {
    await set();
    await fetched(rss(item("a"), item("b"), item("c")));
    const broken = rss(
      item("a", { price: "free EUR" }),
      item("b"),
      item("c"),
      item("b"),
      "<item/>",
    );
    const result = await fetched(broken);
    expect(result).toMatchObject({ outcome: "unchanged", refused: 3, listed: 2 });
    expect(result.problems).toEqual([
      { line: 3, problem: expect.stringContaining("a: price: ") },
      { line: 12, problem: "b: id: is already in an earlier line" },
      { line: 15, problem: "id: is missing" },
    ]);
    expect(await ids()).toEqual(["a", "b", "c"]);
  });

  test("with an error that shows no id pauses and removes nothing, and says so", async () => {
    await set();
    const tsv = (...rows: readonly string[]) => ["id\ttitle\tprice", ...rows, ""].join("\n");
    const row = (n: number) => `p${n}\tPot 5" ${n}\t2.50 EUR`;
    const rows = Array.from({ length: 20 }, (_, n) => row(n));
    const off = async () =>
      (await listed())
        .filter(({ paused }: { paused: boolean }) => paused)
        .map(({ id }: { id: string }) => id);
    await fetched(tsv(...rows));
    // Faults that show the id: the product keeps its values, and p19 is known to be missing.
    const shown = [
      `p11\t${"x".repeat(70_000)}\t2.50 EUR`,
      'p11\t"Pot\t2.50 EUR',
      `${row(11)}\tmore`,
      "p11\tPot",
    ];
    for (const fault of shown) {
      expect(await fetched(tsv(...rows))).toMatchObject({ refused: 0, paused: 0 });
      const broken = await fetched(tsv(...rows.with(11, fault).slice(0, 19)));
      expect(broken).toMatchObject({ listed: 18, refused: 1, paused: 1, message: null });
      expect(broken.problems).toEqual([{ line: 13, problem: expect.stringMatching(/^p11: has /) }]);
      expect(await off()).toEqual(["p19"]);
    }
    const line = (n: number) =>
      JSON.stringify({ id: `p${n}`, title: `Pot ${n}`, price: "2", currency: "EUR" });
    const lines = rows.map((_, n) => line(n));
    const big = (id: string) => item(id, { description: "x".repeat(70_000) });
    const items = rows.map((_, n) => item(`p${n}`));
    const other = `<item><g:description>${"x".repeat(40_000)}</g:description>`;
    const hidden: readonly (readonly [string, string])[] = [
      [tsv(...rows), tsv(...rows.with(11, `Pot\tp11\tred\t2.50 EUR`).slice(0, 19))],
      [tsv(...rows), tsv(...rows.with(11, `${row(11)}${row(12)}`).toSpliced(12, 1))],
      [tsv(...rows), tsv(...rows.with(11, `p12\t2.50 EUR`).slice(0, 19))],
      [tsv(...rows), tsv(...rows.with(11, `\tPot\t2.50 EUR`).slice(0, 19))],
      [lines.join("\n"), lines.with(11, line(11).slice(1)).slice(0, 19).join("\n")],
      [lines.join("\n"), lines.with(11, "[]").slice(0, 19).join("\n")],
      [rss(...items), rss(...items.with(11, `${other}${other.slice(6)}</item>`).slice(0, 19))],
      [rss(...items), rss(...items.with(11, big("new")).slice(0, 19))],
    ];
    for (const [good, fault] of hidden) {
      expect(await fetched(good)).toMatchObject({ refused: 0, paused: 0 });
      const broken = await fetched(fault);
      expect(broken).toMatchObject({ refused: 1, paused: 0, outcome: "unchanged" });
      expect(broken.message).toContain("Missing products stay on sale for now");
      expect(await off()).toEqual([]);
    }
    const known = await fetched(rss(...items.with(11, big("p11")).slice(0, 19)));
    expect(known).toMatchObject({ refused: 1, paused: 1, message: null });
    expect(known.problems).toMatchObject([{ problem: "p11: has more than 65536 characters" }]);

    clock.advance(31 * DAY_MS);
    const renamed = item("p0", { title: "New" });
    expect(await fetched(rss(renamed, ...items.slice(1, 19), "<item/>"))).toMatchObject({
      outcome: "applied",
      changed: 1,
      removed: 0,
    });
    expect((await records())[1]).toMatchObject({ kind: "product_feed_begun", removed: 0 });
    await fetched(rss(...items.slice(0, 19), "<item/>"));
    const kept = await fetched(rss(...items.slice(0, 19), "<item/>"));
    expect(kept).toMatchObject({ removed: 0, refused: 1, outcome: "unchanged" });
    expect(kept.message).toContain("Missing products stay on sale for now");
    feeds.answer = (_request, response) => response.writeHead(304).end();
    expect((await fetchNow()).last_result).toMatchObject({ message: kept.message, refused: 1 });
    expect(await fetched(rss(...items.slice(0, 19)))).toMatchObject({ removed: 1, message: null });
    // Nothing is missing, so there is nothing to say.
    expect(await fetched(rss(...items.slice(0, 19), "<item/>"))).toMatchObject({ message: null });
  });

  test("pauses what was missing for a whole day, even if an item shows no id, and notifies the owner", async () => {
    await set();
    const receiver = { webhook_url: `http://${feeds.host}/owner`, emails: [] };
    expect((await shop.admin("PUT", "/notifications", receiver)).status).toBe(200);
    const notices = async () =>
      (await shop.admin("GET", "/messages")).body.items.map(
        ({ topic }: { topic: string }) => topic,
      );
    const off = async () =>
      (await listed())
        .filter(({ paused }: { paused: boolean }) => paused)
        .map(({ id }: { id: string }) => id);
    const items = Array.from({ length: 8 }, (_, n) => item(`p${n}`));
    const without = (...missing: number[]) =>
      rss(...items.filter((_, n) => !missing.includes(n)), "<item/>");
    const tagged = (feed: string): FeedServer["answer"] => {
      return ({ headers }, response) => {
        response.setHeader("etag", '"1"');
        response.statusCode = headers["if-none-match"] === undefined ? 200 : 304;
        response.end(response.statusCode === 200 ? feed : "");
      };
    };
    await fetched(rss(...items));
    const first = await fetched(tagged(without(1, 2)));
    expect(first).toMatchObject({ paused: 0, outcome: "unchanged" });
    expect(first.message).toContain("after 24 hours, missing products are paused");
    expect([await off(), await notices()]).toEqual([[], ["products.missing"]]);
    // p2 was there for a while, and p3 is missing for a few hours only.
    clock.advance(12 * HOUR_MS);
    expect(await fetched(without(1))).toMatchObject({ paused: 0 });
    clock.advance(6 * HOUR_MS);
    feeds.answer = (_request, response) => response.writeHead(500).end();
    expect(await fetchNow()).toMatchObject({ last_result: { outcome: "failed" } });
    expect(await fetched(without(0, 1, 2, 3, 4, 5))).toMatchObject({ outcome: "not_applied" });
    expect(await fetched(tagged(without(1, 2, 3)))).toMatchObject({ paused: 0 });
    clock.advance(6 * HOUR_MS - 1);
    expect(await fetched(tagged(without(1, 2, 3)))).toMatchObject({ paused: 0 });
    expect(await notices()).toHaveLength(1);
    clock.advance(1);
    // The feed is the same, and is read again all the same.
    const last = await fetched(tagged(without(1, 2, 3)));
    expect(last).toMatchObject({ paused: 1, outcome: "applied" });
    expect(last.message).toContain("Products missing for 24 hours were paused");
    expect([await off(), (await notices()).length]).toEqual([["p1"], 2]);
    expect((await records())[0]).toMatchObject({ kind: "product_feed_applied", paused: 1 });
    clock.advance(DAY_MS);
    expect(await fetched(without(1, 2, 3))).toMatchObject({ paused: 2 });
    // The item can be read again: p3 is back, and nothing else is kept on sale.
    expect(await fetched(rss(...items.slice(3)))).toMatchObject({ paused: 1, message: null });
    expect(await off()).toEqual(["p0", "p1", "p2"]);
    clock.advance(31 * DAY_MS);
    expect(await fetched(without(0, 1, 2))).toMatchObject({ removed: 0 });
    clock.advance(DAY_MS);
    expect(await fetched(without(0, 1, 2))).toMatchObject({ removed: 3, paused: 0 });
    expect(await fetched(without(0, 1, 2))).toMatchObject({ message: null });
  });

  test("notifies the owner once of what was paused, even if the fetch failed right after that", async () => {
    await set();
    const receiver = { webhook_url: `http://${feeds.host}/owner`, emails: [] };
    expect((await shop.admin("PUT", "/notifications", receiver)).status).toBe(200);
    const notices = async () => {
      const rows = await server.context.db.all<{ body: string }>(
        "SELECT body FROM outbox WHERE site_key_hash = ? ORDER BY created_at, message_id",
        shop.site_key_hash,
      );
      return rows.map(({ body }) => {
        const { count, state } = JSON.parse(body).missing;
        return [count, state];
      });
    };
    // More than one batch of them is paused.
    const items = Array.from({ length: 500 }, (_, n) => item(`p${n}`));
    const broken = rss(...items.slice(0, 260), "<item/>");
    await fetched(rss(...items));
    await fetched(broken);
    expect(await notices()).toEqual([[240, "on_sale"]]);
    clock.advance(DAY_MS);
    // The records of its beginning and its end, of which the second fails.
    failsAt = 2;
    expect(await fetched(broken)).toMatchObject({ outcome: "failed", paused: 0 });
    expect(failsAt).toBe(0);
    expect((await listed()).filter(({ paused }: { paused: boolean }) => paused)).not.toEqual([]);
    expect(await fetched(broken)).toMatchObject({ outcome: "unchanged", paused: 0 });
    expect(await fetched(broken)).toMatchObject({ outcome: "unchanged", paused: 0 });
    expect(await notices()).toEqual([
      [240, "on_sale"],
      [240, "paused"],
    ]);
  });

  test("is not read further than its thousandth error", async () => {
    await set();
    await fetched(rss(item("a")));
    let sent = 0;
    const bad = await fetched((_request, response) => {
      response.write("id\ttitle\tprice\n");
      const send = () => {
        for (; sent < 2000 && !response.destroyed; ) {
          sent++;
          if (!response.write("x\n".repeat(32_768))) return void response.once("drain", send);
        }
        response.end();
      };
      send();
    });
    expect(bad).toMatchObject({ outcome: "not_applied", refused: 1000, paused: 0 });
    expect(sent).toBeLessThan(1000);
  });

  test("can be Atom, a table, Shopify's list with pages, or JSON lines", async () => {
    await set();
    const atom = `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:g="http://base.google.com/ns/1.0">
      <entry><g:id>atom</g:id><title>T</title><summary>S</summary><link href="https://a.example.com/"/>
      <g:price>3.00 EUR</g:price><g:availability>https://schema.org/OutOfStock</g:availability></entry></feed>`;
    expect(await fetched(atom)).toMatchObject({ added: 1 });
    expect(await listed()).toMatchObject([
      { description: "S", url: "https://a.example.com/", availability: "out_of_stock" },
    ]);
    const tsv = `id\ttitle\tprice\tImage Link\tcustom_label\ntable\t5" pot\t2 EUR\thttps://a.example.com/i\tx\natom\tT\t3 EUR\t\t\n`;
    expect(await fetched(tsv)).toMatchObject({ added: 1, refused: 0 });
    expect((await listed())[1]).toMatchObject({
      title: '5" pot',
      image_url: "https://a.example.com/i",
    });
    const line = (id: string) =>
      JSON.stringify({ id, title: "L", price: "1", currency: "EUR", quantity: 2 });
    expect(await fetched([line("atom"), line("table"), "{"].join("\n"))).toMatchObject({
      changed: 2,
      refused: 1,
      problems: [{ line: 3 }],
    });

    await set({ currency: "EUR", every_hours: 1 });
    const variants = (from: number) =>
      [from, from + 1].map((id) => ({ id, title: `S${id}`, price: "9.90", available: id !== 11 }));
    const pages = [
      [{ id: 1, title: "Tee", handle: "tee", body_html: "<p>Soft</p>", variants: variants(11) }],
      [
        {
          id: 2,
          title: "Cap",
          handle: "cap",
          vendor: "Rosa",
          product_type: "Hats",
          options: [{ name: "Size" }],
          variants: variants(21).map((one) => ({
            ...one,
            option1: `S${one.id}`,
            barcode: "4006381333931",
            sku: one.id === 21 ? "CAP-21" : "",
            compare_at_price: one.id === 21 ? "12.00" : "9.90",
          })),
          images: [{ src: "//c.example/x" }, { src: "//c.example/y" }],
        },
      ],
    ];
    const result = await fetched(({ url }, response) => {
      const page = Number(new URL(url ?? "", feeds.url).searchParams.get("page") ?? 1);
      response.end(JSON.stringify({ products: pages[page - 1] ?? [] }));
    });
    expect(result).toMatchObject({ added: 4, paused: 2, refused: 0 });
    expect(await listed()).toMatchObject([
      { id: "11", title: "Tee – S11", description: "Soft", availability: "out_of_stock" },
      { id: "12", url: `https://${feeds.host}/products/tee?variant=12` },
      {
        id: "21",
        image_url: "https://c.example/x",
        additional_image_urls: ["https://c.example/y"],
        price: { minor: 990 },
        regular_price: { minor: 1200 },
        brand: "Rosa",
        gtin: "4006381333931",
        sku: "CAP-21",
        category: "Hats",
        item_group_id: "2",
        options: { Size: "S21" },
      },
      { id: "22", price: { minor: 990 }, sale_price: null, options: { Size: "S22" } },
      {},
      {},
    ]);
  });

  test("takes no longer for a long text because it has many variants", async () => {
    await set({ currency: "EUR" });
    const variants = Array.from({ length: 300 }, (_, id) => ({ id: id + 1, price: "1.00" }));
    const long = (text: string) => text.repeat(4_000_000 / text.length);
    const product = {
      id: 1,
      title: "Tee",
      handle: "tee",
      body_html: long("<b>a</b> "),
      images: Array.from({ length: 50_000 }, (_, n) => ({ src: `https://c.example/${n}` })),
      options: Array.from({ length: 50_000 }, (_, n) => ({ name: `Option ${n}` })),
      variants,
    };
    const page = JSON.stringify({ products: [product] });
    let longestMs = 0;
    let before = performance.now();
    const watching = setInterval(() => {
      const now = performance.now();
      longestMs = Math.max(longestMs, now - before);
      before = now;
    }, 5);
    const result = await fetched(page);
    clearInterval(watching);
    expect(result).toMatchObject({ listed: 300, refused: 0 });
    // All other requests wait meanwhile.
    expect(longestMs).toBeLessThan(5000);
    const [first] = await listed();
    expect(first).toMatchObject({ title: "Tee", additional_image_urls: { length: 10 } });
    expect([...first.description]).toHaveLength(5000);
  });

  test("is refused if its address is not a public one", async () => {
    for (const url of ["http://shop.example.com/", "https://127.0.0.1/", "https://a@b.example/"]) {
      expect([url, (await set({ url })).status]).toEqual([url, 400]);
    }
    await set();
    const redirect = await fetched((_request, response) =>
      response.writeHead(302, { location: "http://169.254.169.254/latest" }).end(),
    );
    expect(redirect).toMatchObject({ outcome: "failed" });
    expect(redirect.message).toMatch(/could not be fetched: the address is not https/);
  });

  test("that is hostile changes nothing", async () => {
    await set();
    await fetched(rss(item("a")));
    const why = async (answer: FeedServer["answer"]) => {
      const { outcome, message } = await fetched(answer);
      return [outcome, message];
    };
    const declaring = (entities: string, feed: string) =>
      feed.replace("?>", `?><!DOCTYPE rss [${entities}]>`);
    const bomb = declaring('<!ENTITY a "ha"><!ENTITY b "&a;&a;">', rss(item("&b;")));
    expect(await why(bomb)).toEqual(["failed", expect.stringContaining("undefined entity")]);
    const outer = declaring('<!ENTITY x SYSTEM "file:///etc/passwd">', rss(item("&x;")));
    expect(await why(outer)).toEqual(["failed", expect.stringContaining("undefined entity")]);
    expect(await why(rss(item("b", { title: "x".repeat(200_000) })))).toEqual([
      "failed",
      expect.stringContaining("too long"),
    ]);
    expect(await why(`<rss>${"<a>".repeat(100)}`)).toEqual([
      "failed",
      expect.stringContaining("nested too deeply"),
    ]);
    expect(await why(rss(item("b")).slice(0, -10))).toEqual(["failed", expect.any(String)]);
    expect(await why("<!DOCTYPE html><html>")).toEqual([
      "failed",
      expect.stringContaining("web page"),
    ]);
    const many = "<g:description>x</g:description>".repeat(70_000);
    expect(await fetched(rss(`<item>${many}</item>`, item("a")))).toMatchObject({
      outcome: "unchanged",
      problems: [{ problem: expect.stringContaining("more than 65536 characters") }],
    });
    const name = (place: number) => `${"n".repeat(60_000)}${place}`;
    const names = Array.from({ length: 60 }, (_, n) => `<g:${name(n)}>x</g:${name(n)}>`);
    expect(await fetched(rss(item("a", { description: names.join("") })))).toMatchObject({
      outcome: "not_applied",
      problems: [{ problem: "a: has more than 65536 characters" }],
    });
    const own = item("a").replace("</item>", `${names.join("")}</item>`);
    expect(await fetched(rss(item("b"), own))).toMatchObject({
      added: 1,
      problems: [{ problem: "a: has more than 65536 characters" }],
    });
    await shop.admin("DELETE", "/products?id=b");
    expect(await why("{\n".repeat(2000))).toEqual([
      "not_applied",
      expect.stringContaining("more than 999 items"),
    ]);
    const evil = item("a", {
      title: "&lt;script&gt;alert(1)&lt;/script&gt;Rose",
      image_link: "javascript:alert(1)",
    });
    expect(await fetched(rss(evil))).toMatchObject({
      problems: [{ problem: expect.stringContaining("image_url") }],
    });
    expect(await listed()).toMatchObject([{ id: "a", title: "Flower a", paused: false }]);
    const folder = join(server.context.config.dataDir, "feeds");
    expect(existsSync(folder) && readdirSync(folder)).toEqual([]);
  });

  test("can be removed, and the products stay", async () => {
    await set();
    await fetched(rss(item("a"), item("b")));
    expect((await shop.admin("DELETE", "/product-feed")).status).toBe(204);
    expect((await shop.admin("GET", "/product-feed")).status).toBe(404);
    expect(await ids()).toEqual(["a", "b"]);
  });

  // The last one: a server that a test starts stops with the test.
  test("is fetched again after a restart that came while it was applied", async () => {
    await set();
    feeds.answer = (_request, response) =>
      response.setHeader("etag", '"one"').end(rss(item("a"), item("b")));
    const { db } = server.context;
    // What a crash after the first batch leaves: the lease, and a product that is not marked yet.
    await db.run("UPDATE product_feeds SET claimed_until = ?", clock.now() + HOUR_MS);
    await shop.admin("POST", "/products", {
      id: "a",
      title: "Flower a",
      price: "2.50",
      currency: "EUR",
    });
    expect((await shop.admin("POST", "/product-feed/fetch", {})).status).toBe(409);
    await restart();
    clock.advance(2 * HOUR_MS);
    expect(await fetchNow()).toMatchObject({ last_result: { added: 1, changed: 1 } });
    await restart();
    feeds.answer = rss(item("b"));
    expect(await fetchNow()).toMatchObject({ last_result: { paused: 1 } });
    expect(requests().at(-1)?.headers["if-none-match"]).toBe('"one"');
  });
});
