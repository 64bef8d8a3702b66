import { describe, expect, test } from "vitest";
import { mailSignInLink } from "../../src/actions/people/links.ts";
import type { Context } from "../../src/context.ts";
import { browser, SESSION } from "../console-browser.ts";
import { type TestServer, TIER_DATABASES } from "../harness.ts";
import {
  joined,
  openTwoSites,
  optionsFor,
  type Page,
  passkeyOrigin,
  secretOf,
  withPasskey,
} from "./joining.ts";
import { SoftwarePasskey } from "./software-passkey.ts";

const ADA = { name: "Ada", role: "owner", email: "ada@example.com" };

/** Signs in with the link that an address gets from a mail server that was configured later. */
async function signInByMail(server: TestServer, email: string): Promise<Page> {
  let text = "";
  const send = async (mail: { readonly text: string }) => {
    text = mail.text;
    return { ok: true, value: true };
  };
  const mailer = { configured: true, send } as unknown as Context["mailer"];
  mailSignInLink({ ...server.context, mailer }, email);
  await expect.poll(() => text).toContain("#link=");
  const page = browser(server);
  const link = /#link=([\w-]{43})/.exec(text)?.[1];
  expect((await page.signIn({ link })).status).toBe(201);
  return page;
}

describe.each(TIER_DATABASES)("people whose links others held, on %s:", (dialect) => {
  async function open() {
    const desk = await openTwoSites(dialect);
    const { server, mine } = desk;
    const at = `/v1/admin/sites/${mine}`;
    const signIn = async (url: string) => {
      const page = browser(server);
      expect((await page.signIn({ link: secretOf(url) })).status).toBe(201);
      return page;
    };
    const tokenOf = async (page: Page, role: string) =>
      (await page.ask("POST", `${at}/tokens`, { name: role, role })).body.token as string;
    const statusOf = async (token: string) =>
      (await server.admin("GET", at, undefined, token)).status;
    const session = async (page: Page) => (await page.ask("GET", SESSION)).status;
    return { ...desk, at, signIn, tokenOf, statusOf, session };
  }

  test("a mailed link ends what the holder of an earlier link has as the person: sessions, passkeys and tokens", async () => {
    const { server, mine, at, signIn, tokenOf, statusOf, session } = await open();
    const olga = await joined(server, mine, "owner", "Olga");
    await withPasskey(server, olga.page);
    const invited = await olga.page.ask("POST", `${at}/people`, ADA);
    const asAda = await signIn(invited.body.link.url);
    const passkey = await withPasskey(server, asAda);
    const token = await tokenOf(asAda, "owner");
    const ada = await signInByMail(server, ADA.email);
    expect([await session(ada), await session(asAda), await statusOf(token)]).toEqual([
      200, 401, 401,
    ]);
    const answer = passkey.get(await optionsFor(asAda, "sign_in"));
    expect((await browser(server).signIn({ passkey: answer })).status).toBe(401);
  });

  test("a new link ends what the holder of the last one has as the person, unless the same owner makes it", async () => {
    const { server, mine, at, signIn, tokenOf, statusOf, session } = await open();
    const olga = await joined(server, mine, "owner", "Olga");
    await withPasskey(server, olga.page);
    const asked = { name: "Rita", role: "owner" };
    const { body: rita } = await olga.page.ask("POST", `${at}/people`, asked);
    const asRita = await signIn(rita.link.url);
    await withPasskey(server, asRita);
    const token = await tokenOf(asRita, "reviewer");
    const path = `/v1/admin/people/${rita.person_id}/links`;
    expect((await olga.page.ask("POST", path, {})).status).toBe(201);
    expect([await session(asRita), await statusOf(token)]).toEqual([200, 200]);
    const { body: link } = await server.admin("POST", path, {});
    expect([await session(asRita), await statusOf(token)]).toEqual([401, 401]);
    expect(await session(await signIn(link.url))).toBe(200);
  });

  test("a mailed link ends nothing of a person whose link came from the operator", async () => {
    const { server, at, signIn, tokenOf, statusOf, session } = await open();
    const { body } = await server.admin("POST", `${at}/people`, ADA);
    const laptop = await signIn(body.link.url);
    await withPasskey(server, laptop);
    const token = await tokenOf(laptop, "owner");
    const phone = await signInByMail(server, ADA.email);
    expect([await session(phone), await session(laptop), await statusOf(token)]).toEqual([
      200, 200, 200,
    ]);
  });

  test("an invitation that lowers a role revokes the tokens above it, like any change of a role", async () => {
    const { server, at, tokenOf, statusOf, session } = await open();
    await server.admin("POST", `${at}/people`, ADA);
    const ada = await signInByMail(server, ADA.email);
    await withPasskey(server, ada);
    const [owner, auditor] = [await tokenOf(ada, "owner"), await tokenOf(ada, "auditor")];
    const lowered = { ...ADA, role: "auditor" };
    expect((await server.admin("POST", `${at}/people`, lowered)).status).toBe(201);
    expect([await statusOf(owner), await statusOf(auditor), await session(ada)]).toEqual([
      401, 200, 200,
    ]);
  });

  test("an owner cannot sign out an operator by inviting their address again", async () => {
    const { server, mine, at, signIn, session } = await open();
    await server.admin("POST", `${at}/people`, ADA);
    const asOperator = { ...ADA, role: "operator" };
    const { body } = await server.admin("POST", "/v1/admin/people", asOperator);
    const operator = await signIn(body.link.url);
    const olga = await joined(server, mine, "owner", "Olga");
    await withPasskey(server, olga.page);
    const again = await olga.page.ask("POST", `${at}/people`, { ...ADA, role: "auditor" });
    expect([again.status, again.body.message]).toEqual([
      403,
      expect.stringContaining("a role above your own"),
    ]);
    expect(await session(operator)).toBe(200);
  });

  test("a passkey that is added while the session ends is not kept", async () => {
    const { server, mine } = await open();
    const { page, id } = await joined(server, mine, "owner");
    const thief = new SoftwarePasskey(passkeyOrigin(server));
    const passkey = thief.create(await optionsFor(page, "register"));
    const commit = server.context.audit.commit.bind(server.context.audit);
    const reset = async () => server.admin("POST", `/v1/admin/people/${id}/links`, { reset: true });
    let first = true;
    server.context.audit.commit = (async (...given: Parameters<typeof commit>) => {
      if (first) {
        first = false;
        expect((await reset()).status).toBe(201);
      }
      return commit(...given);
    }) as typeof commit;
    const added = await page.ask("POST", "/v1/console/passkeys", { name: "Thief", passkey });
    expect(added.status).toBe(401);
    const answer = thief.get(await optionsFor(page, "sign_in"));
    expect((await browser(server).signIn({ passkey: answer })).status).toBe(401);
  });
});
