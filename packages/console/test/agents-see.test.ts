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
    // The last question found no product, so it was sent to an action too.
    expect(calls).toHaveLength(5);
  });

  test("a question is answered with the owner's published answer, and says when there is none", async () => {
    const malta = "Do you deliver to Malta?";
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/agents-see");
    const ask = async () => {
      await page.getByLabel("Question").fill(malta);
      await page.getByRole("button", { name: "Ask", exact: true }).click();
    };
    await ask();
    await page.getByText("An agent would get no answer to this question.").waitFor();
    await at.server.context.questions.drain();
    await page.getByRole("link", { name: "Publish an answer under Questions" }).click();
    await page.getByRole("link", { name: malta }).waitFor();
    const [question] = (await at.shop.admin("GET", "/questions")).body.items;
    const answer = { answer: "Yes, within five days.", publish: true };
    await at.shop.admin("POST", `/questions/${question.question_id}/answer`, answer);
    await page.goBack();
    await ask();
    const answers = page.getByRole("list", { name: "Answers" }).getByRole("listitem");
    await answers.first().getByText(answer.answer, { exact: true }).waitFor();
    expect(await page.getByText("An agent would get no answer").count()).toBe(0);
  });

  test("the page says when the website was checked, and offers the public page and the documents", async () => {
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/agents-see");
    await page.getByText(/^Last checked/).waitFor();
    const link = page.getByRole("link", { name: "Open the public page" });
    expect(await link.getAttribute("href")).toContain("/v1/agent/");
    await page.getByLabel("Document", { exact: true }).selectOption("llms.txt");
    // Raw documents are folded.
    expect(await page.getByText("# ").first().isVisible()).toBe(false);
    await page.getByText("Show the document").click();
    await page.getByText("# ").first().waitFor();
  });
});
