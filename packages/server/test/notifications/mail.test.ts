import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import {
  cleanUp,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { type ReceivedMail, startMailbox } from "./mailbox.ts";
import { telling } from "./telling.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const CART = { protocol_context: { protocol: "ap2", cart_total: "60.50", cart_currency: "EUR" } };

/** A header whose words are encoded, as those with a currency sign are. */
const decodedHeader = (value: string) =>
  value.replace(/=\?UTF-8\?Q\?(.*?)\?=\s*/gi, (_, word: string) =>
    decodeURIComponent(word.replaceAll("_", " ").replaceAll("=", "%")),
  );

describe.each(TIER_DATABASES)("notifications to an owner by mail, on %s:", (dialect) => {
  const clock = new ManualClock(NOON);
  let box: Awaited<ReturnType<typeof startMailbox>>;
  let server: TestServer;
  let owner: ReturnType<typeof telling>;
  let shop: Shop;
  beforeAll(async () => {
    box = await startMailbox();
    server = await startServer(
      {
        ...(await freshEnvironment(dialect)),
        GATEHOUSE_SMTP_URL: `smtp://127.0.0.1:${box.port}`,
        GATEHOUSE_MAIL_FROM: "Gatehouse <gate@example.com>",
      },
      { clock },
    );
    await server.context.jobs.stop();
    owner = telling(server, clock);
    shop = await owner.shop({ emails: ["ann@example.com"] });
    return async () => {
      await cleanUp();
      await box.close();
    };
  });
  beforeEach(async () => {
    clock.advance(2 * HOUR_MS);
    await server.context.db.run("DELETE FROM outbox");
    box.mails.length = 0;
    box.refuse = 0;
  });

  const only = () => {
    expect(box.mails).toHaveLength(1);
    return box.mails[0] as ReceivedMail;
  };
  const header = ({ headers }: ReceivedMail, wanted: string) =>
    headers.filter(([name]) => name === wanted).map(([, value]) => value);

  test("the plain text says who requests what, by which rule, until when, and how to decide", async () => {
    await shop.admin("PUT", "/shop", { time_zone: "Asia/Tokyo" });
    await shop.admin("PATCH", "", { name: "Fern & Petal" });
    const { answer, escalationId } = await owner.escalate(shop, CART);
    await owner.deliver();
    const mail = only();
    expect([mail.from, mail.to]).toEqual(["gate@example.com", ["ann@example.com"]]);
    expect(header(mail, "from")).toEqual(["Gatehouse <gate@example.com>"]);
    expect(header(mail, "subject").map(decodedHeader)).toEqual([
      "shop.example.com: €60.50 needs review",
    ]);
    expect(header(mail, "content-type")).toEqual([
      expect.stringMatching(/^multipart\/alternative\b/),
    ]);
    expect(header(mail, "auto-submitted")).toEqual(["auto-generated"]);
    const [{ message_id, state }] = await owner.messages(shop);
    expect([header(mail, "message-id"), state]).toEqual([
      [`<${message_id}@127.0.0.1>`],
      "delivered",
    ]);
    const until = new Intl.DateTimeFormat("en-GB", {
      dateStyle: "medium",
      timeStyle: "short",
      timeZone: "Asia/Tokyo",
    }).format(Date.parse(answer.body.expires_at));
    const { baseUrl } = server.context.config;
    expect(mail.text.split("\n").slice(0, 12)).toEqual([
      "A request at shop.example.com needs review.",
      "",
      "What:   Get pricing",
      "Total:  €60.50",
      'Who:    an agent that you call "Buyer"',
      'Why:    your rule "Ask me"',
      `Until:  ${until} (Asia/Tokyo), then it is declined`,
      "",
      "Approve or decline it here:",
      "",
      `${baseUrl}/console/shop.example.com/reviews/${escalationId}`,
      "",
    ]);
    expect(mail.text.match(/https?:/g)).toHaveLength(1);
    const page = `${baseUrl}/console/shop.example.com/reviews/${escalationId}`;
    expect(mail.html).toContain(`<a href="${page}" `);
    expect(mail.html.match(/https?:/g)).toHaveLength(1);
    expect(mail.html).toContain("€60.50</td>");
    // The name of the shop is above, and the sum large.
    expect(mail.html).toContain(">Fern &amp; Petal</td>");
    expect(mail.html).toMatch(/<p style="[^"]*28px[^"]*">€60\.50<\/p>/);
  });

  test("a hostile agent name starts no header, no line and no link", async () => {
    const { buyer } = await owner.escalate(shop);
    const name =
      "Ann\r\nBcc: all@example.com\r\nSubject: You won\r\n\r\n<b>\u202egpj\u0001 " +
      'https://evil.example/x" \u2028Rule: none';
    const { db } = server.context;
    // Registration cleans names; this one is as if it had not.
    const sql = "UPDATE agents SET name = ?, source = 'self' WHERE agent_id = ?";
    await db.run(sql, name, buyer.agentId);
    await db.run("DELETE FROM outbox");
    await owner.escalate(shop);
    await db.run("UPDATE agents SET name = 'Buyer', source = 'admin'");
    await owner.deliver();
    const mail = only();
    expect(mail.to).toEqual(["ann@example.com"]);
    expect([header(mail, "bcc"), header(mail, "subject").length]).toEqual([[], 1]);
    const names = mail.headers.map(([one]) => one).sort();
    expect(names).toEqual([
      "auto-submitted",
      "content-type",
      "date",
      "from",
      "message-id",
      "mime-version",
      "subject",
      "to",
    ]);
    const who = mail.text.split("\n").filter((line) => line.includes("Ann"));
    expect(who).toEqual([
      `Who:    an agent that calls itself "Ann Bcc: all@ example. com Subject: You won <b>gpj https: / / evil. example/ x' Rule: n"`,
    ]);
    expect(mail.text).not.toMatch(/\p{Cf}|[\u2028\u2029]|https:\/\/|^Bcc|^Rule: none/mu);
  });

  test("a mail server that is down or busy gets the same mail once it is back", async () => {
    const { port } = box;
    await owner.escalate(shop);
    await box.close();
    await owner.deliverNext(shop);
    const [down] = await owner.messages(shop);
    expect([down.state, down.attempts, down.last_problem]).toEqual([
      "waiting",
      1,
      expect.stringContaining("the mail server could not be reached"),
    ]);
    box = await startMailbox(port);
    box.refuse = 451;
    await owner.deliverNext(shop);
    const [busy] = await owner.messages(shop);
    expect(busy.last_problem).toBe("the mail server refused it for now (451)");
    box.refuse = 0;
    await owner.deliverNext(shop);
    const first = only().raw;
    await shop.admin("POST", `/messages/${busy.message_id}/resend`, {});
    await owner.deliver();
    expect(box.mails.map(({ raw }) => raw)).toEqual([first, first]);
  });

  test("an owner who sends a mail again and again does not flood a mailbox", async () => {
    await owner.escalate(shop);
    await owner.deliver();
    const [{ message_id }] = await owner.messages(shop);
    const resend = () => shop.admin("POST", `/messages/${message_id}/resend`, {});
    for (let times = 0; times < 12; times++) {
      expect((await resend()).status).toBe(200);
      // A mail that waits is only sent sooner.
      expect((await resend()).status).toBe(200);
      await owner.deliver();
    }
    const { status, headers } = await resend();
    expect([status, headers.get("retry-after")]).toEqual([429, "600"]);
    await owner.deliver();
    expect(box.mails.length).toBe(13);
    clock.advance(10 * MINUTE_MS);
    expect((await resend()).status).toBe(200);
    await owner.deliver();
    expect([(await resend()).status, box.mails.length]).toEqual([429, 14]);
  });

  test("an address that the mail server rejects permanently is not tried again", async () => {
    box.refuse = 550;
    await owner.escalate(shop);
    await owner.deliver();
    const [failed] = await owner.messages(shop);
    expect([failed.state, failed.last_problem]).toEqual([
      "failed",
      "the mail server does not accept email for this address (550)",
    ]);
  });

  test("everyone gets their own mail, and a flood of mails is stopped", async () => {
    const emails = ["ann@example.com", "bob@example.com"];
    await shop.admin("PUT", "/notifications", { emails });
    await owner.escalate(shop);
    await owner.deliver();
    expect(box.mails.map(({ to }) => to).sort()).toEqual(emails.map((address) => [address]));
    expect(box.mails.flatMap((mail) => header(mail, "to")).sort()).toEqual(emails);
    for (let i = 0; i < 30; i++) await owner.escalate(shop);
    expect(await owner.messages(shop)).toHaveLength(2 * 30);
    clock.advance(120_000);
    await owner.escalate(shop);
    expect(await owner.messages(shop)).toHaveLength(2 * 31);
  });
});
