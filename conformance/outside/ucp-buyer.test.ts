import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, inject, test } from "vitest";
import { canBuy, openShop, publish } from "../contract/buying.ts";
import { admin } from "../contract/mandating.ts";

const program = fileURLToPath(new URL("../../examples/ucp-buyer/buy.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "gatehouse-ucp-buyer-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The example as its reader runs it. */
function buy(...args: string[]) {
  const all = [program, ...args, "--key", join(folder, "platform-key.json")];
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const child = execFile(process.execPath, all, (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

describe.skipIf(!canBuy())("the example that buys by UCP", () => {
  test("says what to publish, then buys over REST and over MCP and checks every answer", async () => {
    const shop = await openShop();
    const card = `${inject("target").url}/v1/agent-card/${shop.siteKey}.json`;
    const first = await buy(card, "red rose");
    expect([first.code, first.out]).toEqual([64, expect.stringContaining("Publish this")]);
    const profile = await publish(JSON.parse(first.out.slice(first.out.indexOf("{"))));
    const bought = await buy(card, "red rose", "--profile", profile);
    expect([bought.err, bought.code]).toEqual(["", 0]);
    expect(bought.out).toMatch(
      /^found A red rose \(rose\)\ndelivery By post\ntotal 104\.90 EUR\nterms, .* unchanged\norder ord_\S+: http\S+\ncompleted\n$/,
    );
    const [, order = ""] = /^order (ord_\S+):/m.exec(bought.out) ?? [];
    const read = await buy(card, "--order", order, "--profile", profile);
    expect([read.code, read.err, read.out]).toEqual([
      0,
      "",
      `order ${order}\n  A red rose: 0 of 1 sent, processing\n`,
    ]);
    const none = await buy(card, "--order", "ord_none", "--profile", profile);
    expect([none.code, none.out]).toEqual([2, "not_found: There is no such order.\n"]);
    const { privateKey } = generateKeyPairSync("ed25519");
    const { d, ...jwk } = privateKey.export({ format: "jwk" });
    writeFileSync(join(folder, "agent.json"), JSON.stringify({ ...jwk, d }));
    const { agent_id } = (await admin(shop, "POST", "/agents", { name: "Buyer", jwk })).body;
    const agent = ["--agent", agent_id, "--agent-key", join(folder, "agent.json")];
    const again = await buy(card, "red rose", "--profile", profile, "--mcp", ...agent);
    expect([again.err, again.code, again.out]).toEqual([
      "",
      0,
      expect.stringMatching(/completed\n$/),
    ]);
    const { items } = (await admin(shop, "GET", "/orders")).body;
    expect(items.map(({ protocol }: { protocol: string }) => protocol)).toEqual(["mcp", "ucp"]);
    const declined = await buy(
      card,
      "rose",
      "--profile",
      profile,
      "--token",
      "pm_card_chargeDeclined",
    );
    expect([declined.code, declined.out]).toEqual([2, expect.stringContaining("payment_failed")]);
    const asked = await buy(
      card,
      "rose",
      "--profile",
      profile,
      "--token",
      "pm_card_authenticationRequired",
    );
    expect([asked.code, asked.out]).toEqual([4, expect.stringContaining("requires_3ds")]);
    const away = await buy(card, "rose", "--profile", profile, "--country", "US");
    expect([away.code, away.out]).toEqual([2, expect.stringContaining("address_undeliverable")]);
  });
});
