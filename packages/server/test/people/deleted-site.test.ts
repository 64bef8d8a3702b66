import { describe, expect, test } from "vitest";
import { changeRole } from "../../src/actions/people/change-person.ts";
import { invitePerson } from "../../src/actions/people/invite-person.ts";
import { OPERATOR } from "../../src/domain/access/token-authenticator.ts";
import { SESSION } from "../console-browser.ts";
import { DATABASES } from "../harness.ts";
import { invite, joined, openTwoSites, personRecords } from "./joining.ts";

describe.each(DATABASES)("the people of a deleted site, on %s:", (dialect) => {
  test("lose their roles with it; who has no other site is removed for good", async () => {
    const { server, mine, theirs } = await openTwoSites(dialect);
    const rosa = await joined(server, mine, "owner", "Rosa");
    const otto = await joined(server, theirs, "owner", "Otto");
    const { db } = server.context;
    await db.run("INSERT INTO person_access VALUES (?, ?, ?)", otto.id, mine, "auditor");
    expect((await server.admin("DELETE", `/v1/admin/sites/${mine}`)).status).toBe(204);
    const rows = await db.all("SELECT person_id, site FROM person_access");
    expect(rows).toEqual([{ person_id: otto.id, site: theirs }]);
    expect((await rosa.page.ask("GET", SESSION)).status).toBe(401);
    expect((await otto.page.ask("GET", SESSION)).body.roles).toEqual({ [theirs]: "owner" });
    const { items } = (await server.admin("GET", "/v1/admin/people")).body;
    expect(items.map(({ name }: { name: string }) => name)).toEqual(["Otto"]);
    const lost = (await personRecords(server, mine)).filter(
      ({ type }: { type: string }) => type === "person.changed",
    );
    const none = [rosa.id, otto.id].map((person_id) => ({ person_id, role: null }));
    expect(lost.map(({ person }: { person: object }) => person)).toEqual(
      expect.arrayContaining(none),
    );
  });

  test("cannot be given a role there any more, not even by a request that came before", async () => {
    const { server, mine } = await openTwoSites(dialect);
    const { context } = server;
    const personId = (await invite(server, mine, "auditor")).person_id as string;
    await server.admin("DELETE", `/v1/admin/sites/${mine}`);
    const late = { name: "Eve", email: undefined, role: "owner", sites: [mine] } as const;
    expect(await invitePerson(context, OPERATOR, late)).toMatchObject({ ok: false });
    // As a restored row would be.
    await context.db.run("INSERT INTO person_access VALUES (?, ?, ?)", personId, mine, "auditor");
    await context.db.run("UPDATE people SET removed_at = NULL");
    const change = { personId, site: mine, role: "owner" } as const;
    expect(await changeRole(context, OPERATOR, change)).toMatchObject({ reason: "not_found" });
  });
});
