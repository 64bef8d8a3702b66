import { describe, expect, test } from "vitest";
import {
  changeRole,
  removeFromSite,
  removePerson,
  renewLink,
} from "../../src/actions/people/change-person.ts";
import { invitePerson } from "../../src/actions/people/invite-person.ts";
import { endSessionOf } from "../../src/actions/people/sessions-of.ts";
import { issueEdgeToken } from "../../src/actions/tokens/issue-edge-token.ts";
import { issueToken } from "../../src/actions/tokens/issue-token.ts";
import { revokeToken } from "../../src/actions/tokens/revoke-token.ts";
import type { Principal } from "../../src/domain/access/principal.ts";
import { DATABASES } from "../harness.ts";
import { invite, joined, joinedOperator, openTwoSites } from "./joining.ts";

describe.each(DATABASES)("rights that were lost after the request came, on %s:", (dialect) => {
  test("do not give, change or take access, for people and for tokens", async () => {
    const { server, mine } = await openTwoSites(dialect);
    const { context } = server;
    const at = `/v1/admin/sites/${mine}`;
    const owner = await joined(server, mine, "owner", "Olga");
    const operator = await joinedOperator(server);
    const personId = (await invite(server, mine, "reviewer")).person_id as string;
    const worker = { name: "worker", role: "auditor" };
    const { token_id } = (await server.admin("POST", `${at}/tokens`, worker)).body;
    const deputy = { name: "deputy", role: "owner" };
    const token = (await server.admin("POST", `${at}/tokens`, deputy)).body.token_id as string;
    // As the requests found them.
    const was = { role: "owner", sites: [mine] } as const;
    const demoted: Principal = { id: owner.id, kind: "person", ...was, confirmedAt: 0 };
    const revoked: Principal = { id: token, kind: "token", ...was };
    const removed: Principal = { id: operator.id, kind: "person", role: "operator", sites: null };
    const actions = (by: Principal) => [
      changeRole(context, by, { personId, site: mine, role: "owner" }),
      removeFromSite(context, by, personId, mine),
      removePerson(context, by, personId),
      renewLink(context, by, personId, { reset: true }),
      invitePerson(context, by, { name: "Eve", email: undefined, role: "owner", sites: [mine] }),
      issueToken(context, by, { name: "Eve", role: "owner", sites: [mine], days: undefined }),
      endSessionOf(context, by, personId, "ses_any"),
      issueEdgeToken(context, by, { siteKeyHash: mine, name: "Eve" }),
      revokeToken(context, by, token_id, { descendants: false }),
    ];
    await server.admin("PUT", `${at}/people/${owner.id}/role`, { role: "reviewer" });
    await server.admin("DELETE", `/v1/admin/tokens/${token}`);
    await server.admin("DELETE", `/v1/admin/people/${operator.id}`);
    const people = async () => (await server.admin("GET", `${at}/people`)).body;
    const before = await people();
    for (const by of [demoted, revoked, removed]) {
      for (const answer of await Promise.all(actions(by))) {
        expect(answer).toMatchObject({ ok: false, reason: "forbidden" });
      }
    }
    expect(await people()).toEqual(before);
  });
});
