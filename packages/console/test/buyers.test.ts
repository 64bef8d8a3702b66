import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { skipChromium } from "../../../test/chromium.ts";
import { eraseExpiredBuyers } from "../../server/src/actions/buyers/erase-expired.ts";
import { deliverMessages } from "../../server/src/actions/notifications/deliver-messages.ts";
import { desk } from "./desk.ts";

const EMAIL = "zoe@example.com";

describe.skipIf(skipChromium)("buyers' data at the console:", () => {
  const at = desk({ platform: true });
  /** Two carts of one buyer: one was given up, and one is in use. */
  async function fillCarts() {
    const call = async (tool: string, args: object) =>
      (await at.at.call(at.shop, args as never, undefined, tool)).result.structuredContent;
    const line_items = [{ item: { id: "rose" }, quantity: 1 }];
    const cart = { line_items, buyer: { first_name: "Zoe", email: EMAIL } };
    const { id } = await call("create_cart", { cart });
    await call("create_cart", { cart });
    await call("cancel_cart", { id });
  }

  test("an owner finds a buyer, exports what is stored, and erases what is not needed", async () => {
    await fillCarts();
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/settings/buyers");
    await page.getByLabel("Email address of the buyer").fill(EMAIL);
    await page.getByRole("button", { name: "Find", exact: true }).click();
    const stored = page.getByRole("list", { name: "What is stored" });
    await stored.getByText("Can be erased.").waitFor();
    await stored.getByText("Still needed: the buyer can still buy, until").waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export" }).click();
    const { carts } = JSON.parse(readFileSync(await (await download).path(), "utf8"));
    expect(carts.map(({ buyer }: { buyer: object }) => buyer)).toEqual([
      { first_name: "Zoe", email: EMAIL },
      { first_name: "Zoe", email: EMAIL },
    ]);
    await page.getByRole("button", { name: "Erase" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Erased from 1 purchase: name, email").waitFor();
    await dialog.getByText("Kept: items, amounts, the country and the audit log.").waitFor();
    await dialog.getByText("You cannot undo this.").waitFor();
    await dialog.getByText("1 purchase is still needed.").waitFor();
    await dialog.getByRole("button", { name: "Erase" }).click();
    await page.getByText("Erased: 0 orders, 0 checkouts, 1 cart. 1 purchase will be").waitFor();
    await expect.poll(() => stored.getByRole("listitem").count()).toBe(1);
    await page.getByText("Erasure requested").waitFor();
    await stored.getByText("Then it is erased within an hour.").waitFor();
    expect(await page.getByRole("button", { name: "Erase" }).count()).toBe(0);
  });

  test("an order is shown by its number, and says when a requested erasure takes effect", async () => {
    const orderId = await at.buysAtPlatform();
    const { email } = (await at.shop.admin("GET", `/orders/${orderId}`)).body.purchase.buyer;
    await at.shop.admin("POST", "/buyers/erase", { email });
    await at.shop.admin("POST", `/orders/${orderId}/cancel`, {});
    await deliverMessages(at.server.context);
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/settings/buyers");
    await page.getByLabel("Email address of the buyer").fill(email);
    await page.getByRole("button", { name: "Find", exact: true }).click();
    const stored = page.getByRole("list", { name: "What is stored" });
    await stored.getByRole("link", { name: /^Order #1001 €/ }).waitFor();
    await stored.getByText("Will be erased within an hour.").waitFor();
  });

  test("an owner sets how long it is kept, and an order says when it was erased", async () => {
    const { page } = await at.opened();
    await at.at.order(at.shop, await at.at.buyer(at.shop));
    const [{ order_id }] = await at.at.orders(at.shop);
    await at.shop.admin("POST", `/orders/${order_id}/cancel`, {});
    await at.signedIn(page, "owner", "/settings/buyers");
    const days = page.getByLabel("Erase buyers' personal data this many days");
    expect(await days.inputValue()).toBe("730");
    await days.fill("0");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    expect((await at.shop.admin("GET", "/buyers/retention")).body).toEqual({ days: 0 });
    await eraseExpiredBuyers(at.server.context, () => false);
    await page.goto(`${at.baseUrl()}/console/${at.domain}/orders/${order_id}`);
    await page.getByText("Erased on").waitFor();
  });
});
