import { type Money, ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Actor } from "../../domain/audit/drafts.js";
import { mandateSettings } from "../../domain/mandate-settings/store.js";
import { currentPolicy } from "../../domain/policies/store.js";
import { insertTestItem } from "../../domain/products/test-items/store.js";
import { newTestItemId } from "../../domain/products/test-items/test-item-id.js";
import { gatesOf } from "../../domain/sites/gates.js";
import type { Site } from "../../domain/sites/site.js";
import { addAgent } from "../agents/add-agent.js";
import { setMandates } from "../mandates/set-mandates.js";
import { setSkills } from "../sites/set-skills.js";
import { testPrice } from "./test-price.js";

const PLACE_ORDER = "place_order";
/** The tag of test agents. Rules can refer to it. */
const TEST_TAG = "setup";

type Fault = "invalid_request" | "not_found" | "conflict";

/** A test purchase that may begin: who buys what, and for how much. */
export interface TestStarted {
  readonly agentId: string;
  readonly productId: string;
  readonly price: Money;
}

/** Why no test agent can buy here now; undefined if one can. */
function obstacle(site: Site): string | undefined {
  if (site.status !== "verified") return "Verify your domain first.";
  if (site.pausedAt !== null) return "Sales are paused. Resume them first.";
  const shut = gatesOf(site).find(({ open }) => !open);
  if (shut !== undefined) return shut.advice;
  if (site.provider?.kind === "sandbox") return undefined;
  return "A test purchase needs the sandbox. This site uses another payment provider.";
}

/** Turns on what a purchase with a mandate needs. What is on already stays as it is. */
async function openShop(
  context: Context,
  { siteKeyHash, skills }: Site,
  actor: Actor,
): Promise<Result<unknown, Fault>> {
  if (!skills.some(({ id, enabled }) => id === PLACE_ORDER && enabled)) {
    const isKnown = skills.some(({ id }) => id === PLACE_ORDER);
    const listed = isKnown ? skills : [...skills, { id: PLACE_ORDER, enabled: true }];
    const offered = listed.map((one) => (one.id === PLACE_ORDER ? { ...one, enabled: true } : one));
    const set = await setSkills(context, siteKeyHash, { skills: offered }, actor);
    if (!set.ok) return set;
  }
  if ((await mandateSettings(context.db, siteKeyHash)).enabled) return ok(true);
  return setMandates(context, siteKeyHash, { enabled: true }, actor);
}

/**
 * Adds a test agent and the one product that it can buy. Both end with the test, whether or not anybody watches it:
 * see `endTests`.
 */
export async function startTest(
  context: Context,
  site: Site,
  jwk: unknown,
  actor: Actor,
): Promise<Result<TestStarted, Fault>> {
  const { clock, db, ids } = context;
  const { siteKeyHash } = site;
  const why = obstacle(site);
  if (why !== undefined) return refuse("conflict", why);
  const policy = await currentPolicy(db, siteKeyHash);
  if (policy === undefined) return refuse("conflict", "Publish your rules first.");
  const opened = await openShop(context, site, actor);
  if (!opened.ok) return opened;
  const scopes = [`skill:${PLACE_ORDER}`];
  const newAgent = { name: "Test agent", jwk, scopes, tags: [TEST_TAG] };
  const productId = newTestItemId(ids);
  const price = testPrice(policy.document);
  const added = await addAgent(context, siteKeyHash, newAgent, actor, (tx, { agentId }) =>
    insertTestItem(tx, { siteKeyHash, productId, agentId, createdAt: clock.now() }, price),
  );
  return added.ok ? ok({ agentId: added.value.agent.agentId, productId, price }) : added;
}
