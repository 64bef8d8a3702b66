/**
 * Pictures of every page of the console, wide and narrow, light and dark, from the demo's own shop:
 * `node scripts/console-screens.mjs [folder]`. They are looked at, not compared. With `--guides` only those
 * that the README and the guides show.
 */
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const path = fileURLToPath(new URL("../test/chromium.ts", import.meta.url));
const { launchChromium } = (await runnerImport(path)).module;
const [first = "screens"] = process.argv.slice(2);
const forGuides = first === "--guides";
const folder = forGuides ? fileURLToPath(new URL("../docs/pictures/", import.meta.url)) : first;
const LINK = /https?:\/\/\S+\/console\S*#set-up=\S+/;
const VIEWS = [
  { name: "desktop-light", width: 1440, height: 900, colorScheme: "light" },
  { name: "desktop-dark", width: 1440, height: 900, colorScheme: "dark" },
  { name: "phone-light", width: 390, height: 844, colorScheme: "light" },
  { name: "phone-dark", width: 390, height: 844, colorScheme: "dark" },
];
const wanted = (process.env.VIEWS ?? "desktop-light,phone-dark").split(",");

/** Starts the demo, and waits for the link it ends with. */
async function startDemo() {
  const bin = fileURLToPath(new URL("../packages/cli/bin/gatehouse.js", import.meta.url));
  const demo = spawn(process.execPath, [bin, "demo"], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: demo.stdout })) {
    const [link] = LINK.exec(line) ?? [];
    if (link !== undefined) return { demo, link };
  }
  throw new Error("the demo printed no link to the console");
}

/** What stands behind the first link of a list. */
async function firstLink(page, path, pattern) {
  await page.goto(path);
  const link = page.locator(`main a[href*="${pattern}"]`).first();
  await link.waitFor();
  return await link.getAttribute("href");
}

/** Drawn, and what came late is there too. */
const settled = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 250)));

/** Every page, by a name for its file. */
async function pagesOf(page, site) {
  const at = (rest) => `${site}${rest}`;
  const firstMatch = async (list, pattern) =>
    new URL(await firstLink(page, at(list), pattern), page.url()).href;
  return {
    overview: at(""),
    reviews: at("/reviews"),
    review: await firstMatch("/reviews?status=all", "/reviews/esc_"),
    decisions: at("/decisions"),
    decision: await firstMatch("/decisions", "/decisions/dec_"),
    orders: at("/orders"),
    order: await firstMatch("/orders", "/orders/ord_"),
    slip: `${await firstMatch("/orders", "/orders/ord_")}/slip`,
    visits: at("/visits"),
    questions: at("/questions"),
    "agents-see": at("/agents-see"),
    platforms: at("/platforms"),
    delivery: at("/delivery"),
    product: await firstMatch("/products", "/products/"),
    account: new URL("/console/account", site).href,
    agents: at("/agents"),
    agent: await firstMatch("/agents", "/agents/agt_"),
    policy: at("/policy"),
    "policy-json": at("/policy?mode=json"),
    products: at("/products"),
    audit: at("/audit"),
    record: await firstMatch("/audit", "/audit/"),
    ...Object.fromEntries(
      ["site", "skills", "payments", "notifications", "people", "buyers", "tokens", "keys"].map(
        (part) => [`settings-${part}`, at(`/settings/${part}`)],
      ),
    ),
    ...Object.fromEntries(
      ["domain", "install", "payments", "rules", "notifications", "purchase"].map((step) => [
        `setup-${step}`,
        at(`?step=${step}`),
      ]),
    ),
    new: new URL("/console/new", site).href,
    sites: new URL("/console/sites", site).href,
  };
}

const PHONE = { width: 390, height: 760 };
const DESK = { width: 1120, height: 700 };
/** What the guides show: the name of the file, the page, and the window. */
const GUIDE_PICTURES = [
  ["console", "overview", DESK],
  ["rules", "policy", DESK],
  ["review-on-a-phone", "reviews", PHONE],
  ["order", "order", DESK],
  ["what-agents-see", "agents-see", DESK],
];

async function picturesForGuides(browser, storageState, pages) {
  for (const [file, name, viewport] of GUIDE_PICTURES) {
    const view = await browser.newContext({ storageState, viewport });
    const page = await view.newPage();
    await page.goto(pages[name]);
    await page.locator("main h1").waitFor();
    await page.getByText("Loading…").first().waitFor({ state: "detached" });
    await page.evaluate(settled);
    await page.screenshot({ path: `${folder}/${file}.png` });
    await view.close();
  }
}

const { demo, link } = await startDemo();
const browser = await launchChromium();
try {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(link);
  // The demo is at an IP address, where no passkey can be made.
  await page.getByText("Continue here without a passkey").click();
  await page.getByLabel("Your name").fill("Ann");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.locator("nav[aria-label=Pages] a").first().waitFor();
  const site = new URL(page.url()).href.replace(/\/$/, "");
  // Something that waits for a person, made as an owner would make it.
  await page.goto(`${site}?step=purchase`);
  await page.getByRole("button", { name: "Start test purchase" }).click();
  await page.getByRole("button", { name: "Approve" }).waitFor();
  const all = await pagesOf(page, site);
  const pages = forGuides ? {} : all;
  const storage = await context.storageState();
  mkdirSync(folder, { recursive: true });
  if (forGuides) await picturesForGuides(browser, storage, all);
  for (const { name, width, height, colorScheme } of VIEWS) {
    if (!wanted.includes(name)) continue;
    const view = await browser.newContext({
      storageState: storage,
      viewport: { width, height },
      colorScheme,
    });
    const shown = await view.newPage();
    for (const [file, url] of Object.entries(pages)) {
      await shown.goto(url);
      await shown.locator("main h1").waitFor();
      await shown.waitForLoadState("domcontentloaded");
      // Streams keep the network busy: what is loading says so.
      await shown.getByText("Loading…").first().waitFor({ state: "detached" });
      await shown.evaluate(settled);
      // Bars at the edge of the screen would stand in the middle of a long picture.
      const full = await shown.evaluate("document.documentElement.scrollHeight");
      await shown.setViewportSize({ width, height: Math.max(height, full) });
      await shown.screenshot({ path: `${folder}/${file}.${name}.png` });
      await shown.setViewportSize({ width, height });
    }
    await view.close();
  }
  console.log(`The pictures are in ${folder}`);
} finally {
  await browser.close();
  demo.kill("SIGINT");
}
