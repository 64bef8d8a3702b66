import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { bundleEmbed } from "../../../../scripts/bundle-embed.mjs";
import { launchChromium, skipChromium } from "../../../../test/chromium.ts";
import { cleanUp, createSite, freshEnvironment, startServer, type TestServer } from "../harness.ts";

const EMBED_BYTES_MAX = 2048;

let server: TestServer;
let browser: Browser;
/** The site itself: a page for every path, with the head a test wants. */
let shop: Server;
let head = "";
let policy: string | undefined;
beforeAll(async () => {
  server = await startServer(await freshEnvironment("sqlite"));
  shop = createServer((_request, response) => {
    response.setHeader("content-type", "text/html");
    if (policy !== undefined) response.setHeader("content-security-policy", policy);
    response.end(
      `<!doctype html><head><title>Shop</title><link rel="icon" href="data:,">${head}</head><p>Flowers</p>`,
    );
  });
  shop.listen(0, "127.0.0.1");
  await once(shop, "listening");
  if (!skipChromium) browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  shop.close();
  await cleanUp();
});

test("the script is the one of this build, at most 2 KB compressed, and cached for five minutes", async () => {
  const built = readFileSync(new URL("../../dist/assets/embed.js", import.meta.url), "utf8");
  expect(built === (await bundleEmbed())).toBe(true);
  expect(gzipSync(built).length).toBeLessThanOrEqual(EMBED_BYTES_MAX);
  const answer = await fetch(`${server.url}/embed.js`);
  expect(await answer.text()).toBe(built);
  expect(answer.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(answer.headers.get("cache-control")).toBe("public, max-age=300");
  const etag = answer.headers.get("etag") ?? "";
  const again = await fetch(`${server.url}/embed.js`, { headers: { "if-none-match": etag } });
  expect(again.status).toBe(304);
});

interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Console lines, page errors and failed requests. */
  readonly complaints: string[];
  /** Paths of the pages that beacons told of, as the service has them. */
  told(count: number): Promise<string[]>;
}

const address = (path: string) =>
  `http://shop.localhost:${(shop.address() as AddressInfo).port}${path}`;

async function open(
  path: string,
  options: {
    attributes?: string;
    before?: (context: BrowserContext) => Promise<unknown>;
    siteKey?: string;
    csp?: string;
  } = {},
): Promise<Opened> {
  const site = await createSite(server, `shop.localhost:${(shop.address() as AddressInfo).port}`);
  const { attributes = "", csp } = options;
  head = `<script async src="${server.url}/embed.js" data-site-key="${options.siteKey ?? site.site_key}" ${attributes}></script>`;
  policy = csp;
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  await options.before?.(context);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(address(path));
  await page.waitForLoadState("networkidle");
  const told = async (count: number) => {
    for (;;) {
      const { body } = await server.admin("GET", `/v1/admin/sites/${site.site_key_hash}/visits`);
      const paths = body.items.map(
        ({ page_url }: { page_url: string }) => new URL(page_url).pathname,
      );
      if (paths.length >= count) return paths.reverse();
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    }
  };
  return { page, context, complaints, told };
}

describe.skipIf(skipChromium)("in a browser, the script", () => {
  test("reports the page once, as driven by a program, and says where the documents are", async () => {
    const { page, complaints, told } = await open("/prices?who=me#top");
    expect(await told(1)).toEqual(["/prices"]);
    const links = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLLinkElement>("link:not([rel=icon])")].map(
        ({ rel, href }) => [rel, new URL(href).pathname],
      ),
    );
    expect(links.map(([rel]) => rel)).toEqual(["ard", "ai-catalog", "alternate"]);
    for (const [, path] of links) expect((await fetch(server.url + path)).status).toBe(200);
    expect(complaints).toEqual([]);
  });

  test("works under a strict content security policy with a nonce", async () => {
    const csp = `default-src 'none'; img-src data:; script-src 'nonce-abc' 'strict-dynamic'; connect-src ${server.url}`;
    const { complaints, told } = await open("/strict", { attributes: 'nonce="abc"', csp });
    expect(await told(1)).toEqual(["/strict"]);
    expect(complaints).toEqual([]);
  });

  test("reports every path that a page navigates to by itself, and no other change", async () => {
    const { page, complaints, told } = await open("/one");
    await told(1);
    await page.evaluate(() => {
      history.pushState({}, "", "/two");
      history.replaceState({}, "", "/two?tab=2");
    });
    await told(2);
    await page.evaluate(() => history.pushState({}, "", "/three"));
    await told(3);
    await page.evaluate(() => {
      location.hash = "end";
    });
    await page.goBack();
    await page.goBack();
    expect(await told(4)).toEqual(["/one", "/two", "/three", "/two"]);
    expect(complaints).toEqual([]);
  });

  test("does not affect the page's own navigation, errors included", async () => {
    const { page, told } = await open("/own");
    await told(1);
    const outcome = await page.evaluate(() => {
      try {
        history.pushState({}, "", "https://other.example/");
        return "moved";
      } catch (error) {
        return (error as Error).name;
      }
    });
    expect(outcome).toBe("SecurityError");
  });

  test("throws nothing if beacons are blocked, and tries once", async () => {
    const tried: string[] = [];
    const { page, complaints } = await open("/blocked", {
      before: (context) =>
        context.route("**/v1/discovery/**", (route) => {
          tried.push(route.request().method());
          return route.abort();
        }),
    });
    await page.evaluate(() => history.pushState({}, "", "/blocked-again"));
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
    expect(tried).toHaveLength(1);
    // The browser's own words about the request; a page cannot keep it from saying them.
    expect(complaints).toEqual([expect.stringMatching(/^Failed to load resource/)]);
  });

  test("sends nothing while the page is offline, and continues afterwards", async () => {
    const { page, context, complaints, told } = await open("/online");
    await told(1);
    await context.setOffline(true);
    await page.waitForFunction(() => !navigator.onLine);
    await page.evaluate(() => history.pushState({}, "", "/offline"));
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
    await context.setOffline(false);
    await page.waitForFunction(() => navigator.onLine);
    await page.evaluate(() => history.pushState({}, "", "/online-again"));
    expect(await told(2)).toEqual(["/online", "/online-again"]);
    expect(complaints).toEqual([]);
  });

  test("does nothing without a site key", async () => {
    const asked: string[] = [];
    const { page, complaints } = await open("/plain", {
      siteKey: "",
      before: (context) =>
        context.route("**/v1/**", (route) => {
          asked.push(route.request().url());
          return route.abort();
        }),
    });
    await page.evaluate(() => history.pushState({}, "", "/moved"));
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
    expect(await page.locator("link:not([rel=icon])").count()).toBe(0);
    expect([asked, complaints]).toEqual([[], []]);
  });
});
