import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, inject, test } from "vitest";
import { admin, type Shop, sellingShop } from "../contract/mandating.ts";

const program = fileURLToPath(new URL("../../examples/agent-buyer/buy.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "gatehouse-buyer-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The example as its reader runs it. */
function buy(...args: string[]) {
  const key = join(folder, "agent-key.json");
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const child = execFile(process.execPath, [program, ...args, "--key", key], (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

/** Approves whoever waits, as the owner would. */
async function approveAgents(shop: Shop) {
  for (;;) {
    const { items } = (await admin(shop, "GET", "/agents?status=pending")).body;
    const [waiting] = items;
    if (waiting !== undefined) {
      return admin(shop, "POST", `/agents/${waiting.agent_id}/approve`, {});
    }
  }
}

test("the example registers, asks the price, buys, and never spends more than it may", async () => {
  const shop = await sellingShop();
  const card = `${inject("target").url}/v1/agent-card/${shop.siteKey}.json`;
  const orders = async () => (await admin(shop, "GET", "/orders")).body.items;
  const [bought] = await Promise.all([buy(card, "rose=1"), approveAgents(shop)]);
  expect([bought.err, bought.code]).toEqual(["", 0]);
  expect(bought.out).toMatch(/asks 100\.00 EUR\n(?:.*\n)*approved\nbought; it stands in/);
  expect(await orders()).toHaveLength(1);
  const declined = await buy(card, "rose=1", "--token", "pm_card_chargeDeclined");
  expect([declined.code, declined.out]).toEqual([2, expect.stringContaining("payment_declined")]);
  const dear = await buy(card, "rose=2");
  expect([dear.code, dear.err]).toEqual([1, expect.stringContaining("more than 100.00 EUR")]);
  expect(await orders()).toHaveLength(1);
});
