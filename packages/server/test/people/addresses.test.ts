import { describe, expect, test } from "vitest";
import { TIER_DATABASES } from "../harness.ts";
import { joined, openTwoSites } from "./joining.ts";

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
});
