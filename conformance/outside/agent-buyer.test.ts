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

test("the example agent registers, asks for the price, buys, and never spends more than allowed", async () => {
  const shop = await sellingShop();
  const card = `${inject("target").url}/v1/agent-card/${shop.siteKey}.json`;
  const orders = async () => (await admin(shop, "GET", "/orders")).body.items;
  const [bought] = await Promise.all([buy(card, "rose=1"), approveAgents(shop)]);
  expect([bought.err, bought.code]).toEqual(["", 0]);
  expect(bought.out).toMatch(/charges 100\.00 EUR\n(?:.*\n)*approved\nbought; the record is/);
  expect(await orders()).toHaveLength(1);
  const declined = await buy(card, "rose=1", "--token", "pm_card_chargeDeclined");
  expect([declined.code, declined.out]).toEqual([2, expect.stringContaining("payment_declined")]);
  const dear = await buy(card, "rose=2");
  expect([dear.code, dear.err]).toEqual([1, expect.stringContaining("more than 100.00 EUR")]);
  expect(await orders()).toHaveLength(1);
});

test("the example agent says which address to name if no card is at the one it was given", async () => {
  const closed = await buy("http://127.0.0.1:9", "rose=1");
  expect([closed.code, closed.err]).toEqual([
    1,
    expect.stringMatching(/ does not answer.*\n.*the card's address, which `gatehouse site show` /),
  ]);
});

test("the example agent reports a pending approval or review without calling it a failure, and prints its usage", async () => {
  const shop = await sellingShop();
  const card = `${inject("target").url}/v1/agent-card/${shop.siteKey}.json`;
  const early = await buy(card, "rose=1", "--wait", "0");
  expect([early.code, early.err]).toEqual([
    4,
    expect.stringMatching(/has not approved agt_\S+ yet/),
  ]);
  await approveAgents(shop);
  const rules = [{ id: "ask", effect: "escalate", when: { skill: { eq: "place_order" } } }];
  const policy = { policy: "rules/1", timezone: "UTC", default: "deny", rules };
  expect((await admin(shop, "PUT", "/policy", policy)).status).toBe(200);
  const waiting = await buy(card, "rose=1", "--wait", "0");
  const [{ escalation_id, mandate_id }] = (await admin(shop, "GET", "/escalations")).body.items;
  expect([waiting.code, waiting.err]).toEqual([
    4,
    expect.stringMatching(
      new RegExp(`mandate ${mandate_id} yet; its status is at http.*/${escalation_id}\n$`),
    ),
  ]);
  const [help, none, wrong] = await Promise.all([buy("--help"), buy(card), buy("--lmit", "1")]);
  expect([help.code, help.out]).toEqual([
    0,
    expect.stringMatching(/--token[\s\S]*--limit[\s\S]*--wait/),
  ]);
  expect([none.code, none.err]).toEqual([64, expect.stringMatching(/^usage: /)]);
  expect([wrong.code, wrong.err]).toEqual([64, expect.stringMatching(/--lmit'?[\s\S]*usage: /)]);
});
