import { expect, test } from "vitest";
import {
  type ReviewNotice,
  reviewEvent,
  reviewMail,
} from "../../src/purchase/notices/review-notice.ts";

const item = { id: "rose", title: "A red\nrose", quantity: 2, unit_minor: 1000 };
const asked = {
  site: { siteKeyHash: "hash", domain: "shop.example.com" },
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
  now: 0,
} as unknown as ReviewNotice;

test("a review notification lists the items, each on its own line", () => {
  const { text } = reviewMail({ ...asked, ruleTitle: "More than 50.00 EUR" });
  expect(text).toContain(
    "What:    place_order\n         2 × A red rose (rose)\nAmount:  20.00 EUR\n",
  );
  expect(text).toContain("Rule:    large (More than 50.00 EUR)\n");
  const { escalation } = reviewEvent(asked, "msg_1", { baseUrl: "https://gate.example.com" });
  expect(escalation).toMatchObject({
    items: [{ ...item, title: "A red rose" }],
    rule_id: "large",
    rule_title: null,
  });
});
