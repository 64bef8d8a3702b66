import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const LINK = /https?:\/\/\S+\/console\S*#set-up=\S+/;

/** Starts the demo, and waits for the link it ends with. */
export async function startDemo() {
  const bin = fileURLToPath(new URL("../../packages/cli/bin/gatehouse.js", import.meta.url));
  const demo = spawn(process.execPath, [bin, "demo"], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: demo.stdout })) {
    const [link] = LINK.exec(line) ?? [];
    if (link !== undefined) return { demo, link };
  }
  throw new Error("the demo printed no link to the console");
}

/** Creates the first account with the link, and a passkey. Returns a function that calls the API as this account. */
export async function signIn(page, link) {
  await page.goto(link);
  await page.getByLabel("Your name").fill("Ann");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.locator("nav[aria-label=Pages] a").first().waitFor();
  return (method, path, body) =>
    page.evaluate(
      async ([ofMethod, ofPath, ofBody]) => {
        const headers = { "x-gatehouse-console": "1", "content-type": "application/json" };
        const sent = ofBody === undefined ? {} : { body: JSON.stringify(ofBody) };
        const answer = await fetch(`/v1/admin${ofPath}`, { method: ofMethod, headers, ...sent });
        if (!answer.ok) throw new Error(`${ofPath}: ${answer.status} ${await answer.text()}`);
        return answer.json();
      },
      [method, path, body],
    );
}

const BUYER = {
  email: "ada@example.com",
  first_name: "Ada",
  last_name: "Love",
  street_address: "Gartenstr. 1",
  postal_code: "10115",
  address_locality: "Berlin",
};

/** Two bouquets that a person orders with the link of an assistant, and that need review by rules for this alone. */
export async function orderForReview(browser, ask, origin, site) {
  const path = `/sites/${site.site_key_hash}`;
  const { document } = await ask("GET", `${path}/policy`);
  const title = "Purchases over €50";
  const over = { "cart.total": { gt: { EUR: "50.00" } } };
  const rules = [...document.rules, { id: "over-50", title, effect: "escalate", when: over }];
  await ask("PUT", `${path}/policy`, { ...document, rules });
  const view = await browser.newContext();
  const page = await view.newPage();
  await page.goto(await fillCart(origin, site, 2));
  await page.locator("form button").click();
  for (const [name, text] of Object.entries(BUYER)) await page.locator(`[name=${name}]`).fill(text);
  await page.locator("[name=address_country]").selectOption("DE");
  await page.locator("button[value=update]").click();
  await page.locator("[name=option]").first().check();
  await page.locator("button[value=pay]").click();
  await page.getByRole("heading", { name: "The shop is reviewing this order" }).waitFor();
  await view.close();
  await ask("PUT", `${path}/policy`, document);
  const { items } = await ask("GET", `${path}/escalations?status=pending`);
  return items.find(({ skill }) => skill === "complete_checkout").escalation_id;
}

/** A cart that an assistant filled, as a link for a person. */
export async function fillCart(origin, { site_key }, quantity = 1) {
  const cart = { line_items: [{ item: { id: "bouquet" }, quantity }] };
  const params = { name: "create_cart", arguments: { cart } };
  const answer = await fetch(`${origin}/v1/mcp/${site_key}`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  });
  return (await answer.json()).result.structuredContent.continue_url;
}
