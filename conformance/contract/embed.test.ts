import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { launchChromium, skipChromium } from "../../test/chromium.ts";
import { askAsOperator, type Site, verifiedSite } from "./asking.ts";

let browser: Browser;
let shop: Server;
let siteKey = "";
beforeAll(async () => {
  if (skipChromium) return;
  browser = await launchChromium();
  shop = createServer((_request, response) => {
    response.setHeader("content-type", "text/html");
    response.end(
      `<!doctype html><title>Shop</title><link rel="icon" href="data:,">
       <script async src="${inject("target").url}/embed.js" data-site-key="${siteKey}"></script>`,
    );
  });
  shop.listen(0, "127.0.0.1");
  await once(shop, "listening");
});
afterAll(async () => {
  await browser?.close();
  shop?.close();
});

function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** Opens a page of a new site that carries the script. */
async function open(before: (page: Awaited<ReturnType<Browser["newPage"]>>) => Promise<unknown>) {
  const site = await verifiedSite();
  siteKey = site.site_key;
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  await before(page);
  await page.goto(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/`);
  return { site, page, complaints };
}

const visitsOf = async ({ site_key_hash }: Site) =>
  (await askAsOperator("GET", `/v1/admin/sites/${site_key_hash}/visits`)).body.items;

describe.skipIf(skipChromium)("the embed script", () => {
  test("[1.3-a] sends a beacon when a page loads, and the service accepts it", async () => {
    const answered = deferred<number>();
    const { site, page } = await open(async (opened) => {
      opened.on("response", (response) => {
        if (response.url().endsWith("/v1/discovery/ingest")) answered.resolve(response.status());
      });
    });
    expect(await answered.promise).toBe(204);
    expect(await visitsOf(site)).toHaveLength(1);
    await page.close();
  });

  test("[1.3-b] does not affect the page if the beacon is never answered", async () => {
    const sent = deferred<void>();
    const { page, complaints } = await open((opened) =>
      opened.route("**/v1/discovery/ingest", () => sent.resolve()),
    );
    await sent.promise;
    expect(await page.evaluate(() => document.readyState)).toBe("complete");
    expect(complaints).toEqual([]);
    await page.close();
  });
});
