import { deflateSync } from "node:zlib";
import type { Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { barriersOf, NO_BARRIERS } from "../../../test/barriers.ts";
import { skipChromium } from "../../../test/chromium.ts";
import { PNG, pngChunk } from "../../server/test/pictures/sample-pictures.ts";
import {
  type FeedServer,
  item,
  rss,
  startFeedServer,
} from "../../server/test/selling/feed-server.ts";
import { guessMapping, linesOf, readJsonLines, readTable } from "../src/products/read-file.ts";
import { quantityReader, readPrice } from "../src/products/read-price.ts";
import { typedAmount } from "../src/ui/words.ts";
import { desk, JOURNEY_VIEWS, journeyOptions } from "./desk.ts";

/** A black picture with 27 million pixels of one bit. */
const LARGE_PNG = (() => {
  const [width, height] = [6000, 4500];
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([1, 0, 0, 0, 0], 8);
  const rows = Buffer.alloc((width / 8 + 1) * height);
  const chunks = [pngChunk("IHDR", header), pngChunk("IDAT", deflateSync(rows))];
  return Buffer.concat([PNG.subarray(0, 8), ...chunks, pngChunk("IEND", "")]);
})();

test.each([
  ["4,50", "4.50", undefined],
  ["1.234,50 €", "1234.50", "EUR"],
  ["$1,234.50", "1234.50", undefined],
  ["1.234", "1234", undefined],
  ["0,125", "0.125", undefined],
  ["12", "12", undefined],
  ["9.99 GBP", "9.99", "GBP"],
  ["1'234.50 CHF", "1234.50", "CHF"],
  ["abc", "abc", undefined],
  ["12 ABC", "12 ABC", undefined],
])("a price written as %s is %s", (text, price, currency) => {
  expect(readPrice(text)).toEqual(currency === undefined ? { price } : { price, currency });
});

test.each([
  ["29,90", "EUR", "29.90"],
  [" 29,90 € ", "EUR", "29.90"],
  ["€29.90", "EUR", "29.90"],
  ["1.234,50 €", "EUR", "1234.50"],
  ["1,234.50", "USD", "1234.50"],
  ["1.234.567,50", "EUR", "1234567.50"],
  ["CHF 12", "CHF", "12"],
  // One mark alone may be that of the decimals, so the service refuses what has too many of them.
  ["1.234", "EUR", "1.234"],
  ["1.234", "KWD", "1.234"],
  ["1.234.567", "EUR", "1.234.567"],
  ["$29.90", "EUR", "$29.90"],
  ["cheap", "EUR", "cheap"],
  ["12", "unknown", "12"],
])("an amount typed as %s in %s is sent as %s", (text, currency, amount) => {
  expect(typedAmount(text, currency)).toBe(amount);
});

test.each([
  [
    "prices with a comma",
    ["4,50", "1.234,50 €"],
    ["1.000", "1.500", "2.500,00", "7"],
    ["1000", "1500", "2500", "7"],
  ],
  ["prices with a point", ["4.50"], ["1,000", "12.000", "0.000", ""], ["1000", "12", "0", ""]],
  ["prices without decimals", ["4", "1.234"], ["12.000", "-2.000", "2.500"], ["12", "-2", "2.500"]],
  ["no prices", [], ["12,00", "1.000.000", "1,5", "many"], ["12", "1.000", "1,5", "many"]],
])("stock beside %s is read as it is meant", (_, prices, cells, read) => {
  expect(cells.map(quantityReader(prices))).toEqual(read);
});

test("a table with semicolons and other names for its columns is read as products", async () => {
  const file = new Blob([
    "\ufeffSKU;Name;Preis;Bestand\nrose;Rote Rose;4,50;12\n;;;\ntulpe;Tulpe;2,80;\n",
  ]);
  const read = await readTable(file);
  const mapping = guessMapping(read.columns);
  expect(mapping).toEqual({ id: "SKU", title: "Name", price: "Preis", quantity: "Bestand" });
  expect(linesOf(read, mapping, "EUR")).toEqual([
    {
      line: 2,
      value: { id: "rose", title: "Rote Rose", price: "4.50", currency: "EUR", quantity: "12" },
    },
    {
      line: 4,
      value: { id: "tulpe", title: "Tulpe", price: "2.80", currency: "EUR", quantity: "" },
    },
  ]);
});

test("the columns of a shop's export are matched with brand, barcode, sale price and category", async () => {
  const head = 'SKU,Name,Regular price,Sale price,Brands,"GTIN, UPC, EAN, or ISBN",Categories';
  const read = await readTable(
    new Blob([`${head}\ntee,Tee,"20,00","15,00",Rosa,4006381333931,Shirts`]),
  );
  const mapping = guessMapping(read.columns);
  expect(linesOf(read, mapping, "EUR")[0]?.value).toEqual({
    id: "tee",
    title: "Tee",
    price: "20.00",
    currency: "EUR",
    sale_price: "15.00",
    brand: "Rosa",
    gtin: "4006381333931",
    category: "Shirts",
  });
});

test.each([
  ["SKU,Name", { id: "SKU", title: "Name" }],
  ["SKU,ID,Name", { id: "ID", sku: "SKU", title: "Name" }],
  ["id,Artikelnummer,title", { id: "id", sku: "Artikelnummer", title: "title" }],
  ["Handle,Variant SKU,Title", { id: "Variant SKU", title: "Title" }],
])(
  "in a file with the columns %s, the SKU is the product number only if there is no id",
  (head, mapping) => {
    expect(guessMapping(head.split(","))).toEqual(mapping);
  },
);

test("a sale whose times are in a column of another form is left out, and a rounded barcode too", async () => {
  const head = "id,title,price,sale_price,sale_price_effective_date,barcode";
  const read = await readTable(
    new Blob([`${head}\ntee,Tee,20.00,15.00,2030-01-01/2030-02-01,4.00638E+12`]),
  );
  const value = { id: "tee", title: "Tee", price: "20.00", currency: "EUR" };
  expect(linesOf(read, guessMapping(read.columns), "EUR")).toEqual([{ line: 2, value }]);
});

test("lines of JSON leave alone what they do not name, whatever other lines name", async () => {
  const rose = { id: "rose", title: "Rose", price: "1.00", currency: "EUR" };
  const lines = [
    { ...rose, quantity: 5, availability: "in_stock" },
    { ...rose, id: "tulip" },
  ];
  const read = await readJsonLines(new Blob([lines.map((one) => JSON.stringify(one)).join("\n")]));
  const [, second] = linesOf(read, guessMapping(read.columns), "EUR");
  expect(second?.value).toEqual({ ...rose, id: "tulip" });
});

test("a table that a spreadsheet saved in an older encoding keeps its letters", async () => {
  const bytes = Buffer.from("sku;name;price\nm;M\xfcsli;3,20\n", "latin1");
  const { rows } = await readTable(new Blob([bytes]));
  expect(rows[0]?.values.name).toBe("Müsli");
});

test("a workbook that was not saved as a table of text is refused, and its bytes are not read as columns", async () => {
  const workbook = new Blob(["PK\u0003\u0004", new Uint8Array([0, 8, 8, 0]), "xl/workbook.xml"]);
  await expect(readTable(workbook)).rejects.toThrow("Save the table as CSV");
});

test("rows know the line where they begin, after empty lines and fields of several lines", async () => {
  const file = new Blob(['sku,name\n\na,"Two\nlines"\n,\nb,B\n']);
  const { rows } = await readTable(file);
  expect(rows.map(({ line, values }) => [line, values.sku])).toEqual([
    [3, "a"],
    [6, "b"],
  ]);
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
  const CSV = [
    "sku;name;stock;price",
    "tulip;Tulip;1.500;2,80",
    "rose;Red rose;;11,00",
    "bad;;1;1,00",
    "worse;Worse;;abc",
    "tulip;Tulip again;;3,00",
  ];
  const choose = (page: Page, lines: readonly string[]) =>
    page.locator('input[type="file"]').setInputFiles({
      name: "flowers.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(lines.join("\n")),
    });

  test("one is added, changed, paused and removed in forms", async () => {
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/products");
    await page.getByRole("link", { name: "Add a product" }).click();
    await page.getByLabel("Name").fill("White lily");
    await page.getByLabel("Price", { exact: true }).fill("3,20");
    await page.getByLabel("Stock").fill("8");
    await page.getByText("More about this product").click();
    await page.getByLabel("SKU", { exact: true }).fill("SHELF-8");
    await page.getByRole("button", { name: "Add product" }).click();
    await page.getByRole("row", { name: /White lily.*white-lily · SKU SHELF-8/ }).waitFor();
    await page.getByRole("searchbox", { name: "Name, product number or SKU" }).fill("shelf");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("row", { name: /A rose/ }).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "White lily" }).click();
    await page.getByLabel("Price", { exact: true }).fill("3.50");
    await page.getByLabel("Pause this product").check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("row", { name: /White lily.*€3\.50 Paused/ }).waitFor();
    await page.getByRole("link", { name: "White lily" }).click();
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByRole("heading", { name: "Products" }).waitFor();
    await page.getByRole("link", { name: "White lily" }).waitFor({ state: "detached" });
  });

  test("a sale is seen, changed and ended, and must cost less than the price", async () => {
    const until = "2090-12-24T12:00:00.000Z";
    const lily = { id: "lily", title: "White lily", price: "1500.00", currency: "EUR" };
    await at.at.importLines(at.shop, [{ ...lily, sale_price: "1200.00", sale_until: until }]);
    const { page } = await at.opened({ timezoneId: "UTC" });
    await at.signedIn(page, "owner", "/products/lily");
    const [price, sale] = [
      page.getByLabel("Price", { exact: true }),
      page.getByLabel("Sale price"),
    ];
    expect([await price.inputValue(), await sale.inputValue()]).toEqual(["1500.00", "1200.00"]);
    await page.getByText("The sale ends: Dec 24, 2090, 12:00 PM UTC.").waitFor();
    const save = page.getByRole("button", { name: "Save", exact: true });
    await price.fill("1.100,50 €");
    await save.click();
    await page.getByText("Enter an amount below the price.").waitFor();
    expect(await sale.getAttribute("aria-invalid")).toBe("true");
    await sale.fill("990,00 €");
    await save.click();
    await page.getByRole("row", { name: /White lily.*€990\.00/ }).waitFor();
    const fields = async () => {
      const { items } = (await at.shop.admin("GET", "/products?id=lily")).body;
      const [{ regular_price, sale_price, sale_until }] = items;
      return [regular_price.minor, sale_price?.minor, sale_until];
    };
    expect(await fields()).toEqual([110050, 99000, until]);
    await page.getByRole("link", { name: "White lily" }).click();
    await sale.fill("");
    await save.click();
    await page.getByRole("row", { name: /White lily.*€1,100\.50/ }).waitFor();
    expect(await fields()).toEqual([110050, undefined, null]);
  });

  test("a new sale price after an ended sale applies at once, and another change does not revive the old one", async () => {
    const until = "2020-01-01T00:00:00.000Z";
    const lily = { id: "lily", title: "White lily", price: "15.00", currency: "EUR" };
    await at.at.importLines(at.shop, [{ ...lily, sale_price: "12.00", sale_until: until }]);
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/products/lily");
    const save = async () => {
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByRole("heading", { name: "Products" }).waitFor();
    };
    await page.getByLabel("Name").fill("Tall lily");
    await save();
    await page.getByRole("row", { name: /Tall lily.*€15\.00/ }).waitFor();
    await page.getByRole("link", { name: "Tall lily" }).click();
    await page.getByLabel("Sale price").fill("11");
    await save();
    await page.getByRole("row", { name: /Tall lily.*€11\.00/ }).waitFor();
  });

  test("an import names the columns that it leaves out, and shows a sale before it is saved", async () => {
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/products");
    await choose(page, ["sku;name;preis;sonderpreis;farbe", "tulip;Tulip;2,80;1,90;rot"]);
    await page.getByText("Not imported: farbe.").waitFor();
    await page.getByText("New: Tulip, €2.80, sale price €1.90").waitFor();
  });

  test.each([390, 1440])(
    "at %i pixels, a wrong value is refused beside its field, and nothing is lost",
    async (width) => {
      const { page } = await at.opened({ viewport: { width, height: 844 } });
      await at.signedIn(page, "owner", "/products/new");
      await page.getByLabel("Price", { exact: true }).fill("cheap");
      await page.getByText("Use the address of a picture").click();
      await page.getByLabel("Address of the picture").fill("http://shop.example.com/lily.jpg");
      await page.getByRole("button", { name: "Add product" }).click();
      const name = page.getByRole("textbox", { name: "Name" });
      await page.getByText("Enter a name.").waitFor();
      expect(await name.evaluate((field) => field === document.activeElement)).toBe(true);
      await name.fill("White lily");
      await page.getByText("Enter a name.").waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Add product" }).click();
      await page.getByText("Enter a price such as 12.50.").waitFor();
      const price = page.getByLabel("Price", { exact: true });
      expect(await price.getAttribute("aria-invalid")).toBe("true");
      expect(await price.evaluate((field) => field === document.activeElement)).toBe(true);
      await price.fill("3,20");
      await page.getByRole("button", { name: "Add product" }).click();
      await page.getByText("Enter an https:// address.").waitFor();
      expect(await barriersOf(page)).toEqual(NO_BARRIERS);
      expect(await name.inputValue()).toBe("White lily");
      await page.getByLabel("Address of the picture").fill("");
      await page.getByRole("button", { name: "Add product" }).click();
      await page.getByText("Product added.").waitFor();
      await page.getByRole("link", { name: "White lily" }).waitFor();
    },
  );

  test.each([390, 1440])(
    "at %i pixels, a picture is chosen, seen before and after it is saved, replaced and removed",
    async (width) => {
      const { page } = await at.opened({ viewport: { width, height: 844 } });
      await at.signedIn(page, "owner", "/products/new");
      const choose = (name: string, buffer: Buffer) =>
        page.locator("input[name=picture]").setInputFiles({ name, mimeType: "image/png", buffer });
      const shown = page.getByRole("img", { name: "What buyers see" });
      const widthOf = () =>
        shown.evaluate(async (picture: HTMLImageElement) => {
          await picture.decode();
          return picture.naturalWidth;
        });
      await page.getByLabel("Name").fill("White lily");
      await page.getByLabel("Price", { exact: true }).fill("3.20");
      await choose("lily.png", Buffer.from("<svg onload=alert(1)>"));
      await page.getByRole("button", { name: "Add product" }).click();
      await page.getByText("Choose a JPEG, PNG or WebP file.").waitFor();
      expect(await barriersOf(page)).toEqual(NO_BARRIERS);
      await choose("lily.png", PNG);
      expect(await widthOf()).toBe(12);
      await page.getByRole("button", { name: "Add product" }).click();
      await page.getByText("Product added.").waitFor();
      await page.locator('img[src*="/v1/pictures/"]').waitFor();
      await page.getByRole("link", { name: "White lily" }).click();
      expect(await widthOf()).toBe(12);
      // A photo with too many pixels is made smaller before it is sent.
      await choose("large.png", LARGE_PNG);
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("Saved.").waitFor();
      await page.getByRole("link", { name: "White lily" }).click();
      expect(await widthOf()).toBe(2400);
      await page.getByRole("button", { name: "Remove the picture" }).click();
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByRole("link", { name: "White lily" }).click();
      await page.getByText("Drop a file here, or choose one.").waitFor();
      expect(await shown.count()).toBe(0);
    },
  );

  test("what was typed is lost only after a confirmation", async () => {
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/products/new");
    await page.getByLabel("Name").fill("White lily");
    const orders = page.getByRole("link", { name: "Orders", exact: true });
    await orders.click();
    const asked = page.getByRole("dialog", { name: "Leave without saving?" });
    await asked.getByRole("button", { name: "Stay" }).click();
    expect(await page.getByLabel("Name").inputValue()).toBe("White lily");
    const prevented = () =>
      page.evaluate(() => !window.dispatchEvent(new Event("beforeunload", { cancelable: true })));
    expect(await prevented()).toBe(true);
    await orders.click();
    await asked.getByRole("button", { name: "Leave without saving" }).click();
    await page.waitForURL("**/orders");
    expect(await prevented()).toBe(false);
  });

  test("a product is found by its number, however many others contain it", async () => {
    const { page } = await at.opened();
    const line = (id: string) => ({ id, title: `Flower ${id}`, price: "1.00", currency: "EUR" });
    const ids = Array.from({ length: 210 }, (_, number) => `0${number}-1`);
    await at.at.importLines(at.shop, [...ids, "1"].map(line));
    await at.signedIn(page, "owner", "/products/1");
    await page.getByRole("heading", { name: "Flower 1", exact: true }).waitFor();
    await page.goto(`${at.baseUrl()}/console/${at.domain}/products/none`);
    await page.getByText("This product does not exist.").waitFor();
  });

  test.each(JOURNEY_VIEWS)(
    "a messy file shows by line what it would do before it is written, at $width pixels in $colorScheme",
    async (view) => {
      const { page } = await at.opened(journeyOptions(view));
      const rose = { id: "rose", title: "A rose", price: "10.00", currency: "EUR" };
      await at.at.importLines(at.shop, [rose]);
      await at.signedIn(page, "owner", "/products");
      await choose(page, CSV);
      await page.getByText("1 new, 1 changed, 0 unchanged, 3 lines refused.").waitFor();
      const refused = page.getByRole("list", { name: "Refused lines" });
      expect(await refused.getByRole("listitem").allTextContents()).toEqual([
        "Line 4: Name is missing.",
        "Line 5: Price is not a number such as 12.50.",
        "Line 6: Product number is already in an earlier line.",
      ]);
      const changes = page.getByRole("list", { name: "Changes" });
      await changes.getByText("New: Tulip, €2.80, stock 1500").waitFor();
      await changes.getByText("A rose: name: A rose → Red rose, price: €10.00 → €11.00").waitFor();
      expect(await barriersOf(page)).toEqual(NO_BARRIERS);
      expect((await at.shop.admin("GET", "/products?q=tulip")).body.items).toEqual([]);
      await page.getByRole("button", { name: "Import 2 products" }).click();
      await page.getByText("2 products saved, 3 lines refused").waitFor();
      await page.getByText("Line 4: Name is missing.").waitFor();
      await page.getByRole("link", { name: "Tulip" }).waitFor();
      expect(await barriersOf(page)).toEqual(NO_BARRIERS);
    },
  );

  test("an import names what it would remove, and is undone after a visit to another page", async () => {
    const { page } = await at.opened();
    const rose = { id: "rose", title: "A rose", price: "10.00", currency: "EUR" };
    await at.at.importLines(at.shop, [rose]);
    await at.shop.admin("PATCH", "/products?id=vase", { paused: true });
    const before = (await at.shop.admin("GET", "/products")).body.items;
    await at.signedIn(page, "owner", "/products");
    await choose(page, ["sku;name;price", "tulip;Tulip;2,80"]);
    await page.getByLabel("Remove products that are not in the file").check();
    await page.getByText(`${before.length} products will be removed: A bonsai,  `).waitFor();
    await page.getByRole("button", { name: "Import 1 product" }).click();
    await page.getByText(`1 product saved, ${before.length} removed.`).waitFor();
    await page.getByRole("link", { name: "Orders", exact: true }).click();
    await page.getByRole("heading", { name: "Orders" }).waitFor();
    await page.getByRole("link", { name: "Products", exact: true }).click();
    await page.getByRole("button", { name: "Undo this import" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Undo", exact: true }).click();
    await page
      .getByText(`The import was undone: 1 product removed, ${before.length} restored.`)
      .waitFor();
    const { items } = (await at.shop.admin("GET", "/products")).body;
    const stateOf = ({ id, price, paused }: Record<string, unknown>) => ({ id, price, paused });
    expect(items.map(stateOf)).toEqual(before.map(stateOf));
    await page.getByRole("button", { name: "Undo this import" }).waitFor({ state: "detached" });
  });

  test("a file with the stock alone keeps names and prices, and its result is gone when it is undone", async () => {
    const { page } = await at.opened();
    const rose = { id: "rose", title: "A rose", price: "10.00", currency: "EUR" };
    await at.at.importLines(at.shop, [{ ...rose, quantity: 3 }]);
    await at.signedIn(page, "owner", "/products");
    await choose(page, ["sku;stock", "rose;7", "fern;2"]);
    await page.getByText("0 new, 1 changed, 0 unchanged, 1 line refused.").waitFor();
    await page.getByText("A rose: stock: 3 → 7").waitFor();
    // What changes after the preview stays: the file says nothing about it.
    await at.shop.admin("PATCH", "/products?id=rose", { title: "A red rose", price: "12.00" });
    await page.getByRole("button", { name: "Import 1 product" }).click();
    const result = page.getByText("1 product saved, 1 line refused");
    await result.waitFor();
    // Something was saved, so the whole is no error.
    expect(await page.getByRole("alert").count()).toBe(0);
    const { items } = (await at.shop.admin("GET", "/products?id=rose")).body;
    const price = { minor: 1200 };
    expect(items).toMatchObject([{ title: "A red rose", price, quantity: 7 }]);
    await page.getByRole("button", { name: "Undo this import" }).click();
    const dialog = page.getByRole("dialog");
    await dialog
      .getByText(/^1 product will get back the values from before the import. Orders since/)
      .waitFor();
    await dialog.getByRole("button", { name: "Undo", exact: true }).click();
    await result.waitFor({ state: "detached" });
  });

  test("bulk changes say which products failed, and keep them selected", async () => {
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/products");
    await page.route("**/products?id=vase", (route) =>
      route.fulfill({
        status: 409,
        json: { error: "conflict", message: "It is being changed.", docs_url: "" },
      }),
    );
    await page.getByLabel("Select all shown").check();
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await page.getByText("A vase: It is being changed.").waitFor();
    await page.getByText("1 product selected").waitFor();
    expect(await page.getByLabel("Select A vase").isChecked()).toBe(true);
    await page.getByRole("row", { name: /A rose.*Paused/ }).waitFor();
  });

  test.each([390, 1440])(
    "at %i pixels, the list is sorted by its heads, and what is sold out says so",
    async (width) => {
      const { page } = await at.opened({ viewport: { width, height: 844 } });
      await at.shop.admin("PATCH", "/products?id=last", { quantity: 0 });
      await at.signedIn(page, "owner", "/products");
      await page.getByRole("row", { name: /The last one.*Sold out/ }).waitFor();
      expect(await barriersOf(page)).toEqual(NO_BARRIERS);
      await page.goto(`${at.baseUrl()}/console/${at.domain}/products?sort=quantity`);
      const first = page.locator("main tbody tr").first();
      await first.getByRole("link", { name: "The last one" }).waitFor();
      if (width < 1000) return;
      await page.getByRole("button", { name: "Stock", exact: false }).click();
      await page.waitForURL("**sort=-quantity");
      await first.getByText("Not tracked").waitFor();
    },
  );

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
    await page.getByText("Product feed", { exact: true }).click();
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
    await page.getByText("Product feed", { exact: true }).click();
    await page.getByLabel("Address of the feed").waitFor();
    expect(complaints).toEqual([]);
  });

  test("feeds are published, and the page shows where they are", async () => {
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/products");
    await page.getByText("Publish feeds", { exact: true }).click();
    await page.getByLabel("Google feed").check();
    await page.getByLabel("Condition of your products").selectOption("Used");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const address = (await page.getByText(/\/google\.xml$/).textContent()) ?? "";
    expect(await (await fetch(address)).text()).toContain("<g:condition>used</g:condition>");
  });
});
