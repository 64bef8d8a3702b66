export const VIEWS = [
  { name: "desktop-light", width: 1440, height: 900, colorScheme: "light" },
  { name: "desktop-dark", width: 1440, height: 900, colorScheme: "dark" },
  { name: "phone-light", width: 390, height: 844, colorScheme: "light" },
  { name: "phone-dark", width: 390, height: 844, colorScheme: "dark" },
];

/** Waits for what is drawn late. */
const settled = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 250)));

/** Waits until a page has loaded. Streams keep the network busy, so the page itself says what is loading. */
export async function waitUntilDrawn(page) {
  await page.locator("h1").first().waitFor();
  await page.getByText("Loading…").first().waitFor({ state: "detached" });
  await page.evaluate(settled);
}

/** The whole page as one picture. Bars at the edge of the screen would stand in the middle of a long one. */
export async function shoot(page, path) {
  await waitUntilDrawn(page);
  const { width, height } = page.viewportSize();
  const full = await page.evaluate("document.documentElement.scrollHeight");
  await page.setViewportSize({ width, height: Math.max(height, full) });
  await page.screenshot({ path });
  await page.setViewportSize({ width, height });
}

/** What is in the window, such as a dialog, which stands above a page. */
export async function shootWindow(page, path) {
  await waitUntilDrawn(page);
  await page.screenshot({ path });
}

/** Temporary and signed-out states: the name of each, and how to open it. */
export const STATES = {
  "sign-in": {
    signedOut: true,
    open: (page, { origin }) => page.goto(`${origin}/console`),
  },
  "unknown-site": { open: (page, { origin }) => page.goto(`${origin}/console/nothing.example`) },
  "connect-code": {
    async open(page, { pages }) {
      await page.goto(pages["settings-shop"]);
      await page.getByRole("button", { name: "Connect a shop" }).click();
      await page.getByRole("button", { name: "Create a code" }).click();
      await page.getByText("Paste it into the shop system").waitFor();
    },
  },
  offline: {
    async open(page, { home }) {
      await page.goto(home);
      await waitUntilDrawn(page);
      await page.context().setOffline(true);
      await page.evaluate(() => window.dispatchEvent(new Event("offline")));
      await page.getByText("No connection.").waitFor();
    },
  },
  "public-agent-page": { open: (page, { agentPage }) => page.goto(agentPage) },
  "public-cart": {
    signedOut: true,
    open: async (page, { newCart }) => page.goto(await newCart()),
  },
  "public-checkout": {
    signedOut: true,
    async open(page, { newCart }) {
      await page.goto(await newCart());
      await page.locator("form button").click();
      await page.getByLabel("Email").waitFor();
    },
  },
  "public-order": { signedOut: true, open: (page, { orderPage }) => page.goto(orderPage) },
  "docs-guide": {
    signedOut: true,
    open: (page, { origin }) => page.goto(`${origin}/docs/guide/owner.md`),
  },
  docs: { signedOut: true, open: (page, { origin }) => page.goto(`${origin}/docs`) },
};
