import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { skipChromium } from "../../../test/chromium.ts";
import { desk, expectQuiet, withAuthenticator } from "./desk.ts";

describe.skipIf(skipChromium)("people at the console:", () => {
  const at = desk({ named: true });

  /** Invites somebody by a link, and returns the link. */
  async function invite(page: Page, name: string, role: string): Promise<string> {
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByLabel("Role", { exact: true }).selectOption(role);
    await page.getByRole("button", { name: "Send invite" }).click();
    return (await page.getByText(/\/console#link=/).textContent()) ?? "";
  }

  test("an owner invites somebody by link, who signs in, adds a passkey and next time uses it", async () => {
    const owner = await at.opened();
    await at.signedIn(owner.page, "owner", "/settings/people");
    const link = await invite(owner.page, "Rosa", "owner");
    const rosa = await at.opened();
    await withAuthenticator(rosa.page);
    await at.byLink(rosa.page, link);
    await rosa.page.waitForURL(`**/console/${at.domain}`);
    await rosa.page.getByRole("button", { name: "Add a passkey" }).click();
    await rosa.page.getByRole("region", { name: "Add a passkey" }).waitFor({ state: "detached" });
    await rosa.page.getByRole("button", { name: "Sign out" }).click();
    await rosa.page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await rosa.page.getByRole("link", { name: "Rosa" }).click();
    await rosa.page.getByRole("heading", { name: "Your account" }).waitFor();
    await rosa.page.getByText("(this browser)").waitFor();
    expectQuiet(rosa, at.baseUrl());
  });

  test("what the service refuses stands beside its field", async () => {
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/settings/people");
    const problemOf = (label: string) =>
      page.getByLabel(label, { exact: true }).locator("xpath=..").getByRole("alert").textContent();
    await page.getByLabel("Name", { exact: true }).fill("\u202e");
    await page.getByRole("button", { name: "Send invite" }).click();
    expect(await problemOf("Name")).not.toBe("");
    await page.goto(`${at.baseUrl()}/console/${at.domain}/settings/tokens`);
    await page.getByLabel("Name", { exact: true }).fill("\u202e");
    await page.getByRole("button", { name: "Create" }).click();
    expect(await problemOf("Name")).not.toBe("");
  });

  test("what needs a passkey asks for it and continues", async () => {
    const owner = await at.opened();
    await at.signedIn(owner.page, "owner", "/settings/people");
    const link = await invite(owner.page, "Rosa", "owner");
    const rosa = await at.opened();
    await withAuthenticator(rosa.page);
    await at.byLink(rosa.page, link);
    await rosa.page.getByRole("button", { name: "Add a passkey" }).click();
    await rosa.page.getByRole("region", { name: "Add a passkey" }).waitFor({ state: "detached" });
    // As if the confirmation were long ago.
    const { db } = at.server.context;
    await db.run("UPDATE console_sessions SET confirmed_at = NULL");
    await rosa.page.goto(`${at.baseUrl()}/console/${at.domain}/settings/people`);
    expect(await invite(rosa.page, "Rita", "reviewer")).toContain("#link=");
    await rosa.page.getByRole("cell", { name: "Rita Invited" }).waitFor();
    // Without a passkey it says what to do.
    const rita = await at.opened();
    const people = `/v1/admin/sites/${at.shop.site_key_hash}/people`;
    const invited = await at.server.admin("POST", people, { name: "Olga", role: "owner" });
    await at.byLink(rita.page, invited.body.link.url);
    await rita.page.waitForURL(`**/console/${at.domain}`);
    await rita.page.goto(`${at.baseUrl()}/console/${at.domain}/settings/people`);
    await rita.page.getByLabel("Name", { exact: true }).fill("Otto");
    await rita.page.getByRole("button", { name: "Send invite" }).click();
    await rita.page.getByText("Add one in your account first").waitFor();
  });

  test("a link that is opened while somebody is signed in asks who they want to be", async () => {
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/settings/people");
    const link = await invite(page, "Rosa", "owner");
    await page.goto(link);
    await page.getByRole("heading", { name: "You are signed in as owner" }).waitFor();
    await page.getByRole("button", { name: "Stay signed in as owner" }).click();
    await page.getByText("Signed in as owner").waitFor();
    await page.goto("about:blank");
    await page.goto(link);
    await page.getByRole("button", { name: "Sign in with this link" }).click();
    await page.getByText("Signed in as Rosa").waitFor();
  });

  test("a person who approves can undo it, and otherwise it takes effect by itself", async () => {
    const id = await at.asks();
    const people = `/v1/admin/sites/${at.shop.site_key_hash}/people`;
    const invited = await at.server.admin("POST", people, { name: "Rosa", role: "reviewer" });
    const { page } = await at.opened();
    await at.byLink(page, invited.body.link.url);
    await page.waitForURL(`**/console/${at.domain}`);
    // As from the link of the mail.
    await page.goto(`${at.baseUrl()}/console/${at.domain}/reviews/${id}`);
    const approve = () => page.getByRole("button", { name: "Approve" }).click();
    await approve();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Approve" }).waitFor();
    const path = `/escalations/${id}`;
    expect((await at.shop.admin("GET", path)).body).toMatchObject({
      status: "pending",
      verdict: null,
    });
    await approve();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    // As if the ten seconds were over.
    await at.server.context.db.run("UPDATE review_verdicts SET due_at = 0");
    at.server.context.jobs.wake("reviews.decide");
    await expect.poll(async () => (await at.shop.admin("GET", path)).body.status).toBe("approved");
    expect((await at.shop.admin("GET", path)).body.decided_by).toBe(invited.body.person_id);
  });

  test("somebody who is removed is signed out at their next step", async () => {
    const owner = await at.opened();
    await at.signedIn(owner.page, "owner", "/settings/people");
    const link = await invite(owner.page, "Rosa", "reviewer");
    const rosa = await at.opened();
    await at.byLink(rosa.page, link);
    await rosa.page.waitForURL(`**/console/${at.domain}`);
    await owner.page.reload();
    await owner.page.getByRole("button", { name: "Remove" }).click();
    await owner.page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await owner.page.getByText("No people yet").waitFor();
    await rosa.page.getByRole("link", { name: "Orders", exact: true }).click();
    await rosa.page.getByRole("heading", { name: "Sign in to Gatehouse" }).waitFor();
  });
});
