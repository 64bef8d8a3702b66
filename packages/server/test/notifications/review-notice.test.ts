import { expect, test } from "vitest";
import {
  type ReviewNotice,
  reviewEvent,
  reviewMail,
} from "../../src/purchase/notices/review-notice.ts";

const item = { id: "rose", title: "A red\nrose", quantity: 2, unit_minor: 1000 };
const asked = {
  site: { siteKeyHash: "hash", domain: "shop.example.com", skills: [], provider: { live: true } },
  review: {
    escalationId: "esc_1",
    actorId: "agt_1",
    ruleId: "large",
    expiresAt: 0,
    approvalsNeeded: 1,
    request: { skill: "place_order", amount: { minor: 2000, currency: "EUR" }, items: [item] },
  },
  agent: { name: "Buyer", source: "admin" },
  ruleTitle: null,
  timeZone: "Europe/Berlin",
  now: 0,
} as unknown as ReviewNotice;

const CONFIG = { baseUrl: "https://gate.example.com" };

test("a review notification lists the items, each on its own line", () => {
  const { text } = reviewMail({ ...asked, ruleTitle: "More than 50 EUR" }, CONFIG);
  expect(text).toContain(
    "What:    Buy something\n         2 × A red rose (rose)\nAmount:  20.00 EUR\n",
  );
  expect(text).toContain('Why:     your rule "More than 50 EUR"\n');
  expect(text).toContain("Until:   1 Jan 1970, 01:00 (Europe/Berlin), then it is declined");
  const { escalation } = reviewEvent(asked, "msg_1", CONFIG);
  expect(escalation).toMatchObject({
    items: [{ ...item, title: "A red rose" }],
    rule_id: "large",
    rule_title: null,
  });
});

test("a test says so, in the subject and in the text", () => {
  const site = { ...asked.site, provider: { live: false } } as ReviewNotice["site"];
  const { subject, text } = reviewMail({ ...asked, site }, CONFIG);
  expect(subject).toBe("Test: shop.example.com: 20.00 EUR needs review");
  expect(text).toContain("This is a test: no money moves.\n");
});
