import { describe, expect, test } from "vitest";
import { browser, SESSION } from "../console-browser.ts";
import { TIER_DATABASES } from "../harness.ts";
import {
  invite,
  joined,
  openTwoSites,
  optionsFor,
  passkeyOrigin,
  personRecords as records,
  secretOf,
  withPasskey,
} from "./joining.ts";
import { SoftwarePasskey } from "./software-passkey.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

describe.each(TIER_DATABASES)("people, on %s:", (dialect) => {
  const open = () => openTwoSites(dialect);

  test("an invitation signs in once, and the log names the person by an id alone", async () => {
    const { server, mine } = await open();
    const person = await invite(server, mine, "reviewer");
    expect(person).toMatchObject({ name: "Rosa", status: "invited", email: null });
    expect(person.link.url).toMatch(/\/console#link=[\w-]{43}$/);
    // A scanner that opens the page sends no fragment, and using the link takes a request of the page.
    expect((await fetch(`${server.url}/console`)).status).toBe(200);
    const page = browser(server);
    const signedIn = await page.signIn({ link: secretOf(person.link.url) });
    expect(signedIn.body).toMatchObject({ kind: "person", role: "reviewer", name: "Rosa" });
    expect(signedIn.body.roles).toEqual({ [mine]: "reviewer" });
    expect((await browser(server).signIn({ link: secretOf(person.link.url) })).status).toBe(401);
    const logged = await records(server, mine);
    expect(logged.map(({ type }: { type: string }) => type).sort()).toEqual([
      "person.invited",
      "person.joined",
    ]);
    expect(JSON.stringify(logged)).toContain(person.person_id);
    expect(JSON.stringify(logged)).not.toContain("Rosa");
  });

  test("a new name is recorded as a change of the person, without either name", async () => {
    const { server, mine } = await open();
    const { page, id } = await joined(server, mine, "reviewer", "Rosa");
    const renamed = await page.ask("PATCH", "/v1/console/person", { name: "Rosalind" });
    expect(renamed.status).toBe(204);
    const logged = await records(server, mine);
    expect(logged).toContainEqual(
      expect.objectContaining({
        type: "person.changed",
        change: "renamed",
        person: { person_id: id, role: "reviewer" },
        actor: { kind: "person", id, role: "reviewer" },
      }),
    );
    expect(JSON.stringify(logged)).not.toContain("Rosa");
  });

  test("an invitation ends after seven days, and a new link works instead", async () => {
    const { server, clock, mine } = await open();
    const person = await invite(server, mine, "owner");
    clock.advance(7 * DAY_MS);
    expect((await browser(server).signIn({ link: secretOf(person.link.url) })).status).toBe(401);
    const path = `/v1/admin/people/${person.person_id}/links`;
    const { body } = await server.admin("POST", path, {});
    expect((await browser(server).signIn({ link: secretOf(body.url) })).status).toBe(201);
  });

  test("a person has at each site the role that they were given there", async () => {
    const { server, mine, theirs } = await open();
    const email = "ada@example.com";
    const asOwner = { name: "Ada", role: "owner", email };
    const first = (await server.admin("POST", `/v1/admin/sites/${mine}/people`, asOwner)).body;
    const asAuditor = { ...asOwner, role: "auditor", email: "Ada@Example.com" };
    const second = (await server.admin("POST", `/v1/admin/sites/${theirs}/people`, asAuditor)).body;
    expect(second.person_id).toBe(first.person_id);
    const page = browser(server);
    await page.signIn({ link: secretOf(second.link.url) });
    const rename = { name: "Flowers" };
    expect((await page.ask("PATCH", `/v1/admin/sites/${mine}`, rename)).status).toBe(200);
    expect((await page.ask("PATCH", `/v1/admin/sites/${theirs}`, rename)).status).toBe(403);
    expect((await page.ask("GET", "/v1/admin/sites")).body.items).toHaveLength(2);
    // Being an owner somewhere does not help with the tokens of a site where one only reads.
    const token = { name: "worker", role: "auditor" };
    const made = (await server.admin("POST", `/v1/admin/sites/${theirs}/tokens`, token)).body;
    await withPasskey(server, page);
    expect((await page.ask("DELETE", `/v1/admin/tokens/${made.token_id}`)).status).toBe(404);
  });

  test("nobody gives a role above their own, or changes somebody above them", async () => {
    const { server, mine, theirs } = await open();
    const owner = await joined(server, mine, "owner", "Olga");
    await withPasskey(server, owner.page);
    const people = `/v1/admin/sites/${mine}/people`;
    const operator = { name: "Oscar", role: "operator" };
    expect((await owner.page.ask("POST", "/v1/admin/people", operator)).status).toBe(403);
    expect((await owner.page.ask("POST", people, operator)).status).toBe(400);
    const other = await joined(server, theirs, "owner", "Otto");
    const path = `/v1/admin/people/${other.id}`;
    expect((await owner.page.ask("POST", `${path}/links`, {})).status).toBe(403);
    expect((await owner.page.ask("DELETE", path)).status).toBe(403);
    expect((await owner.page.ask("DELETE", `${people}/${other.id}`)).status).toBe(404);
    const reviewer = await joined(server, mine, "reviewer", "Rita");
    const role = { role: "owner" };
    expect((await reviewer.page.ask("PUT", `${people}/${reviewer.id}/role`, role)).status).toBe(
      403,
    );
    expect((await reviewer.page.ask("POST", people, { name: "X", role: "auditor" })).status).toBe(
      403,
    );
    expect((await reviewer.page.ask("GET", people)).body.items[0].email).toBe(null);
  });

  test("somebody who signed in by a handed link gets none of the rights that the address gets later", async () => {
    const { server, mine } = await open();
    const owner = await joined(server, mine, "owner", "Olga");
    await withPasskey(server, owner.page);
    const email = "ceo@example.com";
    const body = { name: "Carla", role: "auditor", email };
    const invited = await owner.page.ask("POST", `/v1/admin/sites/${mine}/people`, body);
    const hijacker = browser(server);
    await hijacker.signIn({ link: secretOf(invited.body.link.url) });
    const hoarded = await owner.page.ask(
      "POST",
      `/v1/admin/people/${invited.body.person_id}/links`,
      {},
    );
    const promoted = { name: "Carla", role: "operator", email };
    const { body: real } = await server.admin("POST", "/v1/admin/people", promoted);
    expect(real.person_id).toBe(invited.body.person_id);
    expect((await hijacker.ask("GET", SESSION)).status).toBe(401);
    const late = await browser(server).signIn({ link: secretOf(hoarded.body.url) });
    expect(late.status).toBe(401);
    const carla = await browser(server).signIn({ link: secretOf(real.link.url) });
    expect(carla.body.role).toBe("operator");
  });

  test("the tokens that a person made end when they are removed, and those above their role when it falls", async () => {
    const { server, mine } = await open();
    const bob = await joined(server, mine, "owner", "Bob");
    await withPasskey(server, bob.page);
    const at = `/v1/admin/sites/${mine}`;
    const make = async (role: string) =>
      (await bob.page.ask("POST", `${at}/tokens`, { name: role, role })).body.token as string;
    const [owner, auditor] = [await make("owner"), await make("auditor")];
    const status = async (token: string) =>
      (await server.admin("GET", at, undefined, token)).status;
    expect([await status(owner), await status(auditor)]).toEqual([200, 200]);
    await server.admin("PUT", `${at}/people/${bob.id}/role`, { role: "reviewer" });
    expect([await status(owner), await status(auditor)]).toEqual([401, 200]);
    await server.admin("DELETE", `${at}/people/${bob.id}`);
    expect(await status(auditor)).toBe(401);
  });

  test("a browser that was left open for long cannot get the first passkey", async () => {
    const { server, clock, mine } = await open();
    const { page } = await joined(server, mine, "owner");
    clock.advance(16 * MINUTE_MS);
    const thief = new SoftwarePasskey(passkeyOrigin(server));
    const passkey = thief.create(await optionsFor(page, "register"));
    const added = await page.ask("POST", "/v1/console/passkeys", { name: "Mallory", passkey });
    expect([added.status, added.body.message]).toEqual([403, expect.stringContaining("new link")]);
  });

  test("a passkey signs in, and none of its answers counts twice", async () => {
    const { server, clock, mine } = await open();
    const { page, id } = await joined(server, mine, "owner");
    const passkey = await withPasskey(server, page);
    const next = browser(server);
    const answer = passkey.get(await optionsFor(next, "sign_in"));
    const signedIn = await next.signIn({ passkey: answer });
    expect([signedIn.status, signedIn.body.token_id]).toEqual([201, id]);
    expect((await browser(server).signIn({ passkey: answer })).status).toBe(401);
    const late = await optionsFor(next, "sign_in");
    clock.advance(5 * MINUTE_MS);
    expect((await next.signIn({ passkey: passkey.get(late) })).status).toBe(401);
  });

  test.each([
    ["of another page", { origin: "https://evil.example" }],
    ["for another host", { host: "evil.example" }],
    ["without a fingerprint or PIN", { verified: false }],
  ])("an answer of a passkey %s is not accepted", async (_, wrong) => {
    const { server, mine } = await open();
    const { page } = await joined(server, mine, "owner");
    const passkey = await withPasskey(server, page);
    const next = browser(server);
    const options = await optionsFor(next, "sign_in");
    expect((await next.signIn({ passkey: passkey.get(options, wrong) })).status).toBe(401);
  });

  test("an answer for one purpose or session does not count for another", async () => {
    const { server, mine } = await open();
    const { page } = await joined(server, mine, "owner");
    const passkey = await withPasskey(server, page);
    const toConfirm = await optionsFor(page, "confirm");
    const next = browser(server);
    expect((await next.signIn({ passkey: passkey.get(toConfirm) })).status).toBe(401);
    await next.signIn({ passkey: passkey.get(await optionsFor(next, "sign_in")) });
    const confirm = { passkey: passkey.get(await optionsFor(page, "confirm")) };
    expect((await next.ask("POST", "/v1/console/confirmation", confirm)).status).toBe(403);
  });

  test("a counter that goes backwards is a copied passkey", async () => {
    const { server, mine } = await open();
    const { page } = await joined(server, mine, "owner");
    const passkey = await withPasskey(server, page);
    const next = browser(server);
    passkey.counter = 10;
    expect(
      (await next.signIn({ passkey: passkey.get(await optionsFor(next, "sign_in")) })).status,
    ).toBe(201);
    passkey.counter = 5;
    expect(
      (await next.signIn({ passkey: passkey.get(await optionsFor(next, "sign_in")) })).status,
    ).toBe(401);
  });

  test("keys, payment accounts and people need a passkey of the last ten minutes", async () => {
    const { server, clock, mine } = await open();
    const { page } = await joined(server, mine, "owner");
    const at = `/v1/admin/sites/${mine}`;
    const sensitive = [
      ["POST", `${at}/tokens`, { name: "worker", role: "auditor" }],
      ["POST", `${at}/edge-tokens`, { name: "worker" }],
      ["POST", `${at}/people`, { name: "Rita", role: "reviewer" }],
      ["PUT", `${at}/processor`, { kind: "stripe", rail_on: true, settles: true }],
      ["POST", `${at}/buyers/erase`, { email: "ann@example.com" }],
      ["PUT", `${at}/buyers/retention`, { days: 30 }],
      ["POST", `${at}/orders/ord_1/capture`, { revision: 1 }],
      ["POST", `${at}/orders/ord_1/refund`, { revision: 1 }],
    ] as const;
    for (const [method, path, body] of sensitive) {
      const refused = await page.ask(method, path, body);
      expect([path, refused.status, refused.body.reason_code]).toEqual([
        path,
        403,
        "confirmation_required",
      ]);
    }
    const passkey = await withPasskey(server, page);
    expect((await page.ask(...sensitive[0])).status).toBe(201);
    clock.advance(10 * MINUTE_MS);
    expect((await page.ask(...sensitive[0])).status).toBe(403);
    const confirm = { passkey: passkey.get(await optionsFor(page, "confirm")) };
    expect((await page.ask("POST", "/v1/console/confirmation", confirm)).status).toBe(204);
    expect((await page.ask(...sensitive[0])).status).toBe(201);
    expect((await page.ask("POST", "/v1/console/confirmation", confirm)).status).toBe(403);
  });

  test("somebody with a passkey needs it to add another", async () => {
    const { server, clock, mine } = await open();
    const { page, id } = await joined(server, mine, "owner");
    await withPasskey(server, page);
    clock.advance(10 * MINUTE_MS);
    const stolen = new SoftwarePasskey(passkeyOrigin(server));
    const passkey = stolen.create(await optionsFor(page, "register"));
    const added = await page.ask("POST", "/v1/console/passkeys", { name: "Mallory", passkey });
    expect(added.status).toBe(403);
    for (const wayOut of ["Settings → People → Lost device", `person link ${id} --reset`]) {
      expect(added.body.message).toContain(wayOut);
    }
  });

  test("people list their sessions and end one, and removing them ends all at once", async () => {
    const { server, mine } = await open();
    const { page, id } = await joined(server, mine, "owner");
    const passkey = await withPasskey(server, page);
    const phone = browser(server);
    await phone.signIn({ passkey: passkey.get(await optionsFor(phone, "sign_in")) });
    const { body } = await page.ask("GET", "/v1/console/person");
    expect(body.sessions).toHaveLength(2);
    const other = body.sessions.find(({ current }: { current: boolean }) => !current);
    await page.ask("DELETE", `/v1/console/sessions/${other.session_id}`);
    expect((await phone.ask("GET", SESSION)).status).toBe(401);
    expect((await page.ask("GET", SESSION)).status).toBe(200);
    await server.admin("DELETE", `/v1/admin/sites/${mine}/people/${id}`);
    expect((await page.ask("GET", SESSION)).status).toBe(401);
    const again = await phone.signIn({ passkey: passkey.get(await optionsFor(phone, "sign_in")) });
    expect(again.status).toBe(401);
  });

  test("a lost device is reset: its passkeys and sessions end, and a new link is made", async () => {
    const { server, mine } = await open();
    const { page, id } = await joined(server, mine, "owner");
    const passkey = await withPasskey(server, page);
    const reset = { reset: true };
    const { body } = await server.admin("POST", `/v1/admin/people/${id}/links`, reset);
    expect((await page.ask("GET", SESSION)).status).toBe(401);
    const thief = browser(server);
    const answer = passkey.get(await optionsFor(thief, "sign_in"));
    expect((await thief.signIn({ passkey: answer })).status).toBe(401);
    expect((await browser(server).signIn({ link: secretOf(body.url) })).status).toBe(201);
  });

  test("asking for a sign-in link says the same for an address that nobody has", async () => {
    const { server, mine } = await open();
    const body = { name: "Ada", role: "owner", email: "ada@example.com" };
    await server.admin("POST", `/v1/admin/sites/${mine}/people`, body);
    const page = browser(server);
    const links = "/v1/console/sign-in-links";
    const known = await page.ask("POST", links, { email: "ada@example.com" });
    const unknown = await page.ask("POST", links, { email: "eve@example.com" });
    expect([known.status, known.body.message]).toEqual([unknown.status, unknown.body.message]);
    expect(known.body.message).toContain("cannot send email");
    await page.ask("POST", links, { email: "ada@example.com" });
    const many = await page.ask("POST", links, { email: "ada@example.com" });
    expect(many.status).toBe(429);
  });
});
