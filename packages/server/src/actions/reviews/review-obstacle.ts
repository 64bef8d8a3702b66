import { type Refusal, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { keyByKid } from "../../domain/agents/keys/store.js";
import { agentById } from "../../domain/agents/store.js";
import { checkoutById } from "../../domain/checkouts/store.js";
import { mandateSettings } from "../../domain/mandate-settings/store.js";
import { platformSettings } from "../../domain/platforms/settings/store.js";
import { acceptedBy } from "../../domain/platforms/settings.js";
import type { Review } from "../../domain/reviews/review.js";
import { gatesOf, sells, skillsOf } from "../../domain/sites/gates.js";
import type { Site } from "../../domain/sites/site.js";
import { siteByHash } from "../../domain/sites/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { identityOfPlatform } from "../../purchase/identity.js";
import { priceGoods } from "../../purchase/prices.js";
import { platformOf } from "../checkout/platform-actor.js";
import { isSameQuote, quoteFor } from "../checkout/quote.js";
import { keyFault } from "../mandates/agent-standing.js";

/** Obstacles that can pass, and what a reviewer can do about each. */
const BLOCKS = {
  site_not_verified: "The domain of this site is not verified. Verify it, then approve again.",
  mandates_disabled:
    "The site does not accept mandates now. Turn mandates on for this site, then approve again.",
  agent_suspended: "The agent is suspended. Approve the agent first, then approve this request.",
  agent_pending:
    "The agent is not approved yet. Approve the agent first, then approve this request.",
  platform_suspended:
    "The platform is suspended. Admit the platform first, then approve this request.",
  platform_not_admitted:
    "The site sells only to admitted platforms now. Admit this platform first, or decline the request.",
  site_paused: "Sales of this site are paused. Resume them, then approve again.",
  gate_shut: "The site is not ready to sell.",
  skill_not_live: "The site does not offer this action now. Turn it on, then approve again.",
  provider_changed:
    "This request uses a different payment provider than the site. Connect that provider again, or decline the request.",
  provider_unreachable:
    "The payment provider cannot be reached. Nothing was charged. Try again in a minute.",
  shop_unreachable: "The shop system does not answer. Nothing was charged. Try again in a minute.",
  out_of_stock: "Not enough stock. Add stock and approve again, or decline the request.",
  budget_exceeded:
    "This would exceed a budget in your rules. Approve it later, raise the budget, or decline the request.",
} as const;

type BlockCode = keyof typeof BLOCKS;

/** Approval is impossible for now: the review stays pending. Its detail is for the reviewer. */
export interface Block extends Refusal<"approval_blocked"> {
  readonly reasonCode: BlockCode;
}

export function blockOf(reasonCode: BlockCode, detail: string = BLOCKS[reasonCode]): Block {
  return { ...refuse("approval_blocked", detail), reasonCode };
}

/** Why a review cannot be approved, now or ever. */
export type Obstacle =
  | { readonly lasting: false; readonly block: Block }
  | { readonly lasting: true; readonly reasonCode: string };

const forNow = (code: BlockCode, detail?: string): Obstacle => ({
  lasting: false,
  block: blockOf(code, detail),
});
const forGood = (reasonCode: string): Obstacle => ({ lasting: true, reasonCode });

/** What prevents an approval, other than the rules. Undefined if nothing does. */
export async function obstacleTo(
  context: Context,
  tx: Transaction,
  review: Review,
  now: number,
): Promise<Obstacle | undefined> {
  const { siteKeyHash, request } = review;
  const site = await siteByHash(tx, siteKeyHash);
  const caller =
    request.kid === null
      ? await platformObstacle(tx, review, site?.provider ?? null)
      : await agentObstacle(tx, review, now);
  if (caller !== undefined) return caller;
  if (site?.status !== "verified") return forNow("site_not_verified");
  if (request.kid !== null && !(await mandateSettings(tx, siteKeyHash)).enabled) {
    return forNow("mandates_disabled");
  }
  return siteObstacle(site, request) ?? goodsObstacle(context, tx, review);
}

/** A key or an agent that was revoked stays revoked; any other agent can be approved again. */
async function agentObstacle(
  tx: Transaction,
  { siteKeyHash, actorId, request }: Review,
  now: number,
): Promise<Obstacle | undefined> {
  const key = await keyByKid(tx, siteKeyHash, request.kid ?? "");
  const fault = keyFault(key, actorId, now);
  if (fault !== undefined) return forGood(fault);
  const status = (await agentById(tx, siteKeyHash, actorId))?.status ?? "revoked";
  if (status === "active") return undefined;
  if (status === "revoked") return forGood("agent_revoked");
  return forNow(status === "suspended" ? "agent_suspended" : "agent_pending");
}

/**
 * The owner can admit a platform that was suspended since, or one that asked while the site still sold to
 * any platform.
 */
async function platformObstacle(
  tx: Transaction,
  { siteKeyHash, actorId, request }: Review,
  provider: Site["provider"],
): Promise<Obstacle | undefined> {
  const { standing } = await identityOfPlatform(tx, siteKeyHash, platformOf(actorId));
  if (standing === "suspended") return forNow("platform_suspended");
  // Buyers on the provider's page pay for themselves, whichever platform sent them.
  if (standing !== "unlisted" || request.hosted) return undefined;
  const accepted = acceptedBy(await platformSettings(tx, siteKeyHash), provider);
  return accepted === "admitted" ? forNow("platform_not_admitted") : undefined;
}

/** Obstacles that the owner can remove: a closed gate, a skill that is off, another provider. */
function siteObstacle(site: Site, request: Review["request"]): Obstacle | undefined {
  const { handler, kid, skill } = request;
  if (handler !== undefined && site.pausedAt !== null) return forNow("site_paused");
  if (handler !== undefined && !sells(site)) {
    const shut = gatesOf(site).find(({ open }) => !open);
    const advice = shut === undefined ? "" : ` ${shut.advice}`;
    return forNow("gate_shut", `${BLOCKS.gate_shut}${advice} Then approve again.`);
  }
  // It is paid as it was signed, or not at all.
  if (handler !== undefined && handler !== site.provider?.kind) return forNow("provider_changed");
  if (kid === null || skillsOf(site).some(({ id }) => id === skill)) return undefined;
  return forNow("skill_not_live");
}

const isSoldOut = (line: unknown) => line === "out_of_stock" || line === "unavailable";

/** The price must still be the one that was shown or signed. If a product is sold out, stock may come. */
async function goodsObstacle(
  context: Context,
  tx: Transaction,
  review: Review,
): Promise<Obstacle | undefined> {
  const { siteKeyHash, actorId, decisionId, request } = review;
  const { checkout, items, amount } = request;
  if (checkout !== undefined) {
    const current = await checkoutById(tx, siteKeyHash, checkout.checkoutId);
    if (current?.status !== "completing" || current.decisionId !== decisionId) {
      return forGood("checkout_changed");
    }
    const quote = await quoteFor(context, tx, siteKeyHash, current.content, "order");
    if (quote.missing.includes("shop")) return forNow("shop_unreachable");
    if (quote.lines.some(isSoldOut)) return forNow("out_of_stock");
    const same = isSameQuote(quote, current.quote) && quote.totals.totalMinor === amount?.minor;
    return same ? undefined : forGood("cart_mismatch");
  }
  if (items === undefined) return undefined;
  const requested = items.map(({ id: productId, quantity }) => ({ productId, quantity }));
  const goods = { lines: requested, purpose: "order", agentId: actorId } as const;
  const priced = await priceGoods(context, tx, siteKeyHash, goods);
  if (!priced.ok) return forNow("shop_unreachable");
  const { lines, currency, subtotalMinor, needAddress } = priced.value;
  if (lines.some(isSoldOut)) return forNow("out_of_stock");
  if (needAddress || lines.some((line) => typeof line === "string")) return forGood("cart_invalid");
  const same = subtotalMinor === amount?.minor && currency === amount.currency;
  return same ? undefined : forGood("cart_mismatch");
}
