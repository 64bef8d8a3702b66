import { describe, expect, test } from "vitest";
import { skipChromium } from "../../../test/chromium.ts";
import { PageBuyer, TYPED } from "../../server/test/ucp/buyer.ts";
import { lines } from "../../server/test/ucp/buying.ts";
import { deciderOf } from "../src/reviews/reviews.ts";
import { desk, expectQuiet } from "./desk.ts";

/** A review decided in one tab is gone from another within this. */
const HEARD_MS = 2000;

describe.skipIf(skipChromium)("the reviews page:", () => {
  const at = desk({ platform: true });

  test("a request that is decided in one tab disappears from another", async () => {
    await at.asks();
    const [one, two] = [await at.opened(), await at.opened()];
    await at.signedIn(one.page, "reviewer", "/reviews");
    await at.signedIn(two.page, "reviewer", "/reviews");
    for (const { page } of [one, two]) {
      await page.getByText("1 × A palm").waitFor();
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

  test("it says that a person pays after the approval, and does not call an unproven caller a platform", async () => {
    await at.checksOut("https://shop.example.com/palm.png");
    const cart = { cart: lines(["palm", 1]) };
    const { result } = await at.ucp().callTool(at.shop, cart, undefined, "create_cart");
    const cartPage = new PageBuyer(at.server.url, result.structuredContent.continue_url);
    await cartPage.look();
    const buyer = new PageBuyer(at.server.url, (await cartPage.press("go")).location);
    await buyer.look();
    await buyer.press("update", TYPED);
    await buyer.look();
    await buyer.press("pay", TYPED);
    const { page } = await at.opened();
    await at.signedIn(page, "reviewer", "/reviews");
    await expect.poll(() => page.locator("article").count()).toBe(2);
    const byPerson = page.locator("article").filter({ hasText: "Unknown (no proof of identity)" });
    await byPerson.getByText("The buyer pays on the payment page after you approve.").waitFor();
    await byPerson.getByText("Earlier requests of unknown callers").waitFor();
    expect(await page.getByText("after you approve").count()).toBe(1);
    expect(await page.getByText("Earlier requests of this platform").count()).toBe(1);
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
    await page.getByText("Earlier requests of this agent").waitFor();
    await page.getByRole("link", { name: "Place an order €100.00" }).waitFor();
  });

  test.each([390, 1440])(
    "at %i pixels it shows what to decide by, and the buttons without scrolling",
    async (width) => {
      const picture = "https://shop.example.com/palm.png";
      const id = await at.checksOut(picture);
      const { page } = await at.opened({ viewport: { width, height: 800 } });
      await page.route(picture, (route) => route.fulfill({ contentType: "image/png", body: "" }));
      await at.signedIn(page, "reviewer", `/reviews/${id}`);
      await page.getByText("Your rules ask for a review when").waitFor();
      await page.getByText("No earlier requests").waitFor();
      expect(await page.locator("article").textContent()).toMatch(
        /€604\.90.*1 × A palm.*Ada.*ada@example\.com.*Gartenstr\. 1.*10115 Berlin.*Germany.*Items ?€600\.00.*Delivery ?€4\.90.*Total ?€604\.90.*more than €500\.00.*No earlier requests/,
      );
      expect(await page.locator(`article img[src="${picture}"]`).count()).toBe(1);
      expect(await page.getByText(id).isVisible()).toBe(false);
      const approve = page.getByRole("button", { name: "Approve" });
      const box = await approve.boundingBox();
      const [top, bottom] = width === 390 ? [600, 800] : [0, 400];
      expect(box?.y).toBeGreaterThan(top);
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(bottom);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    },
  );

  test("keys move between reviews and decide, but not while somebody types", async () => {
    const [one, two] = [await at.asks(), await at.asks("Another palm")];
    const { page } = await at.opened({ viewport: { width: 1440, height: 800 } });
    await at.signedIn(page, "reviewer", "/reviews");
    await page.getByText("K previous").waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
    const reviewOf = page.locator("article").nth(1);
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    expect(await reviewOf.evaluate((review) => review === document.activeElement)).toBe(true);
    await page.keyboard.press("Control+d");
    expect(await page.getByLabel("Reason").count()).toBe(0);
    await page.keyboard.press("d");
    const note = reviewOf.getByLabel(/^Note/);
    await note.fill("");
    await note.press("k");
    await note.press("a");
    expect([await note.inputValue(), await focused()]).toEqual(["ka", ""]);
    await reviewOf.getByRole("button", { name: "Yes, decline" }).click();
    await page.getByText("€600.00: Declined.").waitFor();
    const statusOf = async (id: string) =>
      (await at.shop.admin("GET", `/escalations/${id}`)).body.status;
    expect([await statusOf(one), await statusOf(two)]).toEqual(["pending", "denied"]);
    const three = await at.asks();
    await page.goto(`${at.baseUrl()}/console/${at.domain}/reviews/${one}`);
    await page.getByRole("button", { name: "Approve" }).waitFor();
    await page.keyboard.press("j");
    await page.waitForURL(`**/reviews/${three}`);
    await page.keyboard.press("k");
    await page.waitForURL(`**/reviews/${one}`);
    await page.getByRole("button", { name: "Approve" }).waitFor();
    await page.keyboard.press("a");
    await page.getByRole("button", { name: "Yes, approve" }).waitFor();
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
    await page.getByRole("link", { name: "Show order #1001" }).click();
    await page.getByRole("heading", { name: "Order #1001" }).waitFor();
  });

  test("a decided review says so once, and a missing one links to Home", async () => {
    const id = await at.asks();
    await at.shop.admin("POST", `/escalations/${id}/approve`, {});
    const { page } = await at.opened();
    await at.signedIn(page, "reviewer", `/reviews/${id}`);
    await page.getByText("Why you were asked").waitFor();
    await page.goto(`${at.baseUrl()}/console/${at.domain}/reviews/foo`);
    const problem = page.getByRole("alert").filter({ hasText: "nothing at this address" });
    await problem.getByRole("link", { name: "Go to Home" }).click();
    await page.waitForURL(`**/console/${at.domain}`);
  });

  test("an auditor can look but decides nothing", async () => {
    const id = await at.asks();
    const { page } = await at.opened();
    await at.signedIn(page, "auditor", "/reviews");
    await page.getByText("Details", { exact: true }).click();
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
      // The icons are the page's own.
      const planted = page.locator("main img, main script, main svg:not(.lucide)");
      expect(await planted.count()).toBe(0);
    }
    expect(await page.title()).toBe("Reviews · Gatehouse");
    expectQuiet(opened, at.baseUrl());
  });
});

test("a review that ended without a decision names nobody who decided it", () => {
  const decider = (status: Parameters<typeof deciderOf>[0]["status"]) =>
    deciderOf({ status, decided_by: "reviews.expire" });
  expect([decider("expired"), decider("withdrawn"), decider("invalidated")]).toEqual([
    null,
    null,
    null,
  ]);
  expect(deciderOf({ status: "denied", decided_by: "per_1" })).toBe("per_1");
});
