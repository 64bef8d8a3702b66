import { ok, type Result, refuse, type SkillSetting } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Actor } from "../../domain/audit/drafts.js";
import type { Site } from "../../domain/sites/site.js";
import { readSkills } from "../../domain/sites/skills.js";
import { siteByHash, updateSite } from "../../domain/sites/store.js";
import { siteChange } from "./site-change.js";

export interface SkillsChange {
  readonly skills: readonly SkillSetting[];
  /** The version of the site that the caller has read. If absent, any version is replaced. */
  readonly ifVersion?: number | undefined;
}

/** Replaces a site's skills. Its documents change at once, on every node. */
export async function setSkills(
  { clock, audit }: Context,
  siteKeyHash: string,
  { skills, ifVersion }: SkillsChange,
  actor: Actor,
): Promise<Result<Site, "invalid_request" | "not_found" | "conflict">> {
  const read = readSkills(skills);
  if (!read.ok) return read;
  const { answer } = await audit.commit(siteKeyHash, async (tx) => {
    const refused = (answer: Result<Site, "not_found" | "conflict">) => ({ records: [], answer });
    const site = await siteByHash(tx, siteKeyHash);
    if (site === undefined)
      return refused(refuse("not_found", "There is no site with this key hash."));
    const now = clock.now();
    const changed = { ...site, skills: read.value };
    const outdated = ifVersion !== undefined && ifVersion !== site.version;
    if (outdated || !(await updateSite(tx, changed, now))) {
      const why = "Someone else changed the site at the same time. Try again.";
      return refused(refuse("conflict", why));
    }
    const written = { ...changed, version: site.version + 1, changedAt: now };
    return {
      records: [await siteChange("skills_set", written, { actor, now, before: site })],
      answer: ok(written),
    };
  });
  return answer;
}
