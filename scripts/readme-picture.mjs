/**
 * `node scripts/readme-picture.mjs <file>` makes the moving picture of the README from the demo's own shop: an
 * assistant fills a cart over MCP, a person pays, and the owner sees why it was allowed. Run `npm run build` before.
 */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";
import { signIn } from "./console-screens/demo.mjs";
import { animatedPng } from "./picture/animated-png.mjs";
import { callsPage, framePage } from "./picture/pages.mjs";

const [file = "docs/story.png"] = process.argv.slice(2);
const path = fileURLToPath(new URL("../test/chromium.ts", import.meta.url));
const { launchChromium } = (await runnerImport(path)).module;
const SIZE = { width: 960, height: 560 };
const FRAME_MS = 3500;
const TYPED = {
  email: "ada@example.com",
  first_name: "Ada",
  last_name: "Love",
  street_address: "Gartenstr. 1",
  postal_code: "10115",
  address_locality: "Berlin",
};

/** Starts the demo, and waits for the addresses that it ends with. */
async function startDemo() {
  const bin = fileURLToPath(new URL("../packages/cli/bin/gatehouse.js", import.meta.url));
  const demo = spawn(process.execPath, [bin, "demo"], { stdio: ["ignore", "pipe", "inherit"] });
  const addresses = {};
  for await (const line of createInterface({ input: demo.stdout })) {
    addresses.console ??= /http\S+\/console\S*#set-up=\S+/.exec(line)?.[0];
    addresses.mcp ??= /^ +(http\S+\/v1\/mcp\/\S+)$/.exec(line)?.[1];
    if (line.startsWith("Ctrl-C")) return { demo, ...addresses };
  }
  throw new Error("the demo did not come to its end");
}

/** What an assistant asks over MCP, and is answered. */
async function callTool(mcp, name, args) {
  const answer = await fetch(mcp, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: args },
    }),
  });
  return (await answer.json()).result.structuredContent;
}

async function payOnPage(page, shot) {
  await page.getByRole("button").first().click();
  for (const [name, value] of Object.entries(TYPED))
    await page.locator(`[name=${name}]`).fill(value);
  await page.locator("[name=address_country]").selectOption("DE");
  await page.locator("button[value=update]").click();
  await page.locator("button[value=pay]").scrollIntoViewIfNeeded();
  await shot("The person opens the link, chooses delivery and orders");
  await page.locator("button[value=pay]").click();
  await shot("They pay on the payment provider's page (here: test mode)");
  await page.locator("button[value=confirm]").click();
  await page.getByText("Thank you for your order").waitFor();
  await shot("The order is placed");
}

const { demo, console: link, mcp } = await startDemo();
const browser = await launchChromium();
try {
  const frames = [];
  const page = await browser.newPage({ viewport: { width: SIZE.width, height: SIZE.height - 64 } });
  const stage = await browser.newPage({ viewport: SIZE });
  const shot = async (caption) => {
    const picture = (await page.screenshot()).toString("base64");
    await stage.setContent(framePage(frames.length + 1, caption, picture));
    await stage.waitForLoadState("load");
    frames.push(await stage.screenshot());
  };
  const { products } = await callTool(mcp, "search_catalog", { catalog: { query: "bouquet" } });
  const cart = { line_items: [{ item: { id: products[0].id }, quantity: 1 }] };
  const { continue_url, totals } = await callTool(mcp, "create_cart", { cart });
  await page.setContent(callsPage({ product: products[0], totals, continueUrl: continue_url }));
  await shot("An AI assistant finds a bouquet in the shop and fills a cart");
  await page.goto(continue_url);
  await payOnPage(page, shot);
  await signIn(page, link);
  await page.goto(`${new URL(page.url()).href.replace(/\/$/, "")}/decisions`);
  await page.locator('main a[href*="/decisions/dec_"]').first().click();
  await page.locator("main h1").waitFor();
  await page.getByText("Loading…").first().waitFor({ state: "detached" });
  await shot("The owner sees the decision, the rule and the signed record");
  writeFileSync(file, animatedPng(frames, FRAME_MS));
  console.log(`${file}: ${frames.length} pictures`);
} finally {
  await browser.close();
  demo.kill("SIGINT");
}
