import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Actor } from "../../domain/audit/drafts.js";
import { writePause } from "../../domain/sites/pause/store.js";
import type { Site } from "../../domain/sites/site.js";
import { siteByHash } from "../../domain/sites/store.js";
import { closePagesNow } from "../../purchase/reconcile.js";
import { siteChange } from "./site-change.js";

/**
 * Pauses or resumes sales. It is committed to the site's log, like every decision, so once it is answered
 * no later decision requests a payment. Repeating it changes and records nothing.
 */
export async function pauseSite(
  { audit, clock }: Context,
  siteKeyHash: string,
  target: "paused" | "resumed",
  actor: Actor,
): Promise<Result<Site, "not_found">> {
  const { answer } = await audit.commit<Result<Site, "not_found">>(siteKeyHash, async (tx) => {
    const now = clock.now();
    const pausedAt = target === "paused" ? now : null;
    const changed = await writePause(tx, siteKeyHash, { pausedAt, now });
    const site = await siteByHash(tx, siteKeyHash);
    if (site === undefined) {
      return { records: [], answer: refuse("not_found", "There is no site with this key hash.") };
    }
    // Nobody pays any more on a page of the provider that is open.
    if (target === "paused") await closePagesNow(tx, siteKeyHash, now);
    const records = changed ? [await siteChange(target, site, { actor, now })] : [];
    return { records, answer: ok(site) };
  });
  return answer;
}
