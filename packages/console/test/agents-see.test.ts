import { describe, expect, test } from "vitest";
import { skipChromium } from "../../../test/chromium.ts";
import { desk, expectQuiet } from "./desk.ts";

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
    await answers.getByText('{"catalog":{"query":"rose strauß"}}').waitFor({ state: "attached" });
    await page.getByLabel("Question").fill("Habt ihr Raumschiffe?");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await answers.getByText("No product matches these words.").waitFor();
    const { items } = (await at.shop.admin("GET", "/audit/records?from_seq=0&limit=200")).body;
    const calls = items.filter(
      ({ record }: { record: { type: string } }) => record.type === "mcp.tools_call",
    );
    // The last question found no product, so it was sent to an action too.
    expect(calls).toHaveLength(4);
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

  test("without a live action it says that agents cannot ask, and leads to the actions", async () => {
    await at.shop.admin("PUT", "/skills", { skills: [] });
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/questions");
    await page.getByText("Agents cannot ask yet:").waitFor();
    await page.getByRole("link", { name: "Ask as an agent" }).click();
    await page.getByLabel("Question").fill("Do you deliver to Malta?");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.getByText("An agent would get no answer to this question.").waitFor();
    expect(await page.getByRole("link", { name: /^Publish an answer/ }).count()).toBe(0);
    await page.getByRole("link", { name: "turn on an action" }).click();
    await page.waitForURL("**/settings/skills");
  });

  test.each([["reviewer"], ["auditor"]])(
    "what is on the website is shown to an %s as the last check of an owner found it, without a new check",
    async (role) => {
      const { page } = await at.opened();
      await at.signedIn(page, role, "/agents-see");
      const card = page.locator("section").filter({ hasText: "On your website" }).last();
      await card.getByText("No owner has checked the documents on the website yet.").waitFor();
      await card.locator("[data-item=domain]").getByText("Not checked", { exact: true }).waitFor();
      await card.locator("[data-item=script]").getByText("Not found yet").waitFor();
      await at.shop.admin("POST", "/install-check", {});
      const sent: string[] = [];
      page.on("request", (request) => {
        if (request.url().endsWith("/install-check")) sent.push(request.method());
      });
      await page.reload();
      await card.locator("[data-item='/llms.txt']").waitFor();
      await card.getByText("Checked just now").waitFor();
      expect(sent).toEqual(["GET"]);
      expect(await card.getByRole("button").count()).toBe(0);
    },
  );

  test.each([["owner"], ["auditor"]])(
    "the public page is shown in place, and each document with its state and the time of its check, to an %s",
    async (role) => {
      await at.at.importLines(at.shop, [
        { id: "rose", title: "A red rose", price: "12.50", currency: "EUR" },
      ]);
      const opened = await at.opened();
      const { page } = opened;
      await at.signedIn(page, role, "/agents-see");
      const frame = page.frameLocator("iframe[title='Your public page']");
      await frame.getByText("A red rose").first().waitFor();
      // It is the page with its own style, and it can do nothing here.
      expect(await frame.locator("body").evaluate("getComputedStyle(document.body).margin")).toBe(
        "0px",
      );
      expect(await page.locator("iframe").getAttribute("sandbox")).toBe("");
      const link = page.getByRole("link", { name: "Open the public page" });
      expect(await link.getAttribute("href")).toContain("/v1/agent/");
      const documents = page.getByRole("list", { name: "Documents" }).getByRole("listitem");
      await documents.getByText("Signed and verified").nth(1).waitFor();
      const rows = await documents.locator("summary").allInnerTexts();
      expect(rows.length).toBeGreaterThan(10);
      expect(rows.filter((row) => !/(verified|Published)\s+Checked just now/.test(row))).toEqual(
        [],
      );
      // Raw documents are folded.
      const raw = page.locator("[data-document=llms] pre");
      expect(await raw.isVisible()).toBe(false);
      await page.getByText("llms.txt", { exact: true }).first().click();
      expect(await raw.textContent()).toContain("# ");
      const website = page.locator("section").filter({ hasText: "On your website" }).last();
      const isOwner = role === "owner";
      await website.getByText(isOwner ? "Checked just now" : "No owner has checked").waitFor();
      expectQuiet(opened, at.baseUrl());
    },
  );

  test("a document that agents do not get is a problem, and says why", async () => {
    const { page } = await at.opened();
    await page.route("**/v1/catalog/*", (route) => route.fulfill({ status: 500, body: "" }));
    await page.route("**/v1/agent-card/*", async (route) => {
      const answer = await route.fetch();
      const changed = (await answer.text()).replace(at.domain, "other.example");
      await route.fulfill({ response: answer, body: changed });
    });
    await at.signedIn(page, "auditor", "/agents-see");
    await page.locator("[data-document=catalog]").getByText("Problem").waitFor();
    await page.getByText("could not be loaded (status 500)").waitFor();
    await page.locator("[data-document=card]").getByText("Problem").waitFor();
    await page.unrouteAll();
    await page.getByRole("button", { name: "Check documents again" }).click();
    await page.locator("[data-document=catalog]").getByText("Signed and verified").waitFor();
  });
});
