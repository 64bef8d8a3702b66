import { describe, expect, test } from "vitest";
import { browser, SESSION } from "../console-browser.ts";
import { type TestServer, TIER_DATABASES } from "../harness.ts";
import {
  joined,
  joinedOperator,
  openTwoSites,
  optionsFor,
  type Page,
  personRecords,
  secretOf,
  withPasskey,
} from "./joining.ts";

const MINUTE_MS = 60_000;
const sessionsOf = (id: string) => `/v1/admin/people/${id}/sessions`;

describe.each(TIER_DATABASES)("sessions of colleagues, on %s:", (dialect) => {
  const open = () => openTwoSites(dialect);
  const listed = async (page: Page, id: string) =>
    (await page.ask("GET", sessionsOf(id))).body.items as { session_id: string }[];
  const addTo = (server: TestServer, id: string, site: string, role: string) =>
    server.context.db.run("INSERT INTO person_access VALUES (?, ?, ?)", id, site, role);

  test("an owner sees where a colleague is signed in, and ends one session with a passkey", async () => {
    const { server, clock, mine } = await open();
    const owner = await joined(server, mine, "owner", "Olga");
    const rosa = await joined(server, mine, "reviewer", "Rosa");
    const passkey = await withPasskey(server, rosa.page);
    const phone = browser(server);
    await phone.signIn({ passkey: passkey.get(await optionsFor(phone, "sign_in")) });
    const { session_id } = (await phone.ask("GET", SESSION)).body;
    expect((await listed(owner.page, rosa.id)).map((one) => one.session_id)).toContain(session_id);
    const end = () => owner.page.ask("DELETE", `${sessionsOf(rosa.id)}/${session_id}`);
    expect((await end()).body.reason_code).toBe("confirmation_required");
    await withPasskey(server, owner.page);
    expect((await end()).status).toBe(204);
    expect((await phone.ask("GET", SESSION)).status).toBe(401);
    expect((await rosa.page.ask("GET", SESSION)).status).toBe(200);
    expect((await end()).status).toBe(404);
    expect(await personRecords(server, mine)).toContainEqual(
      expect.objectContaining({
        type: "person.changed",
        change: "session_ended",
        person: { person_id: rosa.id, role: "reviewer" },
        actor: { kind: "person", id: owner.id, role: "owner" },
      }),
    );
    clock.advance(10 * MINUTE_MS);
    expect((await end()).body.reason_code).toBe("confirmation_required");
  });

  test("nobody sees or ends sessions of somebody with more rights, or of other sites", async () => {
    const { server, mine, theirs } = await open();
    const owner = await joined(server, mine, "owner", "Olga");
    await withPasskey(server, owner.page);
    const operator = await joinedOperator(server);
    const elsewhere = await joined(server, theirs, "auditor", "Otto");
    const shared = await joined(server, mine, "auditor", "Rita");
    await addTo(server, shared.id, theirs, "auditor");
    for (const { id, page } of [operator, elsewhere, shared]) {
      const { session_id } = (await page.ask("GET", SESSION)).body;
      const seen = await owner.page.ask("GET", sessionsOf(id));
      const ended = await owner.page.ask("DELETE", `${sessionsOf(id)}/${session_id}`);
      expect([seen.status, ended.status]).toEqual([403, 403]);
      expect((await page.ask("GET", SESSION)).status).toBe(200);
    }
    await withPasskey(server, operator.page);
    const { session_id } = (await shared.page.ask("GET", SESSION)).body;
    const path = `${sessionsOf(shared.id)}/${session_id}`;
    expect((await operator.page.ask("DELETE", path)).status).toBe(204);
  });

  test("the id of a session of one person does not end it under the name of another", async () => {
    const { server, mine } = await open();
    const owner = await joined(server, mine, "owner", "Olga");
    await withPasskey(server, owner.page);
    const rosa = await joined(server, mine, "reviewer", "Rosa");
    const operator = await joinedOperator(server);
    const { session_id } = (await operator.page.ask("GET", SESSION)).body;
    const path = `${sessionsOf(rosa.id)}/${session_id}`;
    expect((await owner.page.ask("DELETE", path)).status).toBe(404);
    expect((await operator.page.ask("GET", SESSION)).status).toBe(200);
  });

  test("an owner who was demoted neither sees nor ends them, nor resets a colleague", async () => {
    const { server, mine } = await open();
    const owner = await joined(server, mine, "owner", "Olga");
    await withPasskey(server, owner.page);
    const rosa = await joined(server, mine, "reviewer", "Rosa");
    const [{ session_id } = { session_id: "" }] = await listed(owner.page, rosa.id);
    const path = `/v1/admin/sites/${mine}/people/${owner.id}/role`;
    await server.admin("PUT", path, { role: "reviewer" });
    const { ask } = owner.page;
    expect((await ask("GET", sessionsOf(rosa.id))).status).toBe(403);
    expect((await ask("DELETE", `${sessionsOf(rosa.id)}/${session_id}`)).status).toBe(403);
    const reset = await ask("POST", `/v1/admin/people/${rosa.id}/links`, { reset: true });
    expect(reset.status).toBe(403);
    expect((await rosa.page.ask("GET", SESSION)).status).toBe(200);
  });

  test("an owner resets a colleague who lost a device, but nobody with more rights", async () => {
    const { server, mine } = await open();
    const owner = await joined(server, mine, "owner", "Olga");
    const rosa = await joined(server, mine, "owner", "Rosa");
    const passkey = await withPasskey(server, rosa.page);
    const reset = (id: string) =>
      owner.page.ask("POST", `/v1/admin/people/${id}/links`, { reset: true });
    expect((await reset(rosa.id)).body.reason_code).toBe("confirmation_required");
    await withPasskey(server, owner.page);
    const { body } = await reset(rosa.id);
    expect((await rosa.page.ask("GET", SESSION)).status).toBe(401);
    const thief = browser(server);
    const answer = passkey.get(await optionsFor(thief, "sign_in"));
    expect((await thief.signIn({ passkey: answer })).status).toBe(401);
    expect((await browser(server).signIn({ link: secretOf(body.url) })).status).toBe(201);
    const operator = await joinedOperator(server);
    expect((await reset(operator.id)).status).toBe(403);
    expect((await operator.page.ask("GET", SESSION)).status).toBe(200);
  });
});
