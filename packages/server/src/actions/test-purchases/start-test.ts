import { type Money, ok, type PaymentHandler, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Actor } from "../../domain/audit/drafts.js";
import { currentPolicy } from "../../domain/policies/store.js";
import { insertTestItem } from "../../domain/products/test-items/store.js";
import { newTestItemId } from "../../domain/products/test-items/test-item-id.js";
import { insertTestOpening } from "../../domain/products/test-openings/store.js";
import { gatesOf } from "../../domain/sites/gates.js";
import type { Site } from "../../domain/sites/site.js";
import { addAgent } from "../agents/add-agent.js";
import { missingForTest, openForTest, PLACE_ORDER } from "./open-shop.js";
import { testPrice } from "./test-price.js";

/** The tag of test agents. Rules can refer to it. */
const TEST_TAG = "setup";

const NO_PROVIDER = "Connect a payment provider first.";

type Fault = "invalid_request" | "not_found" | "conflict";

/** A test purchase that may begin: who buys what, and for how much. */
export interface TestStarted {
  readonly agentId: string;
  readonly productId: string;
  readonly price: Money;
  /** The payment provider that the agent pays with. It accepts a test card. */
  readonly handler: PaymentHandler;
}

/** Why no test agent can buy here now; undefined if one can. A test card moves no money, so it pays no live account. */
function obstacle(site: Site): string | undefined {
  if (site.status !== "verified") return "Verify your domain first.";
  if (site.pausedAt !== null) return "Sales are paused. Resume them first.";
  const shut = gatesOf(site).find(({ open }) => !open);
  if (shut !== undefined) return shut.advice;
  if (site.provider?.live !== true) return undefined;
  return "This site takes real payments. A test purchase needs the sandbox or a Stripe test key.";
}

/**
 * Adds a test agent and the one product that it can buy, and turns on what it needs. All of this ends with the test,
 * whether or not anybody watches it: see `endTests`.
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
  const handler = site.provider?.kind;
  if (why !== undefined || handler === undefined) return refuse("conflict", why ?? NO_PROVIDER);
  const policy = await currentPolicy(db, siteKeyHash);
  if (policy === undefined) return refuse("conflict", "Publish your rules first.");
  const missing = await missingForTest(context, site);
  const scopes = [`skill:${PLACE_ORDER}`];
  const newAgent = { name: "Test agent", jwk, scopes, tags: [TEST_TAG] };
  const productId = newTestItemId(ids);
  const price = testPrice(policy.document);
  // First what is to be turned off again: after a crash here, the test ends as one whose agent never asked.
  const added = await addAgent(context, siteKeyHash, newAgent, actor, async (tx, { agentId }) => {
    await insertTestOpening(tx, siteKeyHash, missing);
    await insertTestItem(tx, { siteKeyHash, productId, agentId, createdAt: clock.now() }, price);
  });
  if (!added.ok) return added;
  const opened = await openForTest(context, site, missing, actor);
  if (!opened.ok) return opened;
  return ok({ agentId: added.value.agent.agentId, productId, price, handler });
}
