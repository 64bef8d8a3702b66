import { describe, expect, onTestFinished, test } from "vitest";
import { browser, SESSION } from "../console-browser.ts";
import { TIER_DATABASES } from "../harness.ts";
import { startMailbox } from "../notifications/mailbox.ts";
import { joined, openTwoSites, personRecords, secretOf, withPasskey } from "./joining.ts";

describe.each(TIER_DATABASES)("addresses of people, on %s:", (dialect) => {
  test("an owner reads those of the site's own people, and of an operator only the name and role", async () => {
    const { server, mine } = await openTwoSites(dialect);
    const operator = { name: "Oscar", role: "operator", email: "oscar@example.com" };
    await server.admin("POST", "/v1/admin/people", operator);
    const people = `/v1/admin/sites/${mine}/people`;
    const ada = { name: "Ada", role: "auditor", email: "ada@example.com" };
    await server.admin("POST", people, ada);
    const owner = await joined(server, mine, "owner", "Olga");
    const byName = ({ items }: { items: { name: string }[] }) =>
      items.toSorted((one, other) => one.name.localeCompare(other.name));
    expect(byName((await owner.page.ask("GET", people)).body)).toMatchObject([
      { name: "Ada", role: "auditor", email: "ada@example.com" },
      { name: "Olga", role: "owner", email: null },
      { name: "Oscar", role: "operator", email: null },
    ]);
    const shown = byName((await server.admin("GET", people)).body);
    expect(shown[2]).toMatchObject({ name: "Oscar", email: "oscar@example.com" });
  });

  /** Ada, who joined another site, and an owner who knows only her address. */
  async function openWithAda(env?: Record<string, string>) {
    const desk = await openTwoSites(dialect, env);
    const { server, mine, theirs } = desk;
    const people = `/v1/admin/sites/${theirs}/people`;
    const body = { name: "Ada Lovelace", role: "owner", email: "ada@example.com" };
    const ada = (await server.admin("POST", people, body)).body;
    const owner = await joined(server, mine, "owner", "Olga");
    await withPasskey(server, owner.page);
    const invite = async (email: string, name = "A. L.") => {
      const asked = { name, role: "auditor", email };
      return (await owner.page.ask("POST", `/v1/admin/sites/${mine}/people`, asked)).body;
    };
    const listed = async () =>
      (await owner.page.ask("GET", `/v1/admin/sites/${mine}/people`)).body.items;
    return { ...desk, ada, invite, listed };
  }

  test("inviting one that somebody of another site has is answered like a new one, and gives nothing of theirs", async () => {
    const { server, mine, theirs, ada, invite, listed } = await openWithAda();
    const page = browser(server);
    await page.signIn({ link: secretOf(ada.link.url) });
    const [known, unknown] = [await invite("Ada@example.com"), await invite("new@example.com")];
    const shape = ({ link, ...answer }: Record<string, object>) => ({
      ...answer,
      person_id: expect.stringMatching(/^per_/),
      email: expect.any(String),
      link: { ...link, url: expect.stringContaining("#link=") },
    });
    expect(known).toEqual(shape(unknown));
    expect(known).toMatchObject({ name: "A. L.", email: "ada@example.com", status: "invited" });
    expect(JSON.stringify(await listed())).not.toMatch(new RegExp(`Lovelace|${ada.person_id}`));
    // Asked again, the same invitation is renewed.
    expect((await invite("ada@example.com")).person_id).toBe(known.person_id);
    const link = (await invite("ada@example.com")).link.url;
    const handed = await browser(server).signIn({ link: secretOf(link) });
    expect(handed.body.roles).toEqual({ [mine]: "auditor" });
    expect((await page.ask("GET", SESSION)).body.roles).toEqual({ [theirs]: "owner" });
  });

  test("the mailed link of such an invitation gives the new role to the person who has the address", async () => {
    const box = await startMailbox();
    onTestFinished(() => box.close());
    const { server, mine, theirs, ada, invite, listed } = await openWithAda({
      GATEHOUSE_SMTP_URL: `smtp://127.0.0.1:${box.port}`,
      GATEHOUSE_MAIL_FROM: "Gatehouse <gate@example.com>",
    });
    const invited = await invite("ada@example.com");
    expect(invited.link).toEqual({ expires_at: expect.any(String) });
    const mail = box.mails.at(-1);
    expect(mail?.to).toEqual(["ada@example.com"]);
    const link = /#link=([\w-]{43})/.exec(mail?.text ?? "")?.[1];
    const signedIn = await browser(server).signIn({ link });
    expect(signedIn.body).toMatchObject({ token_id: ada.person_id, name: "Ada Lovelace" });
    expect(signedIn.body.roles).toEqual({ [mine]: "auditor", [theirs]: "owner" });
    const ids = (await listed()).map(({ person_id }: { person_id: string }) => person_id);
    expect(ids).toContain(ada.person_id);
    expect(ids).not.toContain(invited.person_id);
    const changes = (await personRecords(server, mine))
      .filter(({ type }: { type: string }) => type === "person.changed")
      .map(({ person }: { person: object }) => person);
    expect(changes).toEqual(
      expect.arrayContaining([
        { person_id: ada.person_id, role: "auditor" },
        { person_id: invited.person_id, role: null },
      ]),
    );
  });
});
