import { negotiate, orderWebhookUrl, readUcpAgent } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { shopSettings } from "../../owners/shop-settings/store.js";
import { closedMessage, sells } from "../../owners/sites/gates.js";
import type { Site } from "../../owners/sites/site.js";
import { holdSite, isVerified } from "../../owners/sites/store.js";
import { countReplies } from "../../owners/ucp-replies/store.js";
import { LocalLimiter } from "../../platform/rate-limit/local.js";
import { errorAnswer, type UcpBody } from "./answer.js";
import type { Caller } from "./caller.js";
import { CART_OPERATIONS } from "./carts.js";
import { CATALOG_OPERATIONS } from "./catalog.js";
import { CHECKOUT_OPERATIONS } from "./checkouts.js";
import { UcpProblem } from "./fault.js";
import { once, onceDecided } from "./once.js";
import type { Operation, UcpCall } from "./operation.js";
import { ORDER_OPERATIONS } from "./orders.js";
import { PlatformProfiles } from "./platform-profiles.js";

export const OPERATIONS: readonly Operation[] = [
  ...CATALOG_OPERATIONS,
  ...CART_OPERATIONS,
  ...CHECKOUT_OPERATIONS,
  ...ORDER_OPERATIONS,
];

const PROFILE_RETRY_AFTER_S = "60";

function nothingInCommon(site: Site): UcpBody {
  const content = sells(site)
    ? "Your platform's profile does not list the capability of this operation."
    : closedMessage(site);
  return errorAnswer("capabilities_incompatible", content);
}

/** It was deleted, or lost its domain, while the call was under way: nothing is kept of it. */
const shopGone = () => errorAnswer("not_found", "This shop is not there any more.");

/**
 * Answers kept for retries of one site's callers. Each change keeps one, so that this bounds carts and
 * checkouts too; what ends something is done all the same.
 */
const REPLIES_PER_SITE_MAX = 500_000;
/** How often they are counted. */
const COUNTED_EVERY_MS = 300_000;
const SITES_COUNTED_MAX = 10_000;

export function takePlace(limiter: LocalLimiter, key: string, now: number): void {
  const waitMs = limiter.take(key, now);
  if (waitMs === 0) return;
  const headers = { "retry-after": String(Math.ceil(waitMs / 1000)) };
  throw new UcpProblem("rate_limited", "Too many requests. See Retry-After.", { headers });
}

/** One operation under two addresses is one: a key of one is taken at the other. */
const nameOf = ({ method, path }: Operation) =>
  `${method} ${path.replace(/^\/checkouts/, "/checkout-sessions")}`;

/** A call as its transport has read it. */
export interface DeskCall extends Omit<UcpCall, "signer"> {
  /** Makes a retry safe; undefined where none was sent. */
  readonly key: string | undefined;
  /** What the same request would have again: where it was sent, and its bytes. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** A shop's side of UCP, whatever transport a platform comes by. */
export class ShopDesk {
  private readonly context: Context;
  private readonly profiles: PlatformProfiles;
  /** What is made or changed at a site, whoever does it. */
  private readonly changes: LocalLimiter;

  /** When a site's replies are counted next, and whether there were too many. */
  private readonly rooms = new Map<string, { readonly until: number; readonly full: boolean }>();

  constructor(context: Context) {
    this.context = context;
    this.profiles = new PlatformProfiles(context);
    const { SHOP_CHANGES_PER_SITE_PER_MINUTE: perMinute } = context.config.limits;
    this.changes = new LocalLimiter({ perMinute });
  }

  /** The platform a caller names, and what it has in common with the shop. Nothing of it is proven. */
  async platformNamed(header: string | undefined, source: string) {
    const named = readUcpAgent(header);
    if (!named.ok) throw new UcpProblem(named.reason, named.detail);
    const profile = await this.profiles.get(named.value, source);
    if (!profile.ok) {
      const limited = profile.reason === "rate_limited";
      const headers: Record<string, string> = limited
        ? { "retry-after": PROFILE_RETRY_AFTER_S }
        : {};
      throw new UcpProblem(profile.reason, profile.detail, { headers });
    }
    const { keys } = profile.value;
    const webhookUrl = orderWebhookUrl(profile.value) ?? null;
    return { profileUrl: named.value, capabilities: negotiate(profile.value), keys, webhookUrl };
  }

  /** Does what a platform asks for, or says why not. */
  async operate(operation: Operation, { key, path, bytes, ...asked }: DeskCall): Promise<UcpBody> {
    const { context, changes } = this;
    const { site, caller } = asked;
    const { siteKeyHash } = site;
    const call = { ...asked, signer: await context.keys.signer("card") };
    if (operation.signed !== undefined) await this.requireSigned(call, operation.signed);
    const common = this.isCommon(operation, site, caller);
    if ("read" in operation) return common ? operation.read(context, call) : nothingInCommon(site);
    const request = { siteKeyHash, caller, operation: nameOf(operation), key, path, bytes };
    if (!operation.ends) await this.requireRoom(siteKeyHash);
    // What was done before is answered first, whatever has changed since.
    if ("change" in operation) {
      return once(context, request, () => {
        if (!common) return async () => nothingInCommon(site);
        takePlace(changes, siteKeyHash, context.clock.now());
        return async (tx) =>
          (await holdSite(tx, siteKeyHash)) ? operation.change(context, tx, call) : shopGone();
      });
    }
    return onceDecided(context, request, {
      begin() {
        if (!common) return async () => ({ records: [], answer: nothingInCommon(site) });
        takePlace(changes, siteKeyHash, context.clock.now());
        const decide = operation.decide(context, call);
        return async (tx) =>
          (await isVerified(tx, siteKeyHash)) ? decide(tx) : { records: [], answer: shopGone() };
      },
      look: () => operation.look(context, call),
    });
  }

  /** Refuses to begin more than can be kept. */
  private async requireRoom(siteKeyHash: string): Promise<void> {
    const { clock, db } = this.context;
    const now = clock.now();
    let room = this.rooms.get(siteKeyHash);
    if (room === undefined || now >= room.until) {
      const count = await countReplies(db, siteKeyHash, REPLIES_PER_SITE_MAX);
      room = { until: now + COUNTED_EVERY_MS, full: count >= REPLIES_PER_SITE_MAX };
      if (this.rooms.size >= SITES_COUNTED_MAX) this.rooms.clear();
      this.rooms.set(siteKeyHash, room);
    }
    if (!room.full) return;
    const headers = { "retry-after": String(Math.ceil((room.until - now) / 1000)) };
    const content = "This shop has more under way than it can keep. See Retry-After.";
    throw new UcpProblem("rate_limited", content, { headers });
  }

  private isCommon({ capability, whileShut }: Operation, site: Site, caller: Caller) {
    return (whileShut === true || sells(site)) && caller.capabilities.includes(capability);
  }

  /** Whoever spends, or asks after an order, has to prove who it is; spending an owner may ease. */
  private async requireSigned(
    { site, caller }: UcpCall,
    signed: NonNullable<Operation["signed"]>,
  ): Promise<void> {
    if (caller.keyId !== null && !caller.dated) {
      const content = "A signature here must say when it was made: `created`.";
      throw new UcpProblem("signature_invalid", content);
    }
    if (caller.keyId !== null) return;
    const waivable = signed === "unless_waived";
    if (waivable && (await shopSettings(this.context.db, site.siteKeyHash)).allowUnsigned) return;
    const content = "Sign the request (RFC 9421) with a key of the profile that you name.";
    throw new UcpProblem("signature_missing", content);
  }
}
