import { policyPreset } from "@gatehouse/protocol";
import { describe, expect, test } from "vitest";
import { barriersOf, NO_BARRIERS } from "../../../test/barriers.ts";
import { skipChromium } from "../../../test/chromium.ts";
import { policyChanges } from "../src/policy/changes.ts";
import { namedByTitle } from "../src/policy/rule-name.ts";
import { desk, expectQuiet, JOURNEY_VIEWS, journeyOptions } from "./desk.ts";

test("what changed between two versions of the rules is said in sentences", () => {
  const rule = (amount: string, more: object = {}) => ({
    id: "small",
    title: "Small orders",
    effect: "allow",
    when: { "cart.total": { lte: { EUR: amount } } },
    ...more,
  });
  const untitled = { id: "night", effect: "deny", when: { "cart.total": { gt: { EUR: "9.00" } } } };
  const before = { policy: "rules/1", timezone: "UTC", default: "deny", rules: [rule("50.00")] };
  const after = { ...before, timezone: "Europe/Berlin", rules: [rule("80.00"), untitled] };
  const texts = (a: object, b: object) =>
    policyChanges(a as never, b as never).map(({ kind, text }) => `${kind}: ${text}`);
  const declines = "Decline requests when the total is more than €9.00, or in another currency";
  expect(texts(before, after)).toEqual([
    "changed: “Small orders”: “Approve requests when the total is at most €50.00.” is now “Approve requests when the total is at most €80.00.”",
    `new: “${declines}”: ${declines}.`,
    "changed: Times are counted in Europe/Berlin.",
  ]);
  expect(texts(after, before)[1]).toBe(`removed: “${declines}”: ${declines}.`);
  const renamed = { ...before, default: "escalate", rules: [rule("50.00", { title: "Tiny" })] };
  expect(texts(before, renamed)).toEqual([
    "changed: “Small orders” is now called “Tiny”.",
    "changed: If no rule matches a request, ask for review.",
  ]);
  const odd = { ...before, rules: [rule("50.00", { when: { all: [rule("50.00").when] } })] };
  expect(texts(before, odd)).toEqual(["changed: “Small orders” has other details."]);
  expect(texts(before, before)).toEqual([]);
});

test.each([
  [
    "rules[1].when.all[0].cart.total.gt.EUR: is not an amount.",
    "“Large orders”: cart total EUR is not an amount.",
  ],
  ["rules[0].when: must be an object.", "Rule 1: must be an object."],
  ["rules[0].title: must not be empty.", "Rule 1: title must not be empty."],
  ["timezone: must be a name.", "timezone: must be a name."],
])("the problem “%s” of a rule is named by its title: %s", (message, text) => {
  const rules = [{ id: "small" }, { id: "large", title: "Large orders" }];
  expect(namedByTitle(message, { rules })).toBe(text);
});

describe.skipIf(skipChromium)("the rules page:", () => {
  const at = desk();
  const rulesInForce = async () => {
    const { version, document } = (await at.shop.admin("GET", "/policy")).body;
    return { version, titles: document.rules.map(({ title }: { title: string }) => title) };
  };

  test.each(JOURNEY_VIEWS)(
    "at $width pixels in $colorScheme an owner changes the limit in one field, sees what it would have changed, and saves it",
    async (view) => {
      await at.at.order(at.shop, await at.at.buyer(at.shop));
      const preset = policyPreset("automatic_under", { limit: "50.00", currency: "EUR" });
      await at.shop.admin("PUT", "/policy", preset.ok ? preset.value : {});
      const opened = await at.opened(journeyOptions(view));
      const { page } = opened;
      await at.signedIn(page, "owner", "/policy");
      const tried = page.getByRole("status").filter({ hasText: "Of 1 purchase" });
      // Unchanged rules change nothing, whatever was decided before them.
      const same = "none would be decided differently than with your current rules.";
      await tried.getByText(same).waitFor();
      const [limit, ceiling] = [page.getByLabel("Approve up to"), page.getByLabel("Decline above")];
      await limit.fill("");
      await page.getByText("Enter an amount such as 50 or 50.00.").waitFor();
      await limit.fill("150");
      const more =
        "1 would be decided differently than with your current rules: 1 would have been approved (€100.00).";
      await tried.getByText(more).waitFor();
      await page.getByText("Show what would be different").click();
      await page
        .getByText(
          /Your current rules ask for a review\. It would have been approved by the rule “Up to 150/,
        )
        .waitFor();
      await ceiling.fill("90");
      await page.getByText("Enter more than 150 EUR.").waitFor();
      expect(await page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
      await ceiling.fill("1000");
      const rules = page.getByRole("list", { name: "Rules" });
      await rules.getByText("Approve requests when the total is at most €150.00.").waitFor();
      await rules
        .getByText(/Decline requests when .* the total is more than €1,000\.00\./)
        .waitFor();
      expect(await barriersOf(page)).toEqual(NO_BARRIERS);
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Saved. Version 3 decides from now on.").waitFor();
      expect(await rulesInForce()).toEqual({
        version: 3,
        titles: [
          "Requests that move no money",
          "Up to 150.00 EUR",
          "Over 150.00 EUR, or another currency",
          "Over 500.00 EUR a day",
          "Paid by a person on the payment page",
          "Over 1000.00 EUR",
        ],
      });
      expectQuiet(opened, at.baseUrl());
    },
  );

  test("an owner whose rules ask for everything chooses a limit, and sees it as a sentence before it is saved", async () => {
    const preset = policyPreset("ask_always", {});
    await at.shop.admin("PUT", "/policy", preset.ok ? preset.value : {});
    const opened = await at.opened({ viewport: { width: 390, height: 844 } });
    const { page } = opened;
    await at.signedIn(page, "owner", "/policy");
    await page.getByText("Your rules do not fit in one sentence.").waitFor();
    await page.getByText("Choose a new starting point").click();
    await page.getByLabel("Limit").fill("20,00 €");
    expect(await barriersOf(page)).toEqual(NO_BARRIERS);
    await page.getByRole("button", { name: "Use this" }).click();
    expect(await page.getByLabel("Approve up to").inputValue()).toBe("20.00");
    expect((await rulesInForce()).version).toBe(2);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved. Version 3 decides from now on.").waitFor();
    expect((await rulesInForce()).titles).toContain("Up to 20.00 EUR");
    expectQuiet(opened, at.baseUrl());
  });

  test("a rule that cannot take effect says so beside itself", async () => {
    const preset = policyPreset("automatic_under", { limit: "50.00", currency: "USD" });
    await at.shop.admin("PUT", "/policy", preset.ok ? preset.value : {});
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/policy");
    const rule = page.getByRole("listitem").filter({ hasText: "Up to 50.00 USD" });
    await rule
      .getByText("The rule “Up to 50.00 USD” has no effect on purchases, because no product")
      .waitFor();
  });

  test("actions are chosen by their titles, and no warning shows an ID or JSON", async () => {
    const rule = (id: string, effect: string, when: object) => ({ id, title: id, effect, when });
    const rules = [
      rule("all", "allow", { skill: { exists: true } }),
      rule("dear", "deny", { "cart.total": { gt: { EUR: "50.00" } } }),
      rule("support", "escalate", { skill: { in: ["request_demo"] } }),
    ];
    const document = { policy: "rules/1", timezone: "UTC", default: "deny", rules };
    await at.shop.admin("PUT", "/policy", document);
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/policy");
    await page.getByText("add the condition “The request is a purchase”").waitFor();
    await page.getByText("only about “Request a demo”, which is not offered").waitFor();
    await page.getByRole("button", { name: "Edit rule support" }).click();
    const actions = page.getByRole("group", { name: "Actions" });
    expect(await actions.getByLabel("Request a demo").isChecked()).toBe(true);
    await actions.getByLabel("Buy at checkout").check();
    await page
      .getByText(
        "Ask for review of requests when the action is “Request a demo” or “Buy at checkout”.",
      )
      .first()
      .waitFor();
    expect((await page.locator("main").allInnerTexts()).join()).not.toMatch(
      /request_demo|place_order|complete_checkout|[{}]/,
    );
  });
});
