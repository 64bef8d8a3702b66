import { testMail } from "../../src/actions/notifications/test-notifications.ts";
import { expiryMail } from "../../src/actions/orders/check-expiring-orders.ts";
import { linkMail } from "../../src/actions/people/link-mail.ts";
import { missingMail } from "../../src/actions/product-feeds/notify-missing.ts";
import { questionsMail } from "../../src/actions/questions/notify-questions.ts";
import { mailHtml } from "../../src/infra/mail/html.ts";
import { capturedMail } from "../../src/purchase/notices/captured-notice.ts";
import { mailOf, type NoticeWords } from "../../src/purchase/notices/chat-message.ts";
import { declinesMail } from "../../src/purchase/notices/declines-notice.ts";
import { reviewMail } from "../../src/purchase/notices/review-mail.ts";
import { buyerMail } from "../../src/purchase/orders/buyer-mail.ts";
import { disputedMail, soldMail } from "../../src/purchase/orders/order-notice.ts";

const DAY_MS = 86_400_000;
const now = Date.parse("2030-05-17T10:00:00Z");
const baseUrl = "https://gate.example.com";
const domain = "flowers.example";
const place = { baseUrl, timeZone: "Europe/Vienna" };
const EUR = "EUR";

const site = {
  siteKeyHash: "0".repeat(64),
  domain,
  name: "Fern & Petal",
  skills: [],
  provider: { kind: "stripe", live: true },
};
const line = (lineId: string, title: string, quantity: number, unit_minor: number) => {
  return { lineId, id: lineId, title, quantity, unit_minor, total: quantity, fulfilled: 0 };
};
const lines = [
  line("li_1", "Bouquet of red roses", 2, 2490),
  line("li_2", "Hand-painted vase", 1, 1260),
];
const totals = { subtotalMinor: 6240, discountMinor: 0, shippingMinor: 490, fees: [], taxMinor: 0 };
const order = {
  orderId: "ord_7Yk2mVfQ",
  siteKeyHash: site.siteKeyHash,
  number: 1042,
  attemptId: "pay_01JCQ7X4M8",
  amount: { minor: 6730, currency: EUR },
  payment: "authorized",
  status: "open",
  expiresAt: now + 5 * DAY_MS,
};
const whole = { order, checkout: { quote: { totals } }, lines, events: [], adjustments: [] };
const shipment = {
  carrier: "Post",
  trackingNumber: "RR123456785AT",
  trackingUrl: "https://post.example/RR123456785AT",
  description: "Please keep the flowers cool.",
  lines: [{ id: "li_1", quantity: 2 }],
};
const cancelled = {
  ...whole,
  lines: [lines[0], { ...lines[1], total: 0 }],
  adjustments: [{ kind: "cancellation", description: "The vase broke." }],
};
const mandateReview = {
  escalationId: "esc_4Zk1mVfQ",
  actorId: "agt_4Zk1mVfQ",
  approvalsNeeded: 1,
  expiresAt: now + DAY_MS / 6,
  request: {
    skill: "place_order",
    amount: { minor: 60000, currency: EUR },
    items: [{ id: "palm", title: "A palm", quantity: 1, unit_minor: 60000 }],
  },
};
const checkout = {
  content: {
    buyer: { first_name: "Rosa", last_name: "Ling" },
    delivery: {
      addressId: null,
      addresses: [
        {
          id: "home",
          street_address: "Harbour Road 3",
          postal_code: "1010",
          address_locality: "Vienna",
          address_country: "AT",
        },
      ],
    },
  },
  quote: { ships: true, currency: EUR, totals: { ...totals, subtotalMinor: 60000 } },
};
const checkoutReview = {
  ...mandateReview,
  actorId: "https://assistant.example/.well-known/ucp",
  request: {
    ...mandateReview.request,
    skill: "complete_checkout",
    amount: { minor: 60490, currency: EUR },
  },
};
const review = { site, review: mandateReview, ...place, now };
const buyer = { site, url: `${baseUrl}/v1/ucp/${site.siteKeyHash}/pages/pg_1` };
const owner = { domain, isTest: false, ...place };
const questions = ["Do you deliver to Malta?", "Can I collect on Sunday?"];
const link = `${baseUrl}/console#link=${"x".repeat(43)}`;

/** Mails to buyers name their shop themselves, and those about the installation name none. */
type Words = NoticeWords & { readonly shop?: string };
const ABOUT_INSTALLATION: readonly string[] = ["invitation", "sign-in"];

/** Each kind as its own function writes it, of an order, review or question that has everything. */
const WORDS: Readonly<Record<string, Words>> = {
  review: reviewMail(
    { ...review, agent: { name: "Assistant", source: "self" }, ruleTitle: "Over €500" } as never,
    place,
  ),
  "review-of-checkout": reviewMail(
    {
      ...review,
      review: checkoutReview,
      agent: { name: "https://assistant.example/.well-known/ucp", source: "self" },
      platformName: "Rosa's assistant",
      ruleTitle: null,
      checkout,
    } as never,
    place,
  ),
  sold: soldMail(whole as never, owner),
  "sold-test": soldMail(whole as never, { ...owner, isTest: true }),
  disputed: disputedMail(
    whole as never,
    { adjustmentId: "dp_1", amountMinor: 6730 } as never,
    owner,
  ),
  expiring: expiryMail({ domain, order: order as never, expiresAt: now + DAY_MS }, place),
  captured: capturedMail({
    domain,
    payment: { amount: order.amount, reference: "pi_3Q", attemptId: order.attemptId },
    captured: null,
    reason: "not enough stock",
  } as never),
  declines: declinesMail({ domain, declined: 42, until: now, siteKeyHash: "", now }, place),
  missing: missingMail({ siteKeyHash: "", domain, count: 3, pausedAt: now + DAY_MS, now }, place),
  questions: questionsMail({
    domain,
    page: `${baseUrl}/console/${domain}/questions`,
    questions: questions.map((question) => ({ question }) as never),
  }),
  test: testMail({ domain }),
  invitation: linkMail({ name: "Ben" }, link, 7 * DAY_MS, {
    inviter: "Paula",
    to: [{ role: "reviewer", shops: ["Paula's Flowers", "Fern & Petal"], more: 0 }],
  }),
  "sign-in": linkMail({ name: "Ben" }, link, DAY_MS / 96),
  "buyer-ordered": buyerMail({ ...buyer, topic: "order.created", whole, isTest: false } as never),
  "buyer-shipped": buyerMail({
    ...buyer,
    topic: "order.shipped",
    whole,
    isTest: false,
    shipment,
  } as never),
  "buyer-refunded": buyerMail({
    ...buyer,
    topic: "order.adjusted",
    whole,
    isTest: false,
    refunded: [{ amountMinor: 1000, description: "One rose was broken.", isFromShop: true }],
  } as never),
  "buyer-cancelled": buyerMail({
    ...buyer,
    topic: "order.cancelled",
    whole: cancelled,
    isTest: true,
  } as never),
};

/** Every kind of mail: photographed by `scripts/console-screens.mjs`, and examined for barriers. */
export const EVERY_MAIL = Object.entries(WORDS).map(([name, words]) => {
  const shop = ABOUT_INSTALLATION.includes(name) ? undefined : (words.shop ?? site.name);
  const mail = mailOf(words, shop);
  return { name, ...mail, html: mailHtml(mail, baseUrl) };
});
