import { describe, expect, test } from "vitest";
import { barriersOf, NO_BARRIERS } from "../../../test/barriers.ts";
import { skipChromium } from "../../../test/chromium.ts";
import { desk, expectQuiet, withAuthenticator } from "./desk.ts";

describe.skipIf(skipChromium)("the first owner", () => {
  const at = desk({ named: true });

  test("creates an account with the link from the terminal, adds a passkey, and signs in with it next time", async () => {
    const url = await at.link();
    const owner = await at.opened({ bypassCSP: true });
    await withAuthenticator(owner.page);
    await owner.page.goto(url);
    await owner.page.getByRole("heading", { name: "Create your account" }).waitFor();
    expect(new URL(owner.page.url()).hash).toBe("");
    expect(await barriersOf(owner.page)).toEqual(NO_BARRIERS);
    // Opening the link has created nobody.
    expect((await at.server.admin("GET", "/v1/admin/people")).body.items).toEqual([]);
    await owner.page.getByLabel("Your name").fill("Olga");
    await owner.page.getByLabel("Email (optional)").fill("olga@example.com");
    await owner.page.getByRole("button", { name: "Create account" }).click();
    await owner.page.getByRole("heading", { name: "Add a passkey" }).waitFor();
    expect(await barriersOf(owner.page)).toEqual(NO_BARRIERS);
    await owner.page.getByRole("button", { name: "Add a passkey" }).click();
    await owner.page.getByText("Signed in as Olga (operator)").waitFor();
    await owner.page.goto(`${at.baseUrl()}/console/account`);
    const wayOut = owner.page.getByText("If you lost your passkeys, ask another owner");
    const { person_id } = (await at.server.admin("GET", "/v1/admin/people")).body.items[0];
    expect(await wayOut.textContent()).toContain(`person link ${person_id} --reset`);
    expect(await barriersOf(owner.page)).toEqual(NO_BARRIERS);
    await owner.page.getByRole("button", { name: "Sign out" }).click();
    await owner.page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await owner.page.getByText("Signed in as Olga (operator)").waitFor();
    expectQuiet(owner, at.baseUrl());
    // Somebody who finds the link later is told, and becomes nobody.
    const other = await at.opened();
    await other.page.goto(url);
    await other.page.getByLabel("Your name").fill("Eve");
    await other.page.getByRole("button", { name: "Create account" }).click();
    await other.page.getByText("This link was already used or has expired.").waitFor();
    await other.page.getByRole("button", { name: "Go to sign-in" }).click();
    await other.page.getByRole("heading", { name: "Sign in to Gatehouse" }).waitFor();
    expect((await at.server.admin("GET", "/v1/admin/people")).body.items).toHaveLength(1);
  });

  test("looks after colleagues: sees where they are signed in, ends a session, and resets a lost device", async () => {
    const people = `/v1/admin/sites/${at.shop.site_key_hash}/people`;
    const oscar = { name: "Oscar", role: "operator" };
    const operator = (await at.server.admin("POST", "/v1/admin/people", oscar)).body.link.url;
    const owner = await at.opened();
    await withAuthenticator(owner.page);
    await at.byLink(owner.page, operator);
    await owner.page.getByRole("button", { name: "Add a passkey" }).click();
    await owner.page.getByRole("region", { name: "Add a passkey" }).waitFor({ state: "detached" });
    const invited = await at.server.admin("POST", people, { name: "Rosa", role: "reviewer" });
    const rosa = await at.opened();
    await at.byLink(rosa.page, invited.body.link.url);
    await rosa.page.waitForURL(`**/console/${at.domain}`);
    await owner.page.goto(`${at.baseUrl()}/console/${at.domain}/settings/people`);
    const row = owner.page.getByRole("row", { name: /Rosa/ });
    await row.getByRole("button", { name: "Sessions" }).click();
    const dialog = owner.page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Sign out" }).click();
    await dialog.getByText("Not signed in anywhere.").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await rosa.page.getByRole("link", { name: "Orders", exact: true }).click();
    await rosa.page.getByRole("heading", { name: "Sign in to Gatehouse" }).waitFor();
    await row.getByRole("button", { name: "Lost device" }).click();
    await dialog.getByRole("button", { name: "Reset sign-in" }).click();
    const link = await row.getByText(/\/console#link=/).textContent();
    await at.byLink(rosa.page, link ?? "");
    await rosa.page.getByText("Signed in as Rosa").waitFor();
    expectQuiet(owner, at.baseUrl());
  });

  test("is told whose passkeys no longer work after the address of the service has changed", async () => {
    const people = `/v1/admin/sites/${at.shop.site_key_hash}/people`;
    const { body } = await at.server.admin("POST", people, { name: "Rosa", role: "reviewer" });
    const rosa = await at.opened();
    await withAuthenticator(rosa.page);
    await at.byLink(rosa.page, body.link.url);
    await rosa.page.getByRole("button", { name: "Add a passkey" }).click();
    await rosa.page.getByRole("region", { name: "Add a passkey" }).waitFor({ state: "detached" });
    // As if it were from before the change.
    const { db } = at.server.context;
    await db.run("UPDATE passkeys SET rp_id = ? WHERE person_id = ?", "old.test", body.person_id);
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/settings/people");
    await page.getByText("The passkey of 1 person no longer works").waitFor();
    await page.getByRole("row", { name: /Rosa.*Passkey unusable/i }).waitFor();
    await rosa.page.goto(`${at.baseUrl()}/console/account`);
    await rosa.page.getByText("belongs to an earlier address").waitFor();
  });
});

describe.skipIf(skipChromium)("at an IP address of this machine", () => {
  const at = desk();

  test("the sign-in page and the set-up page lead to localhost, where a passkey can be made", async () => {
    const localhost = at.baseUrl().replace("127.0.0.1", "localhost");
    const { page } = await at.opened();
    await withAuthenticator(page);
    await page.goto(`${at.baseUrl()}/console`);
    await page.getByRole("link", { name: `Open ${localhost}` }).click();
    await page.getByRole("button", { name: "Sign in with a passkey" }).waitFor();
    expect(new URL(page.url()).origin).toBe(localhost);
    await page.goto(await at.link());
    await page.getByText("Passkeys do not work at this address.").waitFor();
    await page.getByText("Continue here without a passkey").waitFor();
    await page.getByRole("link", { name: `Open ${localhost}` }).click();
    await page.getByLabel("Your name").fill("Olga");
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByText("Signed in as Olga (operator)").waitFor();
    expect(new URL(page.url()).origin).toBe(localhost);
  });

  test("a token gets a life of 90 days unless another is chosen", async () => {
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/settings/tokens");
    const create = async (name: string) => {
      await page.getByLabel("Name", { exact: true }).fill(name);
      await page.getByRole("button", { name: "Create", exact: true }).click();
      await page.getByRole("row", { name: new RegExp(name) }).waitFor();
    };
    await create("Warehouse");
    await page.getByLabel("Expires after").selectOption("never");
    await create("Archive");
    await page.getByRole("row", { name: /Archive.*Never/ }).waitFor();
    const { items } = (await at.shop.admin("GET", "/tokens")).body;
    const lifeOf = (name: string) => {
      const token = items.find((one: { name: string }) => one.name === name);
      if (token.expires_at === null) return null;
      return (Date.parse(token.expires_at) - Date.parse(token.created_at)) / 86_400_000;
    };
    expect([lifeOf("Warehouse"), lifeOf("Archive")]).toEqual([90, null]);
    await at.server.context.db.run("UPDATE admin_tokens SET expires_at = 1 WHERE name = 'Archive'");
    await page.reload();
    await page.getByRole("row", { name: /Archive.*Expired/ }).waitFor();
  });
});
