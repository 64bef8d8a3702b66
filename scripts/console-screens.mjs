/**
 * Pictures of every page and dialog of the console, of the pages that buyers and agents see, and of every mail, wide
 * and narrow, light and dark, from the demo's own shop: `node scripts/console-screens.mjs [folder]`. They are looked
 * at, not compared. `VIEWS=phone-dark` and `KINDS=dialogs,mails` take only some. With `--guides` only those that the
 * README and the guides show.
 */
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";
import { fillCart, orderForReview, signIn, startDemo } from "./console-screens/demo.mjs";
import { STATES, shoot, shootWindow, VIEWS, waitUntilDrawn } from "./console-screens/shoot.mjs";

const load = async (path) =>
  (await runnerImport(fileURLToPath(new URL(`../${path}`, import.meta.url)))).module;
const { launchChromium } = await load("test/chromium.ts");
const { withAuthenticator } = await load("test/authenticator.ts");
const { EVERY_PAGE, addressOf, firstIds } = await load("packages/console/test/every-page.ts");
const { EVERY_DIALOG, dialogUrl, isIn, openDialog } = await load(
  "packages/console/test/every-dialog.ts",
);
const { EVERY_MAIL } = await load("packages/server/test/notifications/every-mail.ts");
const [first = "screens"] = process.argv.slice(2);
const forGuides = first === "--guides";
const folder = forGuides ? fileURLToPath(new URL("../docs/pictures/", import.meta.url)) : first;
const wanted = process.env.VIEWS?.split(",") ?? VIEWS.map(({ name }) => name);
const kinds = process.env.KINDS?.split(",") ?? ["pages", "states", "dialogs", "mails"];

const PHONE = { width: 390, height: 1000 };
const DESK = { width: 1120, height: 700 };
/** What the guides show: the name of the file, the page, the window, and what is done there first. */
const GUIDE_PICTURES = [
  ["console", "home", DESK],
  ["checklist", "empty-home", DESK],
  ["rules", "policy", DESK],
  ["review-on-a-phone", "review", PHONE],
  ["order", "order", DESK],
  ["import", "products", DESK, chooseFile],
  ["what-agents-see", "agents-see", DESK],
];

/** A file with prices for a product that is there, one that is new, and one that is wrong. */
async function chooseFile(page) {
  const lines = ["id;name;price;stock", "bouquet;Bouquet;31,00;12", "lily;White lily;3,20;40"];
  const buffer = Buffer.from([...lines, "fern;Fern;much;8"].join("\n"));
  const file = { name: "flowers.csv", mimeType: "text/csv", buffer };
  await page.locator('input[type="file"]').setInputFiles(file);
  await page.getByText("1 line refused").waitFor();
  await page.getByRole("list", { name: "Changes" }).scrollIntoViewIfNeeded();
}

/** Gives the product of the pictures a picture of its own, as an owner does. */
async function addPicture(page, home) {
  const drawing = await page.context().newPage();
  await drawing.setViewportSize({ width: 600, height: 600 });
  await drawing.goto(new URL("console-screens/bouquet.svg", import.meta.url).href);
  const buffer = await drawing.screenshot();
  await drawing.close();
  await page.goto(`${home}/products/bouquet`);
  const file = { name: "bouquet.png", mimeType: "image/png", buffer };
  await page.locator("input[name=picture]").setInputFiles(file);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved.").waitFor();
}

/** Something that waits for a person, made as an owner would make it. */
async function startTestPurchase(page, home) {
  await page.goto(`${home}?step=purchase`);
  await page.getByRole("button", { name: "Start test purchase" }).click();
  await page.getByRole("button", { name: "Approve" }).waitFor();
}

/** Where every page is by its name, also those of a site where nothing has happened yet. */
async function addressesAt(ask, origin, { site_key_hash, domain }) {
  const ids = await firstIds((path) => ask("GET", `/sites/${site_key_hash}${path}`));
  const empty = await ask("POST", "/sites", { domain: "new.example", name: "Rosa's flowers" });
  const full = EVERY_PAGE.map((page) => [page.name, addressOf(page, domain, ids)]);
  const bare = EVERY_PAGE.filter(({ id, route }) => id === undefined && route.startsWith("/$site"));
  const none = bare.map((page) => [`empty-${page.name}`, addressOf(page, empty.domain, ids)]);
  const all = [...full, ...none].map(([name, path]) => [name, `${origin}/console${path}`]);
  return { ids, pages: Object.fromEntries(all) };
}

async function picturesForGuides(browser, storageState, pages) {
  for (const [file, name, viewport, prepare] of GUIDE_PICTURES) {
    const view = await browser.newContext({ storageState, viewport });
    const page = await view.newPage();
    await page.goto(pages[name]);
    await waitUntilDrawn(page);
    await prepare?.(page);
    await page.screenshot({ path: `${folder}/${file}.png` });
    await view.close();
  }
}

/** How to take the pictures of each kind. Every kind begins with a page in a window of its own. */
const SERIES = {
  async pages(page, { pages }, fileOf) {
    for (const [file, url] of Object.entries(pages)) {
      await page.goto(url);
      await shoot(page, fileOf(file));
    }
  },
  async dialogs(page, { pages }, fileOf) {
    const { width } = page.viewportSize();
    for (const dialog of EVERY_DIALOG.filter((one) => isIn(one, width))) {
      await openDialog(page, dialogUrl(dialog, pages), dialog);
      await shootWindow(page, fileOf(`dialog-${dialog.name}`));
    }
  },
  async mails(page, _shop, fileOf) {
    for (const { name, html } of EVERY_MAIL) {
      await page.setContent(html);
      await page.screenshot({ path: fileOf(`mail-${name}`), fullPage: true });
    }
  },
};

/** Everything that is wanted in one size and one theme. */
async function picturesOf({ name, width, height, colorScheme }, browser, storageState, shop) {
  const options = { viewport: { width, height }, colorScheme };
  const fileOf = (file) => `${folder}/${file}.${name}.png`;
  for (const kind of kinds.filter((one) => one in SERIES)) {
    const view = await browser.newContext({ ...options, storageState });
    await SERIES[kind](await view.newPage(), shop, fileOf);
    await view.close();
  }
  if (!kinds.includes("states")) return;
  for (const [file, { open, signedOut }] of Object.entries(STATES)) {
    const own = await browser.newContext(signedOut ? options : { ...options, storageState });
    const state = await own.newPage();
    await open(state, shop);
    await shoot(state, fileOf(file));
    await own.close();
  }
}

mkdirSync(folder, { recursive: true });
const { demo, link } = await startDemo();
const browser = await launchChromium();
try {
  const chosen = VIEWS.filter(({ name }) => wanted.includes(name) && !forGuides);
  for (const { name, width, height, colorScheme } of chosen) {
    // The link is good until somebody has used it.
    const view = await browser.newContext({ viewport: { width, height }, colorScheme });
    const page = await view.newPage();
    await page.goto(link);
    await shoot(page, `${folder}/set-up.${name}.png`);
    await view.close();
  }
  const context = await browser.newContext();
  const page = await context.newPage();
  await withAuthenticator(page);
  const ask = await signIn(page, link);
  const { origin } = new URL(page.url());
  const [site] = (await ask("GET", "/sites")).items;
  const home = `${origin}/console/${encodeURIComponent(site.domain)}`;
  await startTestPurchase(page, home);
  await addPicture(page, home);
  const reviewed = await orderForReview(browser, ask, origin, site);
  const { ids, pages } = await addressesAt(ask, origin, site);
  pages.review = `${home}/reviews/${reviewed}`;
  const order = await ask("GET", `/sites/${site.site_key_hash}/orders/${ids.order}`);
  const shop = {
    origin,
    home,
    pages,
    agentPage: site.agent_page_url,
    orderPage: order.page_url,
    newCart: () => fillCart(origin, site),
  };
  const storage = await context.storageState();
  if (forGuides) await picturesForGuides(browser, storage, pages);
  for (const view of chosen) await picturesOf(view, browser, storage, shop);
  console.log(`The pictures are in ${folder}`);
} finally {
  await browser.close();
  demo.kill("SIGINT");
}
