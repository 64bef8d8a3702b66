import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { deliverMessages } from "../../src/actions/notifications/deliver-messages.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { DATABASES, NOON } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { type ReceivedMail, startMailbox } from "../notifications/mailbox.ts";
import { ADDRESS, BUYER, lines, openWorld, ROSE, sent, type World } from "../ucp/buying.ts";

const HOSTILE = [
  "Rose\r\nBcc: victim@example.net\r\n\r\nYou have won",
  "Rose https://evil.example/pay www.evil.example pay@evil.example",
  "Rose http://10.11.12.13/pay",
  "\u202EesoR\u200B\u0007 <b>bold</b> =?utf-8?q?x?=",
];

describe.each(DATABASES)("mail to a buyer, on %s:", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, at } = {} as World;
  let mailbox: Awaited<ReturnType<typeof startMailbox>>;
  let shop: Shop;
  beforeAll(async () => {
    mailbox = await startMailbox();
    const world = await openWorld(dialect, clock, {
      GATEHOUSE_SMTP_URL: `smtp://127.0.0.1:${mailbox.port}`,
      GATEHOUSE_MAIL_FROM: "Gatehouse <gate@example.com>",
    });
    ({ server, at } = world);
    await server.context.jobs.stop();
    return async () => {
      await world.close();
      await mailbox.close();
    };
  });
  beforeEach(async () => {
    clock.advance(61_000);
    await server.context.db.run("DELETE FROM outbox");
    mailbox.mails.length = 0;
    mailbox.refuse = 0;
    shop = await at.shop();
  });
  const deliver = () => deliverMessages(server.context);
  const change = async (orderId: string, verb: string, body: object = {}) => {
    clock.advance(1000);
    expect((await shop.admin("POST", `/orders/${orderId}/${verb}`, body)).status).toBe(200);
  };
  const domain = async () => (await shop.admin("GET", "")).body.domain as string;
  const header = ({ headers }: ReceivedMail, name: string) =>
    headers.filter(([one]) => one === name).map(([, value]) => value);

  test("the first one says once what was bought, what it costs and where to look", async () => {
    const { order } = await at.bought(shop, {
      ...lines(["rose", 2], ["vase", 1]),
      buyer: BUYER,
      ...sent(),
    });
    await deliver();
    await deliver();
    expect(mailbox.mails).toHaveLength(1);
    const [mail] = mailbox.mails as [ReceivedMail];
    expect(mail.to).toEqual([BUYER.email]);
    expect(header(mail, "subject")).toEqual([`Test order: ${await domain()}: your order #1001`]);
    for (const words of ["2 × A rose", "1 × A vase", "Delivery: €4.90", "Total: €217.40"]) {
      expect(mail.text).toContain(words);
    }
    expect(mail.text).toContain(
      `\n\nThe state of your order #1001 is here:\n\n${order.permalink_url}\n\n`,
    );
    expect(mail.html).toContain(`<a href="${order.permalink_url}" `);
    expect(mail.text).toContain("No money moves");
    // Whoever ordered wrote these: they are no mail to send for a stranger.
    for (const words of [BUYER.first_name, ADDRESS.street_address]) {
      expect(mail.text).not.toContain(words);
    }
  });

  test("later ones say that it was shipped, with the tracking, and that it was cancelled", async () => {
    const { orderId } = await at.bought(shop, {
      ...lines(["rose", 2]),
      buyer: BUYER,
      ...sent(),
    });
    await change(orderId, "ship", {
      line_items: [{ id: "li_1", quantity: 1 }],
      carrier: "DHL",
      tracking_number: "JD01",
      tracking_url: "https://dhl.example/JD01",
      description: "Ring twice. www.evil.example",
    });
    await change(orderId, "ship", { type: "in_transit" });
    await change(orderId, "cancel", { reason: "We have no more" });
    await deliver();
    const name = await domain();
    expect(mailbox.mails.map((mail) => header(mail, "subject")[0])).toEqual([
      `Test order: ${name}: your order #1001`,
      `Test order: ${name}: your order #1001 is on its way`,
      `Test order: ${name}: your order #1001 was cancelled`,
    ]);
    expect(mailbox.mails[1]?.text).toContain("\n  1 of 2 × A rose\n");
    expect(mailbox.mails[1]?.text).toContain(
      "Message from the shop: Ring twice. www. evil. example",
    );
    expect(mailbox.mails[1]?.text).toContain("Carrier:  DHL, JD01");
    expect(mailbox.mails[1]?.text).toContain("\nTracking: https://dhl.example/JD01\n");
    const cancelled = mailbox.mails[2]?.text ?? "";
    for (const words of ["Part of your order", "We have no more", "You are not charged for"]) {
      expect(cancelled).toContain(words);
    }
    expect(cancelled).toContain("These items are still ordered:\n\n  1 × A rose\n");
  });

  test("a refund is mailed once, with its sum and reason, if the shop mails buyers", async () => {
    const { orderId, order } = await at.bought(shop, {
      ...lines(["rose", 2]),
      buyer: BUYER,
      ...sent(),
    });
    const revision = async () =>
      (await shop.admin("GET", `/orders/${orderId}`)).body.revision as number;
    await change(orderId, "capture", { revision: await revision() });
    const reason = "One was broken. www.evil.example";
    await change(orderId, "refund", { amount_minor: 1000, reason, revision: await revision() });
    await deliver();
    const [, mail, ...others] = mailbox.mails;
    expect(others).toEqual([]);
    expect(mail?.to).toEqual([BUYER.email]);
    expect(header(mail as ReceivedMail, "subject")).toEqual([
      `Test order: ${await domain()}: refund for your order #1001`,
    ]);
    expect(mail?.text).toContain("\n  Refunded: €10.00\n");
    expect(mail?.text).toContain("Message from the shop: One was broken. www. evil. example\n");
    const page = await (await fetch(order.permalink_url)).text();
    expect(page).toMatch(/<tr><th scope="row">Refunded<\/th><td>-€10\.00<\/td><\/tr>\n<\/table>/);
    const { revision: _, ...settings } = (await shop.admin("GET", "/shop")).body;
    await shop.admin("PUT", "/shop", { ...settings, buyer_mail: false });
    await change(orderId, "refund", { amount_minor: 500, revision: await revision() });
    await shop.admin("PUT", "/shop", settings);
    await change(orderId, "rehearse", { event: "dispute" });
    await deliver();
    expect(mailbox.mails).toHaveLength(2);
  });

  test("a refund that was made at the payment provider has its reason, and no message from the shop", async () => {
    const { orderId } = await at.bought(shop, { ...lines(["rose", 1]), buyer: BUYER, ...sent() });
    const { revision } = (await shop.admin("GET", `/orders/${orderId}`)).body;
    await change(orderId, "capture", { revision });
    const { providers } = server.context;
    const provider = providers.sandbox as unknown as {
      returns(attempt: unknown): Promise<readonly object[]>;
    };
    const { returns } = provider;
    const description = "The payment was charged twice.";
    provider.returns = async (attempt) =>
      (await returns.call(provider, attempt)).map((one) => ({ ...one, description }));
    onTestFinished(() => {
      provider.returns = returns;
    });
    await change(orderId, "rehearse", { event: "refund" });
    await deliver();
    const text = mailbox.mails.at(-1)?.text;
    expect(text).toContain("\n\nReason: The payment was charged twice.\n");
    expect(text).not.toContain("Message from the shop");
  });

  test("the page of an order has times in the zone of the shop", async () => {
    const { revision: _, ...settings } = (await shop.admin("GET", "/shop")).body;
    const zoned = { ...settings, time_zone: "Asia/Tokyo" };
    expect((await shop.admin("PUT", "/shop", zoned)).status).toBe(200);
    const { orderId, order } = await at.bought(shop);
    await change(orderId, "ship");
    const page = await (await fetch(order.permalink_url)).text();
    expect(page).toMatch(/<time datetime="[\dT:.-]+Z">[^<]+ GMT\+9<\/time>/);
  });

  test.each(HOSTILE)("text of a product stays plain text: %j", async (title) => {
    await at.importLines(shop, [{ id: "odd", title, price: "1.00", currency: "EUR" }]);
    const product = (await at.product(shop, "odd")) as { title: string } | undefined;
    const bought = product === undefined ? "rose" : "odd";
    // A shop may have been filled before titles were read so strictly.
    const { db } = server.context;
    await db.run(
      "UPDATE products SET title = ? WHERE site_key_hash = ? AND product_id = ?",
      title,
      shop.site_key_hash,
      bought,
    );
    await at.bought(shop, { ...lines([bought, 1]), buyer: BUYER, ...sent() });
    await deliver();
    const [mail] = mailbox.mails as [ReceivedMail];
    expect(mail.to).toEqual([BUYER.email]);
    expect(header(mail, "bcc")).toEqual([]);
    expect(header(mail, "subject")[0]).toMatch(
      /^Test order: shop-\d+\.example\.com: your order #1001$/,
    );
    expect(header(mail, "content-type")).toEqual([
      expect.stringMatching(/^multipart\/alternative\b/),
    ]);
    const body = mail.text.split("\n");
    expect(body.filter((line) => line.startsWith("  1 × "))).toHaveLength(1);
    expect(mail.text).not.toMatch(/https?:\/\/(?:evil|10)|www\.evil|pay@evil|^You have won/m);
    expect(mail.text).not.toMatch(/[^\P{Cc}\n]|[\u202e\u200b]/u);
  });

  test.each([
    "ada@example.com, victim@example.net",
    "ada@example.com\r\nBcc: victim@example.net",
    "<ada@example.com>",
    "ada@localhost",
  ])(
    "an address that is not one plain address gets no mail, and the order stands: %j",
    async (email) => {
      const made = await at.create(shop, { ...ROSE, buyer: { email } });
      const done = await at.complete(shop, made.body.id);
      if (done.body.status === "completed") {
        await deliver();
        expect(mailbox.mails).toEqual([]);
        expect(await at.orders(shop)).toHaveLength(1);
      } else expect(done.body.status).toBe("incomplete");
    },
  );

  test("none is sent if the owner turns it off, or beyond what a person could order", async () => {
    await shop.admin("PUT", "/shop", { buyer_mail: false });
    await at.bought(shop, { ...lines(["vase", 1]), buyer: BUYER });
    await deliver();
    expect(mailbox.mails).toEqual([]);
    await shop.admin("PUT", "/shop", { buyer_mail: true });
    for (let i = 0; i < 13; i++) await at.bought(shop, { ...lines(["vase", 1]), buyer: BUYER });
    await deliver();
    expect(mailbox.mails).toHaveLength(12);
    const [unsent] = (await shop.admin("GET", "/messages?state=failed")).body.items;
    expect(unsent).toMatchObject({ audience: "buyer", attempts: 0 });
    expect(unsent.last_problem).toContain("too many");
    const other = { email: "grace@example.com" };
    await at.bought(shop, { ...lines(["vase", 1]), buyer: other });
    await deliver();
    expect(mailbox.mails.at(-1)?.to).toEqual([other.email]);
  });

  test("it is retried after a temporary failure of the mail server, and not after a permanent one", async () => {
    mailbox.refuse = 451;
    const { orderId } = await at.bought(shop);
    await deliver();
    mailbox.refuse = 0;
    clock.advance(60_000);
    await deliver();
    expect(mailbox.mails).toHaveLength(1);
    mailbox.refuse = 550;
    await at.bought(shop);
    await deliver();
    mailbox.refuse = 0;
    clock.advance(3_600_000);
    await deliver();
    expect(mailbox.mails).toHaveLength(1);
    const shown = (await shop.admin("GET", `/orders/${orderId}`)).body.messages;
    expect(shown).toMatchObject([{ kind: "mail", audience: "buyer", state: "delivered" }]);
  });

  test("the owner gets mail about a dispute, however much was sold before", async () => {
    const emails = ["owner@example.com"];
    await shop.admin("PUT", "/notifications", { emails });
    await shop.admin("PUT", "/shop", {});
    const buyer = (i: number) => ({ email: `buyer${i}@example.com` });
    const { orderId } = await at.bought(shop, { ...lines(["vase", 1]), buyer: buyer(0) });
    for (let i = 1; i <= 31; i++) {
      await at.bought(shop, { ...lines(["vase", 1]), buyer: buyer(i) });
    }
    await change(orderId, "rehearse", { event: "capture" });
    await change(orderId, "rehearse", { event: "dispute" });
    for (let i = 0; i < 3; i++) await deliver();
    const own = mailbox.mails.filter(({ to }) => to[0] === emails[0]);
    expect(own).toHaveLength(31);
    expect(header(own.at(-1) as ReceivedMail, "subject")[0]).toContain("is disputed");
  });

  test("the owner gets mail about the sale and about a dispute too", async () => {
    const emails = ["owner@example.com"];
    await shop.admin("PUT", "/notifications", { emails });
    const { orderId } = await at.bought(shop);
    await change(orderId, "rehearse", { event: "capture" });
    await change(orderId, "rehearse", { event: "refund", amount_minor: 100 });
    await change(orderId, "rehearse", { event: "dispute" });
    await deliver();
    const name = await domain();
    const own = mailbox.mails.filter(({ to }) => to[0] === emails[0]);
    for (const { text, html } of own) {
      const page = `${server.context.config.baseUrl}/console/${name}/orders/${orderId}`;
      expect(text.split("\n")).toContain(page);
      expect(html).toContain(`<a href="${page}" `);
      // Times and sums as people write them.
      expect(text).not.toMatch(/\d T?\d\d:\d\d:\d\d|\dT\d|\d EUR/);
    }
    const subjects = own.map((mail) => header(mail, "subject")[0]);
    expect(subjects).toEqual([
      `Test order: ${name}: order #1001 of €104.90`,
      `Test order: ${name}: the payment of order #1001 is disputed: €103.90`,
    ]);
  });
});
