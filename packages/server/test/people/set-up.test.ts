import { describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { browser, SESSION } from "../console-browser.ts";
import {
  createSite,
  freshEnvironment,
  NOON,
  OPERATOR_TOKEN,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import { joined, joinedOperator, optionsFor, withPasskey } from "./joining.ts";

const LINKS = "/v1/admin/console-links";
const SET_UP = "/v1/console/set-up";
const HOUR_MS = 3_600_000;
const OLGA = { name: "Olga", email: "Olga@example.com" };

describe.each(TIER_DATABASES)("setting up the first owner, on %s:", (dialect) => {
  async function open() {
    const clock = new ManualClock(NOON);
    const server = await startServer(await freshEnvironment(dialect), { clock });
    return { clock, server, page: browser(server) };
  }
  async function linkOf(server: TestServer, token?: string) {
    const { body } = await server.admin("POST", LINKS, {}, token);
    const [, kind, code] = /#(set-up|code)=([\w-]{43})$/.exec(body.url) ?? [];
    return { kind, code, body };
  }
  const recordsOf = async (server: TestServer) => {
    const path = "/v1/admin/installation/audit/records?limit=50";
    const { items } = (await server.admin("GET", path)).body;
    return items.map(({ record }: { record: object }) => record);
  };

  test("makes the owner a person and the operator of every site, recorded by id alone", async () => {
    const { server, page } = await open();
    const site = (await createSite(server, "mine.example.com")).site_key_hash;
    const { kind, code, body } = await linkOf(server);
    expect([kind, body.kind]).toEqual(["set-up", "set_up"]);
    const made = await page.ask("POST", SET_UP, { code, ...OLGA });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ kind: "person", name: "Olga", role: "operator" });
    expect(made.set).toMatch(/HttpOnly; Secure; SameSite=Strict$/);
    expect((await page.ask("GET", `/v1/admin/sites/${site}`)).status).toBe(200);
    const listed = (await server.admin("GET", "/v1/admin/people")).body.items;
    expect(listed).toEqual([
      expect.objectContaining({
        email: "olga@example.com",
        status: "joined",
        access: [{ site_key_hash: null, role: "operator" }],
      }),
    ]);
    const records = await recordsOf(server);
    expect(records).toContainEqual(
      expect.objectContaining({
        type: "person.joined",
        actor: { kind: "person", id: made.body.token_id, role: "operator" },
        person: { person_id: made.body.token_id, role: "operator" },
      }),
    );
    expect(JSON.stringify(records)).not.toMatch(/\bolga\b/i);
  });

  test("the owner adds a passkey and signs in with it from then on", async () => {
    const { server, page } = await open();
    await page.ask("POST", SET_UP, { code: (await linkOf(server)).code, name: "Olga" });
    const passkey = await withPasskey(server, page);
    const next = browser(server);
    const answer = passkey.get(await optionsFor(next, "sign_in"));
    const signedIn = await next.signIn({ passkey: answer });
    expect([signedIn.status, signedIn.body.name]).toEqual([201, "Olga"]);
  });

  test("opening the link changes nothing, and it works once, within an hour", async () => {
    const { clock, server, page } = await open();
    const { code } = await linkOf(server);
    await fetch(`${server.url}/console`);
    await fetch(`${server.url}${SET_UP}?code=${code}`);
    expect((await server.admin("GET", "/v1/admin/people")).body.items).toEqual([]);
    clock.advance(HOUR_MS);
    const late = await page.ask("POST", SET_UP, { code, name: "Olga" });
    expect([late.status, late.body.message]).toEqual([401, expect.stringContaining("expired")]);
    const next = await linkOf(server);
    expect((await page.ask("POST", SET_UP, { code: next.code, name: "Olga" })).status).toBe(201);
    const again = await browser(server).ask("POST", SET_UP, { code: next.code, name: "Eve" });
    expect(again.status).toBe(401);
  });

  test("of several links that are used at the same time, one makes an operator and the others end", async () => {
    const { server } = await open();
    const links = [];
    for (let more = 0; more < 4; more++) links.push(await linkOf(server));
    const tries = links.map(({ code }, index) =>
      browser(server).ask("POST", SET_UP, { code, name: `Person ${index}` }),
    );
    const statuses = (await Promise.all(tries)).map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 401, 401, 401]);
    expect((await server.admin("GET", "/v1/admin/people")).body.items).toHaveLength(1);
  });

  test("a link that was kept does not make a second operator, also after the first was removed", async () => {
    const { server, page } = await open();
    const [first, kept] = [await linkOf(server), await linkOf(server)];
    const { body } = await page.ask("POST", SET_UP, { code: first.code, name: "Olga" });
    const eve = { code: kept.code, name: "Eve" };
    expect((await browser(server).ask("POST", SET_UP, eve)).status).toBe(401);
    await server.admin("DELETE", `/v1/admin/people/${body.token_id}`);
    expect((await browser(server).ask("POST", SET_UP, eve)).status).toBe(401);
    // The operator's token begins anew.
    const { kind, code } = await linkOf(server);
    expect(kind).toBe("set-up");
    expect((await browser(server).ask("POST", SET_UP, { code, name: "Ada" })).status).toBe(201);
  });

  test("somebody who was invited as operator in the meantime closes the link", async () => {
    const { server, page } = await open();
    const { code } = await linkOf(server);
    await joinedOperator(server);
    const refused = await page.ask("POST", SET_UP, { code, name: "Eve" });
    expect([refused.status, refused.body.message]).toEqual([
      409,
      expect.stringContaining("has an operator already"),
    ]);
    expect((await page.ask("GET", SESSION)).status).toBe(401);
  });

  test("afterwards a link of the operator's token gives the token's session, for emergencies", async () => {
    const { server, page } = await open();
    await page.ask("POST", SET_UP, { code: (await linkOf(server)).code, name: "Olga" });
    const { kind, code, body } = await linkOf(server);
    expect([kind, body.kind]).toEqual(["code", "token"]);
    const signedIn = await browser(server).signIn({ code });
    expect(signedIn.body).toMatchObject({ kind: "token", token_id: "operator" });
  });

  test("a code is good for one purpose only", async () => {
    const { server, page } = await open();
    const site = (await createSite(server, "mine.example.com")).site_key_hash;
    const setUp = await linkOf(server);
    expect((await page.signIn({ code: setUp.code })).status).toBe(401);
    const token = (
      await server.admin("POST", `/v1/admin/sites/${site}/tokens`, { name: "Otto", role: "owner" })
    ).body.token;
    const ofOwner = await linkOf(server, token);
    expect(ofOwner.kind).toBe("code");
    const eve = { code: ofOwner.code, name: "Eve" };
    expect((await page.ask("POST", SET_UP, eve)).status).toBe(401);
    // Neither try has spent the other's code.
    expect((await page.signIn({ code: ofOwner.code })).body.role).toBe("owner");
    const olga = { code: setUp.code, name: "Olga" };
    expect((await browser(server).ask("POST", SET_UP, olga)).status).toBe(201);
  });

  test("a link of a token that was revoked since, or of a replaced operator's token, sets up nobody", async () => {
    const { server, page } = await open();
    const made = await server.admin("POST", "/v1/admin/tokens", { name: "Eve", role: "operator" });
    const { kind, code } = await linkOf(server, made.body.token);
    expect(kind).toBe("set-up");
    const kept = await linkOf(server);
    await server.admin("DELETE", `/v1/admin/tokens/${made.body.token_id}`);
    expect((await page.ask("POST", SET_UP, { code, name: "Eve" })).status).toBe(401);
    const { env } = server;
    await server.stop();
    const GATEHOUSE_ADMIN_TOKEN = "another-operator-token-0123456789abcdef";
    const next = browser(
      await startServer(
        { ...env, GATEHOUSE_ADMIN_TOKEN },
        {
          clock: new ManualClock(NOON),
        },
      ),
    );
    expect((await next.ask("POST", SET_UP, { code: kept.code, name: "Eve" })).status).toBe(401);
  });

  test("an address that somebody has is refused, and the link can be used with another", async () => {
    const { server, page } = await open();
    const site = (await createSite(server, "mine.example.com")).site_key_hash;
    const ann = { name: "Ann", role: "auditor", email: "ann@example.com" };
    await server.admin("POST", `/v1/admin/sites/${site}/people`, ann);
    const { code } = await linkOf(server);
    const taken = { code, name: "Eve", email: "ANN@example.com" };
    expect((await page.ask("POST", SET_UP, taken)).status).toBe(409);
    const people = (await server.admin("GET", "/v1/admin/people")).body.items;
    expect(people.map(({ name }: { name: string }) => name)).toEqual(["Ann"]);
    expect((await page.ask("POST", SET_UP, { code, ...OLGA })).status).toBe(201);
  });

  test("a page of another origin cannot use a link, and guesses have to wait", async () => {
    const { server, page } = await open();
    const { code } = await linkOf(server);
    const evil = { origin: "https://evil.example", "x-gatehouse-console": "1" };
    const eve = { code, name: "Eve" };
    expect((await page.ask("POST", SET_UP, eve, evil)).status).toBe(403);
    const plain = { origin: page.own.origin };
    expect((await page.ask("POST", SET_UP, eve, plain)).status).toBe(403);
    const statuses: number[] = [];
    for (let times = 0; times < 11; times++) {
      const guess = { code: `${times}`.padStart(43, "x"), name: "Eve" };
      statuses.push((await page.ask("POST", SET_UP, guess)).status);
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
  });

  test("setting up ends the session that the browser had, which somebody else may have planted", async () => {
    const { server, page } = await open();
    const attacker = browser(server);
    await attacker.signIn({ token: OPERATOR_TOKEN });
    page.cookie = attacker.cookie;
    await page.ask("POST", SET_UP, { code: (await linkOf(server)).code, name: "Olga" });
    expect(page.cookie).not.toBe(attacker.cookie);
    expect((await attacker.ask("GET", SESSION)).status).toBe(401);
    expect((await page.ask("GET", SESSION)).body.name).toBe("Olga");
  });

  test("an owner, a demoted operator and a session get no set-up link", async () => {
    const { server } = await open();
    const site = (await createSite(server, "mine.example.com")).site_key_hash as string;
    const owner = await joined(server, site, "owner");
    expect((await owner.page.ask("POST", LINKS, {})).status).toBe(403);
    const operator = await joinedOperator(server);
    await withPasskey(server, operator.page);
    const issued = await operator.page.ask("POST", "/v1/admin/tokens", {
      name: "Kept",
      role: "operator",
    });
    await server.admin("DELETE", `/v1/admin/people/${operator.id}`);
    // No person is operator now, but the token that they made ended with them.
    expect((await server.admin("POST", LINKS, {}, issued.body.token)).status).toBe(401);
    expect((await operator.page.ask("POST", LINKS, {})).status).toBe(401);
    expect((await linkOf(server)).kind).toBe("set-up");
  });
});
