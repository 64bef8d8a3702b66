import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../context.js";
import { type Actor, actorDraft } from "../owners/audit/drafts.js";
import type { ProcessorSettings, Site } from "../owners/sites/site.js";
import { siteByHash, updateSite } from "../owners/sites/store.js";

/** Connects a site to a processor, or with null takes it from the one it has. */
export async function setProcessor(
  { audit, clock }: Context,
  siteKeyHash: string,
  processor: ProcessorSettings | null,
  actor: Actor,
): Promise<Result<Site, "not_found" | "conflict">> {
  const { answer } = await audit.commit(siteKeyHash, async (tx) => {
    const refused = (answer: Result<Site, "not_found" | "conflict">) => ({ records: [], answer });
    const site = await siteByHash(tx, siteKeyHash);
    if (site === undefined) return refused(refuse("not_found", "No site has this key hash."));
    const now = clock.now();
    const changed = { ...site, processor };
    if (!(await updateSite(tx, changed, now))) {
      const why = "The site was changed by somebody else meanwhile. Try again.";
      return refused(refuse("conflict", why));
    }
    const about =
      processor === null
        ? { processor: "none" }
        : {
            ...{ processor: processor.kind, rail_on: processor.railOn },
            ...{ settles: processor.settles, live: processor.live },
          };
    const change = { kind: "processor_set", ...about };
    const written = { ...changed, version: site.version + 1, changedAt: now };
    return {
      records: [actorDraft("site.changed", actor, now, { change })],
      answer: ok(written),
    };
  });
  return answer;
}
