import { afterAll, describe, expect, test } from "vitest";
import { skipChromium } from "../../../test/chromium.ts";
import {
  type FeedServer,
  item,
  rss,
  startFeedServer,
} from "../../server/test/selling/feed-server.ts";
import { guessMapping, linesOf, readPrice, readTable } from "../src/products/read-file.ts";
import { desk } from "./desk.ts";

test.each([
  ["4,50", "4.50", undefined],
  ["1.234,50 €", "1234.50", "EUR"],
  ["$1,234.50", "1234.50", undefined],
  ["1.234", "1234", undefined],
  ["0,125", "0.125", undefined],
  ["12", "12", undefined],
  ["9.99 GBP", "9.99", "GBP"],
])("a price written as %s is %s", (text, price, currency) => {
  expect(readPrice(text)).toEqual(currency === undefined ? { price } : { price, currency });
});

test("a table with semicolons and other names for its columns is read as products", async () => {
  const file = new Blob(["\ufeffSKU;Name;Preis;Bestand\nrose;Rote Rose;4,50;12\n;;;\n"]);
  const read = await readTable(file);
  const mapping = guessMapping(read.columns);
  expect(mapping).toEqual({ id: "SKU", title: "Name", price: "Preis", quantity: "Bestand" });
  expect(linesOf(read, mapping, "EUR")).toEqual([
    { id: "rose", title: "Rote Rose", price: "4.50", currency: "EUR", quantity: "12" },
  ]);
});

test("a table that a spreadsheet saved in an older encoding keeps its letters", async () => {
  const bytes = Buffer.from("sku;name;price\nm;M\xfcsli;3,20\n", "latin1");
  const { rows } = await readTable(new Blob([bytes]));
  expect(rows[0]?.name).toBe("Müsli");
});

describe.skipIf(skipChromium)("products at the console:", () => {
  let feeds: FeedServer;
  afterAll(() => feeds.stop());
  const at = desk({
    env: async () => {
      feeds = await startFeedServer();
      return { GATEHOUSE_FETCH_ALLOW: feeds.host };
    },
  });
  const CSV = ["sku;name;stock;price", "tulip;Tulip;30;2,80", "rose;Red rose;;11,00", "bad;;1;x"];

  test("one is added, changed, paused and removed in forms", async () => {
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/products");
    await page.getByRole("link", { name: "Add a product" }).click();
    await page.getByLabel("Name").fill("White lily");
    await page.getByLabel("Price").fill("3,20");
    await page.getByLabel("Stock").fill("8");
    await page.getByRole("button", { name: "Add product" }).click();
    await page.getByRole("link", { name: "White lily" }).click();
    await page.getByLabel("Price").fill("3.50");
    await page.getByLabel("Pause this product").check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("row", { name: /White lily.*€3\.50 Paused/ }).waitFor();
    await page.getByRole("link", { name: "White lily" }).click();
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByRole("heading", { name: "Products" }).waitFor();
    await page.getByRole("link", { name: "White lily" }).waitFor({ state: "detached" });
  });

  test("a wrong value is refused beside the form, and nothing is lost", async () => {
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/products/new");
    await page.getByLabel("Name").fill("White lily");
    await page.getByLabel("Price").fill("cheap");
    await page.getByRole("button", { name: "Add product" }).click();
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").textContent()).toContain("price: ");
    expect(await page.getByLabel("Name").inputValue()).toBe("White lily");
  });

  test("a messy file shows what it would change before it is written, and can be undone", async () => {
    const { page } = await at.opened();
    const rose = { id: "rose", title: "A rose", price: "10.00", currency: "EUR" };
    await at.at.importLines(at.shop, [rose]);
    await at.signedIn(page, "owner", "/products");
    await page.locator('input[type="file"]').setInputFiles({
      name: "flowers.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(CSV.join("\n")),
    });
    await page.getByText("New: Tulip, 2.80 EUR, stock 30").waitFor();
    await page.getByText("Red rose: name: A rose → Red rose, price: 10.00 → 11.00").waitFor();
    const before = (await at.shop.admin("GET", "/products?q=tulip")).body.items;
    expect(before).toEqual([]);
    await page.getByRole("button", { name: "Import 3 products" }).click();
    await page.getByText("2 products saved, 1 line refused").waitFor();
    await page.getByText("Line 3: title: is missing").waitFor();
    await page.getByRole("link", { name: "Tulip" }).waitFor();
    await page.getByRole("button", { name: "Undo this import" }).click();
    await page.getByText("The import was undone.").waitFor();
    const { items } = (await at.shop.admin("GET", "/products?q=rose")).body;
    expect(items.find(({ id }: { id: string }) => id === "rose").price.minor).toBe(1000);
    expect((await at.shop.admin("GET", "/products?q=tulip")).body.items).toEqual([]);
  });

  test("several are paused at once", async () => {
    const { page } = await at.opened();
    const line = (id: string) => ({ id, title: `Flower ${id}`, price: "1.00", currency: "EUR" });
    await at.at.importLines(at.shop, [line("one"), line("two")]);
    await at.signedIn(page, "owner", "/products?q=Flower");
    await page.getByLabel("Select Flower one").check();
    await page.getByLabel("Select Flower two").check();
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await page.getByRole("row", { name: /Flower two.*Paused/ }).waitFor();
    const { items } = (await at.shop.admin("GET", "/products?q=Flower")).body;
    expect(items.map(({ paused }: { paused: boolean }) => paused)).toEqual([true, true]);
  });

  test("a feed is set, fetched, applied with fewer products and removed", async () => {
    const { page, complaints } = await at.opened();
    await at.signedIn(page, "owner", "/products");
    await page.getByLabel("Address of the feed").fill(feeds.url);
    await page.getByLabel("Fetch it").selectOption("Every 6 hours");
    await page.getByRole("button", { name: "Save feed", exact: true }).click();
    await page.getByText("Not fetched yet").waitFor();
    feeds.answer = rss(item("f1"), item("f2"), item("f3"), item("f4", { price: "free EUR" }));
    await page.getByRole("button", { name: "Fetch now" }).click();
    await page.getByText("3 added, 1 refused").waitFor();
    await page.getByText("Google feed (XML)").waitFor();
    await page.getByText(/^Line \d+: f4: price: /).waitFor();
    await page.getByRole("link", { name: "Flower f2" }).waitFor();
    feeds.answer = rss(item("f1"));
    await page.getByRole("button", { name: "Fetch now" }).click();
    await page.getByText("1 instead of 3").waitFor();
    await page.getByRole("button", { name: "Apply anyway" }).click();
    await page.getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByText("2 paused").waitFor();
    await page.getByRole("button", { name: "Remove feed" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByLabel("Address of the feed").waitFor();
    expect(complaints).toEqual([]);
  });

  test("feeds are published, and the page shows where they are", async () => {
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/products");
    await page.getByLabel("Google feed").check();
    await page.getByLabel("Condition of your products").selectOption("Used");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const address = (await page.getByText(/\/google\.xml$/).textContent()) ?? "";
    expect(await (await fetch(address)).text()).toContain("<g:condition>used</g:condition>");
  });
});
