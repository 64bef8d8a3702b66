import type { PoolFacts } from "@gatehouse/protocol";
import { countPooled, sumPooled } from "../domain/decisions/pool/store.js";
import { platformSettings } from "../domain/platforms/settings/store.js";
import { poolSpend } from "../domain/platforms/settings.js";
import type { Queries } from "../infra/db/database.js";
import { DAY_MS, HOUR_MS } from "../infra/time.js";
import type { Asked } from "./facts.js";
import { isPooled } from "./identity.js";

/**
 * How much of their pool platforms that are not admitted have used, without this request, and its limits.
 * Undefined for all other callers.
 */
export async function gatherPool(
  tx: Queries,
  { siteKeyHash, identity, amount, firstAskedAt }: Asked,
  now: number,
): Promise<PoolFacts | undefined> {
  if (!isPooled(identity)) return undefined;
  const { pool } = await platformSettings(tx, siteKeyHash);
  // A purchase that is decided again does not count against itself.
  const counted = async (windowMs: number) => {
    const itself = firstAskedAt !== undefined && firstAskedAt > now - windowMs ? 1 : 0;
    return Math.max(0, (await countPooled(tx, siteKeyHash, now - windowMs)) - itself);
  };
  const spend = [];
  if (amount !== null) {
    const { currency } = amount;
    const minor = await sumPooled(tx, siteKeyHash, currency, now - DAY_MS);
    spend.push({ window: "P1D", currency, minor, limit: poolSpend(pool, currency) } as const);
  }
  const count = [
    { window: "PT1H", value: await counted(HOUR_MS), limit: pool.purchasesPerHour } as const,
    { window: "P1D", value: await counted(DAY_MS), limit: pool.purchasesPerDay } as const,
  ];
  return { spend, count };
}
