import { describe, expect, test } from "vitest";
import { TIER_DATABASES } from "../harness.ts";
import { openTwoSites } from "./joining.ts";

const PEOPLE_OF_SITE_MAX = 100;

describe.each(TIER_DATABASES)("the number of people, on %s:", (dialect) => {
  test("is limited for each site, and a full site leaves room for the others", async () => {
    const { server, mine, theirs } = await openTwoSites(dialect);
    const invite = (site: string, name: string, email?: string) =>
      server.admin("POST", `/v1/admin/sites/${site}/people`, { name, role: "auditor", email });
    expect((await invite(mine, "Ada", "ada@example.com")).status).toBe(201);
    const sql = "INSERT INTO person_access (person_id, site, role) VALUES (?, ?, ?)";
    for (let id = 1; id < PEOPLE_OF_SITE_MAX; id++) {
      await server.context.db.run(sql, `per_${id}`, mine, "auditor");
    }
    const refused = await invite(mine, "One too many");
    expect([refused.status, refused.body.message]).toEqual([
      409,
      expect.stringContaining("The site has 100 people"),
    ]);
    // Somebody who is there already takes no more room.
    expect((await invite(mine, "Ada", "ada@example.com")).status).toBe(201);
    expect((await invite(theirs, "Rosa")).status).toBe(201);
  });
});
