import { describe, expect, test } from "vitest";
import { skipChromium } from "../../../test/chromium.ts";
import { desk } from "./desk.ts";

describe.skipIf(skipChromium)("what agents see:", () => {
  const at = desk();

  test("a question is answered with the products and prices that an agent would get", async () => {
    await at.at.importLines(at.shop, [
      { id: "rose", title: "A red rose", price: "12.50", currency: "EUR" },
    ]);
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/agents-see");
    await page.getByLabel("Question").fill("What does a red rose cost?");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    const answers = page.getByRole("list", { name: "Answers" });
    await answers.getByText("A red rose", { exact: true }).waitFor();
    await answers.getByText("€12.50", { exact: true }).waitFor();
    await answers.getByText("How the agent asked").first().click();
    await answers.getByText('{"catalog":{"query":"red rose"}}').waitFor();
    await page.getByLabel("Question").fill("Was kostet ein rose Strauß?");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await answers.getByText('{"catalog":{"query":"rose"}}').waitFor({ state: "attached" });
    await page.getByLabel("Question").fill("Habt ihr Raumschiffe?");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await answers.getByText("No product matches these words.").waitFor();
    const { items } = (await at.shop.admin("GET", "/audit/records?from_seq=0&limit=200")).body;
    const calls = items.filter(
      ({ record }: { record: { type: string } }) => record.type === "mcp.tools_call",
    );
    expect(calls).toHaveLength(4);
  });

  test("the page says when the website was checked, and offers the public page and the documents", async () => {
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/agents-see");
    await page.getByText(/^Last checked/).waitFor();
    const link = page.getByRole("link", { name: "Open the public page" });
    expect(await link.getAttribute("href")).toContain("/v1/agent/");
    await page.getByLabel("Document", { exact: true }).selectOption("llms.txt");
    await page.getByText("# ").first().waitFor();
  });
});
