import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContext, Page } from "playwright-core";
import { expect } from "vitest";

/** A step that takes longer does not come. */
const WAIT_MS = 20_000;

/** What the whole way may cost a person. */
const CLICKS_MAX = 40;
const FIELDS_MAX = 25;

/** Counts what a person does in every page of a context. To choose from a list takes two clicks. */
const COUNTING = `
  addEventListener("click", () => countedByTest("clicks", 1), true);
  addEventListener("change", ({ target }) => {
    if (target.matches("select")) countedByTest("clicks", 2);
    else if (!target.matches("[type=checkbox], [type=radio]")) countedByTest("fields", 1);
  }, true);
`;

/**
 * A page that counts its clicks and fields under the console's own content policy, and notes what the browser
 * complains of and whom it asks besides the service.
 */
export async function countingPage(context: BrowserContext, origin: string) {
  const counts = { clicks: 0, fields: 0 };
  await context.exposeFunction("countedByTest", (what: keyof typeof counts, by: number) => {
    counts[what] += by;
  });
  await context.addInitScript(COUNTING);
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS);
  const complaints: string[] = [];
  const strangers: string[] = [];
  page.on("console", (message) => {
    if (!message.text().startsWith("Failed to load resource")) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith(origin)) strangers.push(request.url());
  });
  /** The way was quiet and short. A counter that saw less than the test did counts nothing. */
  function expectQuietAndShort(done: { readonly clicks: number; readonly fields: number }) {
    expect([complaints, strangers]).toEqual([[], []]);
    const { clicks, fields } = counts;
    expect(clicks).toBeGreaterThanOrEqual(done.clicks);
    expect(clicks).toBeLessThanOrEqual(CLICKS_MAX);
    expect(fields).toBeGreaterThanOrEqual(done.fields);
    expect(fields).toBeLessThanOrEqual(FIELDS_MAX);
  }
  return { page, expectQuietAndShort };
}

/** The owner's own web server: nothing is on it until they install. */
export async function startSite() {
  const files = new Map<string, string>();
  const server = createServer((request, response) => {
    const file = files.get(request.url ?? "");
    response.writeHead(file === undefined ? 404 : 200, {
      "content-type": request.url === "/" ? "text/html" : "text/plain",
    });
    response.end(file ?? "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { files, domain: `shop.localhost:${port}`, stop: () => server.close() };
}

export type OwnSite = Awaited<ReturnType<typeof startSite>>;

/** A step in the list on Home. */
export const stepOf = (page: Page, title: string) =>
  page
    .getByRole("list", { name: "Get ready to sell" })
    .getByRole("listitem")
    .filter({ hasText: title });

export async function createAccount(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByLabel("Your name").fill("Fern");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("button", { name: "Add a passkey" }).click();
}

/** Puts the script on the home page of the site, and has somebody visit it. */
export async function connectWebsite(page: Page, { files, domain }: OwnSite): Promise<void> {
  const script = await page.locator("main pre").first().textContent();
  files.set("/", `<!doctype html><title>Fern & Petal</title>${script}`);
  const visitor = await page.context().newPage();
  await visitor.goto(`http://${domain}/`);
  await stepOf(page, "Connect your website").getByText("(done)").waitFor();
  await visitor.close();
}

export async function addProduct(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Next: Add your products" }).click();
  await page.getByRole("link", { name: "Open Products" }).click();
  await page.getByRole("link", { name: "Add your first product" }).click();
  await page.getByLabel("Name", { exact: true }).fill("White lily");
  await page.getByLabel("Price", { exact: true }).fill("3,20");
  await page.getByRole("button", { name: "Add product" }).click();
  await page.getByRole("link", { name: "White lily" }).waitFor();
}

export async function setUpDelivery(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Home" }).first().click();
  await stepOf(page, "Set up delivery").getByRole("link").click();
  await page.getByRole("link", { name: "Open Delivery and taxes" }).click();
  await page.getByRole("button", { name: "Add a zone" }).click();
  const delivery = page.locator("section").filter({ hasText: "Zone 1" }).last();
  await delivery.getByLabel("Add a country").selectOption("Germany");
  await delivery.getByLabel("Delivery option").fill("By post");
  await delivery.getByLabel("Price").fill("4,90");
  await delivery.getByRole("button", { name: "Save" }).click();
  await page.getByText("Germany: By post for €4.90").waitFor();
  await page.getByRole("link", { name: "Back to the setup" }).click();
}

export async function setUpNotifications(page: Page): Promise<void> {
  const step = stepOf(page, "Set up notifications");
  await step.getByRole("link").click();
  await page.getByLabel("Email addresses").fill("fern@example.com");
  await page.getByRole("button", { name: "Save" }).click();
  await step.getByText("Saved, but not tried yet.").waitFor();
  await page.getByRole("button", { name: "Send a test message" }).click();
  await step.getByText("(done)").waitFor();
}

/** The agent in this page buys, and the purchase needs review. */
export async function startTestPurchase(page: Page): Promise<void> {
  await stepOf(page, "Make a test purchase").getByRole("link").click();
  await page.getByRole("button", { name: "Start test purchase" }).click();
  await page.getByText("The test purchase needs review.").waitFor();
}

/** Approves it. The time to undo begins. */
export async function approve(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByRole("button", { name: "Undo" }).waitFor();
}

/** Receipt and proof of an approved test purchase. */
export async function checkTestPurchase(page: Page): Promise<void> {
  await page.getByText("The test purchase is approved").waitFor();
  await page.getByText("The receipt is signed and verified.").waitFor();
  await page.getByRole("button", { name: "Check it in this browser" }).click();
  await page.getByText("The record is verified. Your browser checked it.").waitFor();
  await page.getByText("The test is over").waitFor();
}
