import { describe, expect, test } from "vitest";
import { skipChromium } from "../../../test/chromium.ts";
import { desk, expectQuiet } from "./desk.ts";

/** A review decided in one tab is gone from another within this. */
const HEARD_MS = 2000;

describe.skipIf(skipChromium)("the reviews page:", () => {
  const at = desk();

  test("a request that is decided in one tab disappears from another", async () => {
    const id = await at.asks();
    const [one, two] = [await at.opened(), await at.opened()];
    await at.signedIn(one.page, "reviewer", "/reviews");
    await at.signedIn(two.page, "reviewer", "/reviews");
    for (const { page } of [one, two]) {
      await page.getByText(id).waitFor();
      expect(await page.locator("article").textContent()).toMatch(/€600\.00.*1 × A palm/);
    }
    await one.page.getByRole("button", { name: "Approve" }).click();
    await one.page.getByRole("button", { name: "Cancel" }).click();
    await one.page.getByRole("button", { name: "Approve" }).click();
    await one.page.getByRole("button", { name: "Yes, approve" }).click();
    await one.page.getByText("Approved. The payment is authorized.").waitFor();
    await two.page.getByText("Nothing to review").waitFor({ timeout: HEARD_MS });
    expect(await at.at.orders(at.shop)).toHaveLength(1);
    for (const opened of [one, two]) expectQuiet(opened, at.baseUrl());
  });

  test("it shows why a review cannot be approved now, and keeps it pending", async () => {
    const id = await at.asks();
    const sandbox = { kind: "sandbox", rail_on: true, settles: true };
    await at.shop.admin("PUT", "/processor", { ...sandbox, rail_on: false });
    const { page } = await at.opened();
    await at.signedIn(page, "reviewer", "/reviews");
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("button", { name: "Yes, approve" }).click();
    await page
      .getByText("The site is not ready to sell. Let agents pay through the payment provider.")
      .waitFor();
    expect((await at.shop.admin("GET", `/escalations/${id}`)).body.status).toBe("pending");
    await at.shop.admin("PUT", "/processor", sandbox);
    await page.getByRole("button", { name: "Yes, approve" }).click();
    await page.getByText("Approved. The payment is authorized.").waitFor();
  });

  test("a review is denied with a reason and a note, and only the log gets the note", async () => {
    const id = await at.asks();
    const { page } = await at.opened();
    await at.signedIn(page, "reviewer", "/reviews");
    await page.getByRole("button", { name: "Decline" }).click();
    await page.getByLabel("Reason").selectOption("suspected_fraud");
    await page.getByLabel(/^Note/).fill("Looks odd");
    await page.getByRole("button", { name: "Yes, decline" }).click();
    await page.getByText("€600.00: Declined.").waitFor();
    const { body } = await at.shop.admin("GET", `/escalations/${id}`);
    const said = { status: "denied", reason_code: "suspected_fraud", note: "Looks odd" };
    expect(body).toMatchObject(said);
    await page.getByLabel("State").selectOption("denied");
    await page.getByRole("link", { name: "€600.00" }).click();
    await page.getByText("Looks odd").waitFor();
    await page.getByText("It looks like fraud").waitFor();
  });

  test("it shows how much time is left, how old the request is, and what the agent did before", async () => {
    const buyer = await at.at.buyer(at.shop);
    await at.at.order(at.shop, buyer);
    await at.asks("A palm", buyer);
    const { page } = await at.opened();
    await at.signedIn(page, "reviewer", "/reviews");
    await page.getByText(/Requested just now, 4 hours left \(until .+\)/).waitFor();
    await page.getByText("Earlier requests").click();
    await page.getByRole("link", { name: "Place an order €100.00" }).waitFor();
  });

  test("the page of a review does not link to itself, also after the decision", async () => {
    const id = await at.asks();
    const { page } = await at.opened();
    await at.signedIn(page, "reviewer", `/reviews/${id}`);
    await page.getByRole("button", { name: "Approve" }).click();
    expect(await page.locator(`main a[href$="/reviews/${id}"]`).count()).toBe(0);
    await page.getByRole("button", { name: "Yes, approve" }).click();
    await page
      .getByRole("status")
      .filter({ hasText: "Approved. The payment is authorized." })
      .waitFor();
    expect(await page.locator(`main a[href$="/reviews/${id}"]`).count()).toBe(0);
  });

  test("an auditor can look but decides nothing", async () => {
    const id = await at.asks();
    const { page } = await at.opened();
    await at.signedIn(page, "auditor", "/reviews");
    await page.getByText(id).waitFor();
    expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0);
  });

  test("hostile text is shown as plain text", async () => {
    const hostile = '<img src=x onerror="document.title=1"> <script>alert(1)</script>';
    const name = '"><svg onload=alert(2)>';
    await at.asks(hostile, await at.at.buyer(at.shop, { name }));
    const opened = await at.opened();
    const { page } = opened;
    await at.signedIn(page, "reviewer", "/reviews");
    await page.getByText("onerror").waitFor();
    for (const path of [
      "/agents",
      "/decisions",
      "/audit",
      "/products?q=img",
      "/reviews?status=all",
    ]) {
      await page.goto(`${at.baseUrl()}/console/${at.domain}${path}`);
      await page.locator("main table tbody tr").first().waitFor();
      expect(await page.locator("main img, main script, main svg").count()).toBe(0);
    }
    expect(await page.title()).toBe("Reviews · Gatehouse");
    expectQuiet(opened, at.baseUrl());
  });
});
