import { describe, expect, test } from "vitest";
import { skipChromium } from "../../../test/chromium.ts";
import { desk, expectQuiet } from "./desk.ts";

const HOSTILE = '<img src=x onerror="document.title=1"> [Is it \u202efree](javascript:alert(1))?';
const SHOWN = '<img src=x onerror="document.title=1"> [Is it free](javascript:alert(1))?';

describe.skipIf(skipChromium)("the questions page:", () => {
  const at = desk();
  const ask = () => at.askQuestion(HOSTILE);

  test("the owner answers a stranger's question, publishes the answer, and deletes both", async () => {
    await ask();
    const opened = await at.opened();
    const { page } = opened;
    await at.signedIn(page);
    await page.getByRole("link", { name: "1 question from agents to answer" }).click();
    await page.getByRole("link", { name: SHOWN }).click();
    await page.getByText("These are the words of a stranger.", { exact: false }).waitFor();
    expect(await page.locator("main img, main script").count()).toBe(0);
    await page.getByLabel("Your answer").fill("Yes, at <b>any</b> time.");
    await page.getByLabel("Publish the question and the answer").check();
    await page.getByRole("button", { name: "Publish answer" }).click();
    await page.getByText("Saved.").waitFor();
    expect((await ask()).answer).toBe("Yes, at <b>any</b> time.");
    await page.getByRole("navigation").getByRole("link", { name: "Questions" }).click();
    await page.getByText("No new questions").waitFor();
    await page.getByLabel("State").selectOption("answered");
    await page.getByRole("row", { name: /Get pricing Answered Published 2/ }).waitFor();
    await page.getByRole("link", { name: SHOWN }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("No new questions").waitFor();
    expect((await ask()).answer).toBe(undefined);
    expectQuiet(opened, at.baseUrl());
  });

  test("a reviewer dismisses a question and can undo it, and an auditor can only read", async () => {
    await ask();
    const [reviewer, auditor] = [await at.opened(), await at.opened()];
    await at.signedIn(auditor.page, "auditor", "/questions");
    await auditor.page.getByRole("link", { name: SHOWN }).click();
    await auditor.page.getByText("An agent that did not prove who it is").waitFor();
    expect(await auditor.page.getByLabel("Your answer").count()).toBe(0);
    await at.signedIn(reviewer.page, "reviewer", "/questions");
    await reviewer.page.getByRole("link", { name: SHOWN }).click();
    expect(await reviewer.page.getByRole("button", { name: "Delete" }).count()).toBe(0);
    await reviewer.page.getByRole("button", { name: "Dismiss" }).click();
    const undo = reviewer.page.getByRole("status").getByRole("button", { name: "Undo" });
    await undo.click();
    await reviewer.page.getByText("Undone.").waitFor();
    expect((await at.shop.admin("GET", "/questions?state=new")).body.items).toHaveLength(1);
    await reviewer.page.getByRole("button", { name: "Dismiss" }).click();
    await undo.waitFor();
    const { items } = (await at.shop.admin("GET", "/questions?state=dismissed")).body;
    expect(items).toMatchObject([{ question: SHOWN, published: false }]);
  });
});
