import { NO_OFFER, type Offer, PLACE_ORDER } from "@gatehouse/protocol";
import { mandateSettings } from "../../domain/mandate-settings/store.js";
import { ORDER_TOPIC } from "../../domain/orders/order.js";
import { hasOrders } from "../../domain/orders/store.js";
import type { PolicyCache } from "../../domain/policies/policy-cache.js";
import { hasProducts } from "../../domain/products/store.js";
import { testOpening } from "../../domain/products/test-openings/store.js";
import { shopConnection } from "../../domain/shop-connections/store.js";
import { gatesOf, sells } from "../../domain/sites/gates.js";
import type { Site } from "../../domain/sites/site.js";
import type { Queries } from "../../infra/db/database.js";

/** What keeps agents from buying, and what its owner can do about it. */
export interface Obstacle {
  readonly name: string;
  readonly advice: string;
}

/** What a purchase needs beside open gates: without it no purchase can succeed, so none is offered. */
interface Supply {
  readonly mandatesOn: boolean;
  readonly hasProducts: boolean;
  /** The skills that buy and that the rules in force can allow or escalate. */
  readonly permitted: readonly string[];
  /** Those of them that are switched on. */
  readonly usable: readonly string[];
}

/** Whether the owner has switched on a skill that buys: `place_order` is their choice, the other comes with checkout. */
function isSwitchedOn({ skills }: Site, id: string, isForTest: boolean): boolean {
  if (id !== PLACE_ORDER) return true;
  return !isForTest && skills.some((skill) => skill.id === id && skill.enabled);
}

async function supplyOf(db: Queries, policies: PolicyCache, site: Site): Promise<Supply> {
  const { siteKeyHash, policyPublished } = site;
  const permitted = policyPublished ? await policies.permitted(db, siteKeyHash) : [];
  // What a test purchase has turned on is for its own agent, and is off again within a minute.
  const forTest = await testOpening(db, siteKeyHash);
  const { enabled } = await mandateSettings(db, siteKeyHash);
  return {
    mandatesOn: enabled && forTest?.mandates !== true,
    hasProducts: await hasProducts(db, siteKeyHash),
    permitted,
    usable: permitted.filter((id) => isSwitchedOn(site, id, forTest?.skill === true)),
  };
}

/**
 * What a site offers to buyers now. It decides what is advertised, and whether a cart or checkout can be
 * created. Purchases that have begun depend on gates, stock and rules alone.
 */
export async function offerOf(db: Queries, policies: PolicyCache, site: Site): Promise<Offer> {
  // Nothing was ever decided without a policy.
  if (!site.policyPublished) return NO_OFFER;
  const ordered = await hasOrders(db, site.siteKeyHash);
  if (!sells(site)) return { buying: [], hasOrders: ordered };
  const { mandatesOn, hasProducts, usable } = await supplyOf(db, policies, site);
  const takesCodes = (await shopConnection(db, site.siteKeyHash)) !== undefined;
  return { buying: mandatesOn && hasProducts ? usable : [], hasOrders: ordered, takesCodes };
}

/** How the cache of sites reads what a site offers, and which news change it. */
export const offersFrom = (db: Queries, policies: PolicyCache) => ({
  offerOf: (site: Site) => offerOf(db, policies, site),
  orderTopic: ORDER_TOPIC,
});

/** Everything that keeps agents from buying; empty if they can. */
export async function obstaclesOf(
  db: Queries,
  policies: PolicyCache,
  site: Site,
): Promise<readonly Obstacle[]> {
  const supply = await supplyOf(db, policies, site);
  const { permitted, usable } = supply;
  const refusesAll = site.policyPublished && permitted.length === 0;
  const conditions = [
    {
      name: "domain",
      open: site.status === "verified",
      advice: "Verify the domain.",
    },
    { name: "sales", open: site.pausedAt === null, advice: "Resume sales." },
    ...gatesOf(site),
    { name: "mandates", open: supply.mandatesOn, advice: "Turn mandates on." },
    { name: "products", open: supply.hasProducts, advice: "Add a product." },
    {
      name: "rules",
      open: !refusesAll,
      advice:
        "Your rules decline every purchase. Publish rules that approve some, or ask for a review.",
    },
    {
      name: "skill",
      open: permitted.length === 0 || usable.length > 0,
      advice: `Turn on ${permitted.join(" or ")}. Your rules do not allow anything else.`,
    },
  ];
  return conditions
    .filter(({ open }) => !open)
    .map(({ name, advice }) => Object.freeze({ name, advice }));
}
