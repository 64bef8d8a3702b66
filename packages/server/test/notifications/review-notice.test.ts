import { expect, test } from "vitest";
import { type ReviewNotice, reviewMail } from "../../src/purchase/notices/review-mail.ts";
import { reviewEvent } from "../../src/purchase/notices/review-notice.ts";

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
    "What:   Buy something\n        2 × A red rose, €10.00 each\nTotal:  €20.00\n",
  );
  expect(text).toContain('Why:    your rule "More than 50 EUR"\n');
  expect(text).toContain("Until:  1 Jan 1970, 01:00 (Europe/Berlin), then it is declined");
  const { escalation } = reviewEvent(asked, "msg_1", CONFIG);
  expect(escalation).toMatchObject({
    items: [{ ...item, title: "A red rose" }],
    rule_id: "large",
    rule_title: null,
  });
});

test("a mail about a checkout names the buyer, the address and what the total is made of, and a chat does not", () => {
  const address = {
    id: "home",
    first_name: "Ann",
    last_name: "Smith https://evil.example/x",
    street_address: "1 Main St\nWho: nobody",
    address_locality: "Springfield",
    address_region: "IL",
    postal_code: "62704",
    address_country: "US",
  };
  const checkout = {
    content: {
      buyer: { first_name: "Bob", last_name: "Jones", email: "bob@example.com" },
      delivery: { addresses: [address], addressId: "home", optionId: "post" },
    },
    quote: {
      currency: "EUR",
      ships: true,
      totals: { subtotalMinor: 2000, shippingMinor: 490, taxMinor: 150, totalMinor: 2640 },
    },
  };
  const review = { ...asked.review, request: { ...asked.review.request } };
  const notice = { ...asked, review, checkout } as unknown as ReviewNotice;
  const { text, mailText = "" } = reviewMail(notice, CONFIG);
  expect(mailText).toContain(
    [
      "Items:     €20.00",
      "Delivery:  €4.90",
      "Tax:       €1.50",
      "Total:     €20.00",
      "Buyer:     Bob Jones",
      "To:        Ann Smith https: // evil. example/ x",
      "           1 Main St Who: nobody",
      "           62704 Springfield IL",
      "           United States",
      'Who:       an agent that you call "Buyer"',
      "Why:       one of your rules",
    ].join("\n"),
  );
  for (const raw of ["agt_1", "large", "(rose)", "bob@"]) expect(mailText).not.toContain(raw);
  expect(text).toContain("Delivery:  €4.90");
  for (const name of ["Bob", "Ann", "Main St"]) expect(text).not.toContain(name);
});

test.each([
  ["https://buyer.example/.well-known/ucp", null, "the platform buyer.example"],
  ["https://buyer.example/.well-known/ucp", "Rosa's assistant", 'the platform "Rosa\'s assistant"'],
  ["unsigned https://buyer.example/p", null, 'a platform that says it is "buyer. example"'],
])(
  "a mail names the platform %s, which the owner calls %s, as %s",
  (actorId, platformName, words) => {
    const agent = { name: actorId.replace("unsigned ", ""), source: "self" } as const;
    const review = { ...asked.review, actorId };
    const { text } = reviewMail({ ...asked, review, agent, platformName }, CONFIG);
    expect(text).toContain(`Who:    ${words}\n`);
  },
);

test("a review of a purchase that a person pays says so", () => {
  const request = { ...asked.review.request, hosted: true as const };
  const { text } = reviewMail({ ...asked, review: { ...asked.review, request } }, CONFIG);
  expect(text).toContain(
    "Total:    €20.00\nPayment:  The buyer pays on the payment page after you approve.\n",
  );
  expect(reviewMail(asked, CONFIG).text).not.toContain("Payment:");
});

test("a test says so, in the subject and in the text", () => {
  const site = { ...asked.site, provider: { live: false } } as ReviewNotice["site"];
  const { subject, text } = reviewMail({ ...asked, site }, CONFIG);
  expect(subject).toBe("Test: shop.example.com: €20.00 needs review");
  expect(text).toContain("This is a test: no money moves.\n");
});
