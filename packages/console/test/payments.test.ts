import { describe, expect, test } from "vitest";
import { skipChromium } from "../../../test/chromium.ts";
import { desk } from "./desk.ts";

describe.skipIf(skipChromium)("the payment settings:", () => {
  const at = desk();

  test("what an owner confirms about one provider is not confirmed about another, and no wallet is claimed", async () => {
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/settings/payments");
    await page.locator("[data-gate=processor]").waitFor();
    expect(await page.locator("[data-gate=wallet]").count()).toBe(0);
    const paysOut = page.getByLabel("This provider pays out to me");
    // The sandbox pays nobody.
    expect(await paysOut.count()).toBe(0);
    await page.getByLabel("Payment provider").selectOption("stripe");
    expect(await paysOut.isChecked()).toBe(false);
    await page.getByText("under Developers → API keys.").first().waitFor();
    await page.getByRole("link", { name: "Where to find your Stripe keys" }).waitFor();
    await page.getByLabel("Payment provider").selectOption("sandbox");
    expect(await paysOut.count()).toBe(0);
    await at.shop.admin("DELETE", "/processor");
    await page.reload();
    await page.getByText("Connect a payment provider", { exact: true }).waitFor();
    await page.getByLabel("Payment provider").selectOption("stripe");
    expect(await paysOut.isChecked()).toBe(false);
    expect(await page.getByText(/Google Pay is set up/).count()).toBe(0);
    await page.getByLabel("Payment provider").selectOption("sandbox");
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByText("Yes, for test purchases. Agents can buy.").waitFor();
  });

  test("a site that has sold nothing shows an amount of zero, and changes say what they count", async () => {
    const { page } = await at.opened();
    await at.at.order(at.shop, await at.at.buyer(at.shop));
    await at.signedIn(page);
    const heading = page.getByRole("heading", { name: /^Sales/ });
    const sales = page.locator("section").filter({ has: heading }).last();
    await sales.getByText("Nothing was sold in the 7 days before").waitFor();
    const [order] = await at.at.orders(at.shop);
    await at.shop.admin("POST", `/orders/${order.order_id}/cancel`, {});
    // The amount is in the currency of the products.
    const products = [{ id: "rose", title: "A rose", price: "10.00", currency: "EUR" }];
    await at.shop.admin("PUT", "/products", { products });
    await page.reload();
    await sales.getByText("€0.00", { exact: true }).waitFor();
  });
});
