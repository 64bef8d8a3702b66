import { vi } from "vitest";
import type { Database } from "../src/infra/db/database.ts";

/** How SQLite reads what some work asks it for: the steps of each statement. */
export async function plansOf(db: Database, work: () => Promise<unknown>): Promise<string[][]> {
  const spies = [vi.spyOn(db, "all"), vi.spyOn(db, "get")];
  await work();
  const calls = spies.flatMap(({ mock }) => [...mock.calls]);
  for (const spy of spies) spy.mockRestore();
  const plans: string[][] = [];
  for (const [sql, ...values] of calls) {
    const steps = await db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values);
    plans.push(steps.map(({ detail }) => detail));
  }
  return plans;
}
