import { expect, test } from "vitest";
import { createSite, freshEnvironment, startServer } from "./harness.ts";
import { plansOf } from "./query-plans.ts";

test.each([
  ["/decisions", "decisions_by_time"],
  ["/decisions?agent_id=agt_1", "decisions_by_actor"],
  ["/decisions?outcome=rejected", "decisions_by_outcome"],
  ["/decisions?mandate_id=one", "sqlite_autoindex_decisions_1", "decisions_by_mandate_id"],
  ["/decisions?checkout_id=chk_one", "sqlite_autoindex_decisions_1", "decisions_by_mandate_id"],
  ["/orders?status=open", "orders_by_status"],
  ["/orders?payment=authorized", "orders_by_payment"],
  ["/orders?agent_id=agt_1", "orders_by_actor"],
  ["/orders?from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z", "orders_by_site"],
  ["/orders?status=refunded", "orders_refunded"],
  ["/escalations?status=pending", "reviews_by_status"],
  ["/visits", "PRIMARY KEY"],
  ["/visits?agent=GPTBot", "visits_by_agent"],
  ["/visits?classification=declared_agent", "visits_not_by_people"],
])("the list %s is read by %s, however many other rows there are", async (path, ...indexes) => {
  const server = await startServer(await freshEnvironment("sqlite"));
  const site = await createSite(server, "shop.example.com");
  const plans = await plansOf(server.context.db, async () => {
    const { status } = await server.admin("GET", `/v1/admin/sites/${site.site_key_hash}${path}`);
    expect(status).toBe(200);
  });
  const [table = ""] = /\w+/.exec(path.replace("escalations", "reviews")) ?? [];
  const own = plans.filter((steps) => steps.some((step) => step.includes(` ${table} USING`)));
  const read = own
    .flat()
    .flatMap((step) => / USING (?:COVERING )?(?:INDEX )?([\w ]+?) \(/.exec(step)?.[1] ?? []);
  expect(read).toEqual(indexes);
  // One mandate, or one checkout, has few decisions to sort.
  const isSorted = /mandate_id|checkout_id/.test(path);
  if (!isSorted) expect(own.flat().join()).not.toContain("TEMP B-TREE");
});
