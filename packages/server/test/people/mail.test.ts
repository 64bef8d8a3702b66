import { describe, expect, onTestFinished, test } from "vitest";
import { mailSignInLink } from "../../src/actions/people/links.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { browser } from "../console-browser.ts";
import { createSite, freshEnvironment, NOON, startServer, TIER_DATABASES } from "../harness.ts";
import { startMailbox } from "../notifications/mailbox.ts";
import { joined, withPasskey } from "./joining.ts";

const LINKS = "/v1/console/sign-in-links";
/** Mails with links that one shop sends to one address at once. */
const MAILS_MAX = 12;
const MINUTE_MS = 60_000;
/** Longer than all mails that were caused at once take. */
const ALL_SENT_MS = 500;

describe.each(TIER_DATABASES)("links by mail, on %s:", (dialect) => {
  async function open(more: Record<string, string> = {}) {
    const box = await startMailbox();
    onTestFinished(() => box.close());
    const clock = new ManualClock(NOON);
    const env = {
      ...(await freshEnvironment(dialect)),
      GATEHOUSE_SMTP_URL: `smtp://127.0.0.1:${box.port}`,
      GATEHOUSE_MAIL_FROM: "Gatehouse <gate@example.com>",
      ...more,
    };
    const server = await startServer(env, { clock });
    const site = (await createSite(server, "mine.example.com")).site_key_hash as string;
    const invite = (email: string) =>
      server.admin("POST", `/v1/admin/sites/${site}/people`, { name: "Ada", role: "owner", email });
    const linkIn = (text = "") => /#link=([\w-]{43})/.exec(text)?.[1] ?? "";
    const mailed = async (count: number) => {
      await expect.poll(() => box.mails.length).toBe(count);
      return box.mails[count - 1];
    };
    return { server, site, invite, linkIn, mailed, box, clock };
  }

  test("an invitation is mailed, and the inviter does not see the link", async () => {
    const { server, invite, linkIn, mailed } = await open();
    const { body } = await invite("ada@example.com");
    expect(body.link).toEqual({ expires_at: expect.any(String) });
    const mail = await mailed(1);
    expect(mail?.to).toEqual(["ada@example.com"]);
    const page = browser(server);
    const signedIn = await page.signIn({ link: linkIn(mail?.text) });
    expect([signedIn.status, signedIn.body.name]).toEqual([201, "Ada"]);
    const own = await page.ask("GET", "/v1/console/person");
    expect(own.body.email).toBe("ada@example.com");
  });

  test("an invitation names who invites to which shop as what, and makes no link of their words", async () => {
    const { server, site, mailed } = await open();
    await server.admin("PATCH", `/v1/admin/sites/${site}`, { name: "Paula's evil.example" });
    const { page } = await joined(server, site, "owner", "Paula www.evil.example");
    await withPasskey(server, page);
    const ben = { name: "Ben", role: "reviewer", email: "ben@example.com" };
    const people = `/v1/admin/sites/${site}/people`;
    expect((await page.ask("POST", people, ben)).status).toBe(201);
    const lines = (await mailed(1))?.text.split("\n");
    expect(lines).toContain(
      "Paula www. evil. example invited you to Paula's evil. example as a reviewer.",
    );
    const { host } = new URL(server.context.config.baseUrl);
    await server.admin("POST", people, { ...ben, email: "eve@example.com", role: "owner" });
    expect((await mailed(2))?.text).toContain(
      "You have been invited to Paula's evil. example as an owner.\n",
    );
    const auditor = { name: "Ada", role: "auditor", email: "ada@example.com" };
    await server.admin("POST", "/v1/admin/people", auditor);
    expect((await mailed(3))?.text).toContain(
      `You have been invited to Gatehouse at ${host} as an auditor.\n`,
    );
  });

  test("an invitation of a person without rights says that there is no access yet", async () => {
    const { server, invite, mailed } = await open();
    const { person_id } = (await invite("ada@example.com")).body;
    await server.context.db.run("DELETE FROM person_access WHERE person_id = ?", person_id);
    const { status } = await server.admin("POST", `/v1/admin/people/${person_id}/links`, {});
    expect(status).toBeLessThan(300);
    const { host } = new URL(server.context.config.baseUrl);
    expect((await mailed(2))?.text).toContain(
      `You have been invited to Gatehouse at ${host}. You have no access to a shop yet.\n`,
    );
  });

  test("a person asks for a link and gets it; for an unknown address the answer is the same and no mail is sent", async () => {
    const { server, invite, linkIn, mailed, box } = await open();
    await invite("ada@example.com");
    await mailed(1);
    const page = browser(server);
    const unknown = await page.ask("POST", LINKS, { email: "eve@example.com" });
    const known = await page.ask("POST", LINKS, { email: "Ada@Example.com" });
    expect([known.status, unknown.status]).toEqual([202, 202]);
    const mail = await mailed(2);
    expect(mail?.text).toContain("within 15 minutes");
    expect((await page.signIn({ link: linkIn(mail?.text) })).status).toBe(201);
    expect(box.mails.map(({ to }) => to.join())).toEqual(["ada@example.com", "ada@example.com"]);
  });

  test("strangers who ask again and again neither flood a mailbox nor void its links", async () => {
    const { server, invite, linkIn, mailed, box } = await open();
    await invite("ada@example.com");
    const invitation = linkIn((await mailed(1))?.text);
    const page = browser(server);
    await page.ask("POST", LINKS, { email: "ada@example.com" });
    const first = linkIn((await mailed(2))?.text);
    for (let more = 0; more < 2; more++) {
      await page.ask("POST", LINKS, { email: "ada@example.com" });
      await mailed(3 + more);
    }
    for (let more = 0; more < 5; more++) mailSignInLink(server.context, "ada@example.com");
    expect((await browser(server).signIn({ link: first })).status).toBe(201);
    expect((await browser(server).signIn({ link: invitation })).status).toBe(201);
    expect(box.mails.length).toBeLessThanOrEqual(5);
  });

  test("somebody who invites again and again does not flood a mailbox, and gets no link instead", async () => {
    const { server, site, invite, box, clock } = await open();
    for (let times = 0; times < MAILS_MAX; times++) {
      expect((await invite("ada@example.com")).status).toBe(201);
    }
    const { status, headers, body } = await invite("Ada@Example.com");
    expect([status, headers.get("retry-after"), body.link]).toEqual([429, "600", undefined]);
    const { items } = (await server.admin("GET", `/v1/admin/sites/${site}/people`)).body;
    const links = () => server.admin("POST", `/v1/admin/people/${items[0].person_id}/links`, {});
    expect([(await links()).status, box.mails.length]).toEqual([429, MAILS_MAX]);
    // Others at the same shop are invited all the same.
    expect((await invite("ben@example.com")).status).toBe(201);
    clock.advance(10 * MINUTE_MS);
    expect((await links()).status).toBe(201);
    expect((await links()).status).toBe(429);
    expect(box.mails.length).toBe(MAILS_MAX + 2);
  });

  test("removing somebody and inviting them again does not reset the limit of emails", async () => {
    const { server, site, invite, box } = await open();
    for (let times = 0; times < MAILS_MAX; times++) {
      const { person_id } = (await invite("ada@example.com")).body;
      await server.admin("DELETE", `/v1/admin/sites/${site}/people/${person_id}`);
    }
    expect([(await invite("ada@example.com")).status, box.mails.length]).toEqual([429, MAILS_MAX]);
  });

  test("strangers who ask from many places at once do not flood a mailbox", async () => {
    const { server, invite, box } = await open({ GATEHOUSE_TRUST_PROXY: "127.0.0.1" });
    await invite("ada@example.com");
    const page = browser(server);
    const from = (place: number) =>
      page.ask(
        "POST",
        LINKS,
        { email: "ada@example.com" },
        {
          ...page.own,
          "x-forwarded-for": `198.51.${place}.1`,
        },
      );
    const answers = await Promise.all(Array.from({ length: 30 }, (_, place) => from(place)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    await expect.poll(() => box.mails.length).toBeGreaterThanOrEqual(4);
    await new Promise((resolve) => setTimeout(resolve, ALL_SENT_MS));
    // The invitation, and what strangers can cause.
    expect(box.mails.length).toBe(4);
  });

  test("an address that the mail server does not accept is reported, with the link to hand over", async () => {
    const { invite, box } = await open();
    box.refuse = 550;
    const { body } = await invite("ada@example.com");
    expect(body.link.mail_problem).toContain("does not accept email");
    expect(body.link.url).toContain("#link=");
  });
});
