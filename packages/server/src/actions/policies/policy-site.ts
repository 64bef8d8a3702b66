import { FULL_OFFER, liveSkills, type PolicySiteFacts } from "@gatehouse/protocol";
import { currenciesOf } from "../../domain/products/lookups/store.js";
import type { Site } from "../../domain/sites/site.js";
import { hasSkill } from "../../domain/sites/skills.js";
import type { Queries } from "../../infra/db/database.js";

/** The site of a policy, and its skills. */
export type PolicySite = Pick<Site, "siteKeyHash" | "skills">;

/**
 * What the checks of a policy need to know about its site. The skills that buy count as offered, because
 * owners write their rules before they begin to sell.
 */
export async function policySiteFacts(
  db: Queries,
  { siteKeyHash, skills }: PolicySite,
): Promise<PolicySiteFacts> {
  return {
    isSkill: (id) => hasSkill(skills, id),
    offered: liveSkills(skills, "", FULL_OFFER).map(({ id }) => id),
    currencies: await currenciesOf(db, siteKeyHash),
  };
}
