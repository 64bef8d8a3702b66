import { afterAll, describe, expect, test } from "vitest";
import { skipChromium } from "../../../test/chromium.ts";
import { systemClock } from "../../server/src/infra/clock.ts";
import { ShopStandIn } from "../../server/test/connectors/shop-stand-in.ts";
import { BUYER, CHECKOUT_POLICY, lines, sent } from "../../server/test/ucp/buying.ts";
import { desk } from "./desk.ts";

describe.skipIf(skipChromium)("a shop system at the console", () => {
  let system: ShopStandIn;
  afterAll(() => system.stop());
  const at = desk({
    platform: true,
    env: async () => {
      system = await ShopStandIn.start(systemClock);
      return { GATEHOUSE_FETCH_ALLOW: system.host };
    },
  });

  test("gets a code to paste, is shown with its products, and is disconnected", async () => {
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/settings/shop");
    await page.getByRole("button", { name: "Connect a shop" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(`Connect the shop at ${at.domain}?`).waitFor();
    await dialog.getByRole("button", { name: "Create a code" }).click();
    expect(await page.locator("pre").textContent()).toMatch(/^ghc_[\w-]+$/);
    await system.connect(at.server, at.shop.site_key_hash);
    // Without a reload, and without the code, which is used now.
    await page.getByText("Stand-in 1", { exact: true }).waitFor();
    expect(await page.locator("pre").count()).toBe(0);
    await page.getByText("All sent").waitFor();
    // The shop decides the delivery, so the setup asks for none.
    await at.shop.admin("PUT", "/shop", {});
    await page.getByRole("link", { name: "Home" }).first().click();
    const delivery = page.getByRole("listitem").filter({ hasText: "Set up delivery" });
    await delivery.getByText("Not needed: Stand-in 1 decides the delivery.").waitFor();
    await delivery.getByRole("link").click();
    await page.getByRole("link", { name: "Open Delivery and taxes" }).click();
    await page.getByText("Stand-in 1 decides where you deliver").waitFor();
    await page.goto(`${at.baseUrl()}/console/${at.domain}/settings/shop`);
    await page.getByRole("button", { name: "Disconnect" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
    await page.getByRole("button", { name: "Connect a shop" }).waitFor();
  });

  test("that does not answer is named in the settings and on Home, until it does", async () => {
    const { page } = await at.opened();
    system.reset();
    await system.connect(at.server, at.shop.site_key_hash);
    const cart = (quantity: number) =>
      at
        .ucp()
        .call(at.shop, "/carts", { ...lines(["rose", quantity]), buyer: BUYER, ...sent("parcel") });
    system.spoil = { quote: "silent" };
    await cart(1);
    await at.signedIn(page, "owner", "/settings/shop");
    await page.getByText("Your shop has not given a valid answer since").waitFor();
    await page.goto(`${at.baseUrl()}/console/${at.domain}`);
    await page.getByRole("link", { name: "Your shop does not answer." }).click();
    await page.getByText("Agents cannot buy until it answers again.").waitFor();
    system.spoil = {};
    // Another cart: the same question would not be sent again so soon.
    await cart(2);
    await page.reload();
    await page.getByText("Last message from your shop").waitFor();
    expect(await page.getByText("Your shop has not given a valid answer since").count()).toBe(0);
  });

  test("is named on pages about products, which only offer to pause them", async () => {
    const { page } = await at.opened();
    system.reset();
    await at.shop.admin("PATCH", "/products?id=vase", { sku: "SHELF-9" });
    await system.connect(at.server, at.shop.site_key_hash);
    await at.signedIn(page);
    const comes = page.getByText("Your products come from Stand-in 1.");
    await comes.waitFor();
    expect(await comes.getByRole("link").getAttribute("href")).toBe(`https://${at.domain}/`);
    await page.getByRole("link", { name: "Products", exact: true }).click();
    await page.getByText("Here you can only pause them.").waitFor();
    await page.getByLabel("Select A vase").check();
    await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
    for (const name of ["Add a product", "Remove", "Save feed"]) {
      expect([name, await page.getByText(name, { exact: true }).count()]).toEqual([name, 0]);
    }
    await page.getByRole("link", { name: "A vase" }).click();
    await page.getByRole("heading", { name: "A vase" }).waitFor();
    await page.getByText("Your products come from Stand-in 1.").waitFor();
    await page.getByText("SHELF-9", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await page.getByText("Paused. Agents cannot find or buy it.").waitFor();
    expect(await page.getByRole("textbox").count()).toBe(0);
    await at.server.context.db.run("DELETE FROM products");
    await page.goto(`${at.baseUrl()}/console/${at.domain}/products`);
    await page.getByText("Your products appear here as soon as Stand-in 1").waitFor();
  });

  test("is not asked for where there is none, and neither is a product feed", async () => {
    const { page } = await at.opened();
    const failed: string[] = [];
    page.on("response", (response) => {
      if (response.status() >= 400) failed.push(`${response.status()} ${response.url()}`);
    });
    const shown = [
      ["", "Get ready to sell:"],
      ["/products", "Product feed"],
      ["/delivery", "Delivery costs and taxes"],
      ["/settings/shop", "Connect WooCommerce or another shop system."],
    ] as const;
    for (const [path, text] of shown) {
      await at.signedIn(page, "owner", path);
      await page.getByText(text).first().waitFor();
    }
    expect(failed).toEqual([]);
  });

  test("gave the prices of an order and of a decision at a time that their pages name", async () => {
    const { page } = await at.opened();
    system.reset();
    await at.shop.admin("PUT", "/policy", CHECKOUT_POLICY);
    await system.connect(at.server, at.shop.site_key_hash);
    const parcel = { ...lines(["rose", 1]), buyer: BUYER, ...sent("parcel") };
    const { orderId } = await at.ucp().bought(at.shop, parcel);
    system.prices.rose = 30_000;
    const two = { ...parcel, ...lines(["rose", 2]) };
    const { id } = await at.ucp().ready(at.shop, two);
    await at.ucp().complete(at.shop, id);
    const { items } = (await at.shop.admin("GET", "/escalations?status=pending")).body;
    const [{ escalation_id, purchase }] = items;
    const decisions = (await at.shop.admin("GET", "/decisions?outcome=escalated")).body;
    const [{ decision_id }] = decisions.items;
    await at.signedIn(page, "owner", `/orders/${orderId}`);
    await page.getByText(/^Your shop gave these prices on .+\d{4}.+\.$/).waitFor();
    await page.goto(`${at.baseUrl()}/console/${at.domain}/reviews/${escalation_id}`);
    const quoted = page.getByText("Your shop gave these prices on");
    expect(await quoted.locator("time").getAttribute("datetime")).toBe(purchase.quoted_at);
    await page.getByText("Your shop checks these prices again before the payment.").waitFor();
    await page.goto(`${at.baseUrl()}/console/${at.domain}/decisions/${decision_id}`);
    await page.getByText("The prices came from your shop on").waitFor();
    expect(await page.getByText("Your shop gave these prices").count()).toBe(0);
  });

  test("that asks to be connected gets the browser back with a code", async () => {
    const { page } = await at.opened();
    await at.signedIn(page);
    const back = `https://${at.domain}/wp-admin/`;
    await page.route(`https://${at.domain}/**`, (route) => route.fulfill({ body: "back" }));
    const challenge = "c".repeat(43);
    const asks = (to: string, more: object = { challenge }) => {
      const query = { domain: at.domain, return: to, state: "s1", ...more };
      return `${at.baseUrl()}/console/connect-shop?${new URLSearchParams(query)}`;
    };
    await page.goto(asks("https://attacker.example/"));
    await page.getByText("does not lead back to").waitFor();
    await page.goto(asks(back, {}));
    await page.getByText("This link is not complete").waitFor();
    await page.goto(asks(back));
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.waitForURL(`https://${at.domain}/**`);
    const { searchParams } = new URL(page.url());
    expect(searchParams.get("state")).toBe("s1");
    expect(searchParams.get("code")).toMatch(/^[\w-]{43}$/);
  });
});
