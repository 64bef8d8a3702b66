import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../server/src/infra/clock.ts";
import { freshEnvironment, startServer } from "../../server/test/harness.ts";
import { buying, lines, ROSE, SHOP } from "../../server/test/ucp/buying.ts";
import { Platform } from "../../server/test/ucp/platform.ts";
import { command } from "./command.ts";

const DOMAIN = "flowers.example.com";

test("an owner follows the guide from nothing to the first order, and sees where to ship it", {
  timeout: 60_000,
}, async () => {
  const platform = await Platform.start();
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-checkout-"));
  onTestFinished(() => {
    platform.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const env = { ...(await freshEnvironment("sqlite")), GATEHOUSE_FETCH_ALLOW: platform.host };
  const server = await startServer(env);
  const run = (...args: string[]) => command(args, { ...env, GATEHOUSE_BASE_URL: server.url });
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  await run("site", "create", DOMAIN, "--name", "Flowers");
  await run("site", "verify", DOMAIN, "--method", "operator", "--reason", "a test");
  const csv = "id,title,price,currency,quantity\nrose,A rose,100.00,EUR,40\n";
  await run("product", "import", DOMAIN, file("products.csv", csv));
  const limit = ["--limit", "150.00", "--currency", "EUR"];
  const { out: policy } = await run("policy", "preset", "automatic_under", ...limit);
  await run("policy", "publish", DOMAIN, file("policy.json", policy));
  await run("site", "connect", DOMAIN, "--processor", "sandbox");
  await run("site", "shop", DOMAIN, "--file", file("shop.json", JSON.stringify(SHOP)));
  const gates = await run("site", "gates", DOMAIN);
  expect(gates.out).toMatch(
    /Agents can buy at checkout \(UCP\), but not with signed requests \(mandates\)\.\n$/,
  );
  const shown = (await run("site", "show", DOMAIN)).out;
  expect(shown).toMatch(/^ucp_profile +http\S+\/v1\/ucp\/\S+\/profile$/m);
  const skills = (await run("skill", "list", DOMAIN)).out;
  expect(skills).toMatch(/^Live while you sell: search_catalog, .*complete_checkout/m);

  const [, site_key_hash = ""] = /^site_key_hash +(\S+)$/m.exec(shown) ?? [];
  const at = buying(server, platform, systemClock);
  const shop = { site_key_hash } as never;
  const bought = await at.ready(shop, ROSE);
  expect((await at.complete(shop, bought.id)).body.status).toBe("completed");
  const checkout = await at.get(shop, bought.id);
  const kept = file("checkout.json", JSON.stringify(checkout.body));
  const { url } = checkout.body.policies[0];
  const held = await run("verify", kept, "--keys", server.url, "--body", url);
  expect([held.code, held.out]).toEqual([
    0,
    expect.stringContaining("The signed terms are valid,"),
  ]);
  const forged = JSON.stringify(checkout.body).replace('"version":"gatehouse-2"', '"version":"2"');
  const refused = await run("verify", file("forged.json", forged), "--keys", server.url);
  expect([refused.code, refused.out]).toEqual([
    1,
    expect.stringMatching(/✗ the signature of the terms/),
  ]);
  const [, order = ""] = /(ord_\S+)/.exec((await run("order", "list", DOMAIN)).out) ?? [];
  const { out, err } = await run("order", "show", DOMAIN, order);
  expect(out).toMatch(/^amount +104\.90 EUR$/m);
  expect(out).toMatch(/^buyer +Ada <ada@example\.com>$/m);
  expect(out).toMatch(/^send_to +Ada Love\n +Gartenstr\. 1\n +10115 Berlin\n +DE$/m);
  expect(out).toMatch(/^delivery +By post, 4\.90 EUR$/m);
  const [, , decision = ""] =
    /^See why it was approved: gatehouse mandate show (\S+) (dec_\S+)$/m.exec(err) ?? [];
  const why = await run("mandate", "show", DOMAIN, decision);
  expect(why.out).toMatch(/^outcome +approved\ndecided by +rule /);
  expect(why.out).toMatch(new RegExp(`^order +#1001 ${order}$`, "m"));
  expect((await run("mandate", "show", DOMAIN, bought.id)).out).toBe(why.out);
  const nothing = await run("mandate", "show", DOMAIN, `${decision}x`);
  expect([nothing.code, nothing.err]).toEqual([1, expect.stringContaining("no decision about")]);

  // After the sale.
  const parts = ["--line", "li_1", "--carrier", "DHL", "--tracking-number", "JD01"];
  const sent = await run("order", "ship", DOMAIN, order, ...parts, "--say", "By the door");
  expect([sent.code, sent.out]).toEqual([0, expect.stringMatching(/^status +shipped$/m)]);
  expect(sent.out).toMatch(/^history +\S+ shipped: 1 × li_1; DHL JD01; By the door$/m);
  expect(sent.out).toMatch(/^lines +li_1: 1 × A rose \(rose\), 100\.00 EUR each; 1 sent$/m);
  const none = await run("order", "ship", DOMAIN, order);
  expect([none.code, none.err]).toEqual([1, expect.stringContaining("Nothing is left to be sent")]);
  const badLine = await run("order", "ship", DOMAIN, order, "--line", "rose");
  expect([badLine.code, badLine.err]).toEqual([2, expect.stringContaining("li_1=2")]);
  expect((await run("order", "note", DOMAIN, order, "She called")).out).toBe("Note added.\n");
  expect((await run("order", "simulate", DOMAIN, order, "capture")).code).toBe(0);
  const back = await run("order", "simulate", DOMAIN, order, "refund", "--amount", "4.90");
  expect(back.out).toMatch(/refund completed: 4\.90 EUR \(adj_re_\S+\)/);
  expect(back.out).toMatch(/note: She called/);
  const wrong = await run("order", "simulate", DOMAIN, order, "refund", "--amount", "4,90");
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("--amount")]);
  expect((await run("order", "list", DOMAIN, "--status", "shipped")).out).toContain(order);
  expect((await run("order", "list", DOMAIN, "--status", "open")).out).toMatch(
    /^No orders match\. List all: gatehouse order list /,
  );
  const found = ["--status", "partly_refunded", "--buyer", "Ada LOVE"];
  expect((await run("order", "list", DOMAIN, ...found)).out).toContain(order);
  const nobody = await run("order", "list", DOMAIN, "--buyer", "--");
  expect([nobody.code, nobody.err]).toEqual([1, expect.stringContaining("Enter a name")]);
  const second = await at.bought(shop, ROSE);
  const off = await run("order", "cancel", DOMAIN, second.orderId, "--reason", "Sold out");
  expect(off.out).toMatch(/^payment +voided$/m);
  expect(off.out).toMatch(/cancellation completed: 1 × li_1 \(adj_\S+\); Sold out/);
  const third = await at.bought(shop, ROSE);
  await run("order", "simulate", DOMAIN, third.orderId, "capture");
  const taken = await run("order", "cancel", DOMAIN, third.orderId);
  expect(taken.err).toContain("Refund it: gatehouse order refund");
  expect(taken.out).toMatch(/^captured +104\.90 EUR\nto_refund +104\.90 EUR: you captured more /m);
  const missing = await run("order", "ship", DOMAIN, "ord_none");
  expect([missing.code, missing.err]).toEqual([1, expect.stringContaining("no such order")]);

  // A buyer asks what is stored, and to be erased.
  const out2 = join(folder, "buyer.json");
  const exported = await run("buyer", "export", DOMAIN, "ada@example.com", "--out", out2);
  expect(exported.out).toBe(`Wrote ${out2}: 3 orders, 0 checkouts, 0 carts.\n`);
  expect(JSON.parse(readFileSync(out2, "utf8")).orders).toHaveLength(3);
  const again = await run("buyer", "export", DOMAIN, "ada@example.com", "--out", out2);
  expect([again.code, again.err]).toEqual([1, expect.stringContaining("it already exists")]);
  expect((await run("buyer", "erase", DOMAIN, "ada@example.com")).err).toContain("--yes");
  const erased = await run("buyer", "erase", DOMAIN, "ada@example.com", "--yes");
  expect(erased.out).toMatch(/^orders +2$/m);
  expect(erased.out).toMatch(/^order +ord_\S+ +items are on their way +\d{4}-/m);
  const gone = await run("order", "show", DOMAIN, second.orderId);
  expect(gone.out).toMatch(/^personal_data +erased on \d{4}-/m);
  expect(gone.out).not.toMatch(/\bada\b/i);
  const usual = await run("buyer", "retention", DOMAIN);
  expect(usual.out).toBe("Buyers' personal data is erased 730 days after an order has ended.\n");
  expect((await run("buyer", "retention", DOMAIN, "never")).out).toContain("until you erase it");
  expect((await run("buyer", "retention", DOMAIN, "soon")).code).toBe(2);

  const large = await at.ready(shop, { ...ROSE, ...lines(["rose", 2]) });
  expect((await at.complete(shop, large.id)).body.status).toBe("requires_escalation");
  const [, review = ""] = /^(esc_\S+)/m.exec((await run("review", "list", DOMAIN)).out) ?? [];
  expect((await run("review", "show", DOMAIN, review)).out).toMatch(/^send_to +Ada Love$/m);
  expect((await run("review", "approve", DOMAIN, review)).out).toBe("approved\n");
  expect((await at.get(shop, large.id)).body.status).toBe("completed");
  const decisions = (await run("mandate", "list", DOMAIN)).out;
  const [, profile = ""] = /(https?:\S+)/.exec(decisions) ?? [];
  expect((await run("mandate", "list", DOMAIN, "--agent", profile)).out).toBe(decisions);
  expect((await run("order", "list", DOMAIN, "--agent", profile)).out).toContain(order);
  expect((await run("order", "list", DOMAIN, "--agent", `${profile}x`)).out).toMatch(
    /^No orders match\. List all: gatehouse order list /,
  );
  const [, mandate = ""] = /(chk_\S+-1)/.exec(decisions) ?? [];
  expect((await run("mandate", "show", DOMAIN, mandate)).out).toMatch(/complete_checkout/);
});
