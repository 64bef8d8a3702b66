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

/** Creates the first account with the link. Returns a function that calls the API as this account. */
export async function signIn(page, link) {
  await page.goto(link);
  await page.getByLabel("Your name").fill("Ann");
  await page.getByRole("button", { name: "Create account" }).click();
  // Pictures need no passkey.
  await page.getByRole("button", { name: "Not now" }).click();
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

/** A cart that an assistant filled, as a link for a person. */
export async function fillCart(origin, { site_key }) {
  const cart = { line_items: [{ item: { id: "bouquet" }, quantity: 1 }] };
  const params = { name: "create_cart", arguments: { cart } };
  const answer = await fetch(`${origin}/v1/mcp/${site_key}`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  });
  return (await answer.json()).result.structuredContent.continue_url;
}
