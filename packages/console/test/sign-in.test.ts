import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { Request, Route } from "playwright-core";
import { describe, expect, test } from "vitest";
import { skipChromium } from "../../../test/chromium.ts";
import { desk, expectQuiet } from "./desk.ts";

const folder = fileURLToPath(new URL("../../server/dist/assets/console/", import.meta.url));

test("all scripts of the console are at most 300 KB of compressed script", () => {
  // More is counted than any first load can ask for: every script there is.
  const all = readdirSync(`${folder}assets`).filter((name) => name.endsWith(".js"));
  const bytes = all.reduce(
    (sum, name) => sum + gzipSync(readFileSync(`${folder}assets/${name}`)).length,
    0,
  );
  expect(all.length).toBeGreaterThan(1);
  expect(bytes).toBeLessThanOrEqual(300 * 1024);
});

describe.skipIf(skipChromium)("signing in to the console:", () => {
  const at = desk();

  test("a link from the terminal signs in once, and leaves no trace in the address", async () => {
    const one = await at.opened();
    const url = await at.link(await at.tokenOf("owner"));
    await at.byLink(one.page, url);
    await one.page.waitForURL(`**/console/${at.domain}`);
    await one.page.getByRole("heading", { name: at.domain }).waitFor();
    expect(await one.page.evaluate("document.cookie")).toBe("");
    expectQuiet(one, at.baseUrl());
    const other = await at.opened();
    await at.byLink(other.page, url);
    await other.page.getByRole("alert").waitFor();
    expect(await other.page.getByRole("alert").textContent()).toContain("was already used");
    expect(new URL(other.page.url()).hash).toBe("");
  });

  test("a link signs in somebody else in place of who was signed in, and the pages load", async () => {
    const { page } = await at.opened();
    await at.byLink(page, await at.link(await at.tokenOf("owner")));
    await page.waitForURL(`**/console/${at.domain}`);
    await at.byLink(page, await at.link(await at.tokenOf("auditor")));
    await page
      .getByRole("button", { name: "Sign in with this link" })
      .waitFor({ state: "detached" });
    await page.getByRole("heading", { name: at.domain }).waitFor();
    await page.getByText("Signed in as auditor").waitFor();
  });

  test("a token signs in, a wrong one is refused with a message, and signing out ends the session", async () => {
    const { page } = await at.opened();
    await page.goto(`${at.server.url}/console`);
    await page.getByText("For programs").click();
    await page.getByLabel("Token").fill("wrong");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("alert").getByText("This token does not exist or was revoked.").waitFor();
    expect(await page.getByLabel("Token").getAttribute("aria-invalid")).toBe("true");
    await page.getByLabel("Token").fill(await at.tokenOf("reviewer"));
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.waitForURL(`**/console/${at.domain}`);
    await page.reload();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("For programs").waitFor();
    await page.reload();
    await page.getByText("For programs").waitFor();
  });

  test("a person of one site finds no other, by name or by key", async () => {
    const { page } = await at.opened();
    const other = await at.at.shop();
    await at.signedIn(page);
    await page.goto(`${at.baseUrl()}/console/${other.site_key_hash}/orders`);
    await page.getByRole("heading", { name: "Site not found" }).waitFor();
    await page.getByText("Or you do not have access to it.").waitFor();
    await page.getByRole("button", { name: "Site: Choose a site" }).click();
    const offered = await page.getByRole("option").allTextContents();
    expect(offered).toEqual([expect.stringContaining(at.domain), "All sites"]);
  });

  test("a link does nothing until it is confirmed, and a malformed one is not sent to the service", async () => {
    const { page } = await at.opened();
    const asked: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") asked.push(request.url());
    });
    await page.goto(await at.operatorLink());
    await page.getByText("Continue only if you created it").waitFor();
    for (const wrong of ["guess", "a".repeat(42), "%2e"]) {
      await page.goto(`${at.baseUrl()}/console#code=${wrong}`);
      await page.reload();
      await page.getByText("For programs").waitFor();
    }
    expect(asked).toEqual([]);
  });

  test("a person whose token was revoked can sign in again at once, and sees nothing from before", async () => {
    const { page } = await at.opened();
    const made = await at.server.admin("POST", "/v1/admin/tokens", {
      name: "Rita",
      role: "reviewer",
      sites: [at.shop.site_key_hash],
    });
    await at.byLink(page, await at.link(made.body.token));
    await page.getByText("Signed in as Rita (reviewer)").waitFor();
    await page.getByRole("heading", { name: at.domain }).waitFor();
    await at.server.admin("DELETE", `/v1/admin/tokens/${made.body.token_id}`);
    // The page may have noticed by itself, and ask to sign in already: then nothing is clicked.
    const agents = page.getByRole("link", { name: "Agents and platforms" });
    await agents.evaluateAll((links) =>
      links.forEach((link) => void (link as HTMLElement).click()),
    );
    await page.getByText("Your session has ended.").waitFor();
    await page.getByText("For programs").click();
    await page.getByLabel("Token").fill(await at.tokenOf("auditor"));
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("Signed in as auditor").waitFor();
    await page.locator("main h1").waitFor();
  });

  test("a person who lost access before the page could follow changes is asked to sign in without a click", async () => {
    const { page } = await at.opened();
    const made = await at.server.admin("POST", "/v1/admin/tokens", {
      name: "Rosa",
      role: "reviewer",
      sites: [at.shop.site_key_hash],
    });
    const held = new Promise<Route>((resolve) => {
      void page.route("**/changes", (route) => resolve(route), { times: 1 });
    });
    const unanswered = new Set<Request>();
    page.on("request", (request) => void unanswered.add(request));
    page.on("requestfinished", (request) => void unanswered.delete(request));
    await at.byLink(page, await at.link(made.body.token));
    const stream = await held;
    await page.getByRole("heading", { name: at.domain }).waitFor();
    await expect.poll(() => unanswered.size).toBe(1);
    await at.server.admin("DELETE", `/v1/admin/tokens/${made.body.token_id}`);
    await stream.continue();
    await page.getByText("Your session has ended.").waitFor();
  });

  test("a late answer to an ended session does not end the next one", async () => {
    const { page } = await at.opened();
    await at.signedIn(page, "reviewer");
    const held = new Promise<Route>((resolve) => {
      void page.route("**/agents?*", (route) => resolve(route), { times: 1 });
    });
    await page.getByRole("link", { name: "Agents and platforms" }).click();
    const late = await held;
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("For programs").click();
    await page.getByLabel("Token").fill(await at.tokenOf("auditor"));
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("Signed in as auditor").waitFor();
    const answered = page.waitForResponse((response) => response.status() === 401);
    const unknown = { error: "unauthorized", message: "Nobody is signed in.", docs_url: "" };
    await late.fulfill({ status: 401, json: unknown });
    await (await answered).finished();
    await page.getByRole("link", { name: "Orders", exact: true }).click();
    await page.getByRole("heading", { name: "Orders" }).waitFor();
  });

  test("the content security policy allows only the console's own files, and pictures", async () => {
    const { headers } = await fetch(`${at.server.url}/console/anything/reviews`);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    // Pictures of products are where their owner keeps them; everything else is the console's own.
    expect(policy.replace("img-src 'self' data: blob: https:", "")).not.toMatch(
      /unsafe|\*|https?:/,
    );
    expect(policy).toContain("frame-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
    const missing = await fetch(`${at.server.url}/console/assets/nothing.js`);
    expect(missing.status).toBe(404);
  });
});
