import { negotiate, orderWebhookUrl, readUcpAgent } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { cartById } from "../../domain/checkouts/carts/store.js";
import { CHECKOUT_ID } from "../../domain/checkouts/checkout.js";
import { checkoutById } from "../../domain/checkouts/store.js";
import { shopSettings } from "../../domain/shop-settings/store.js";
import { closedMessage, sells } from "../../domain/sites/gates.js";
import type { Site } from "../../domain/sites/site.js";
import { isVerified, lockSite } from "../../domain/sites/store.js";
import { REPLY_KEPT_MS } from "../../domain/ucp-replies/store.js";
import { identityOfPlatform } from "../../purchase/identity.js";
import type { Caller as Client } from "../server/admission/caller.js";
import { errorAnswer, type UcpBody } from "./answer.js";
import { type Caller, holderOf } from "./caller.js";
import { CART_OPERATIONS } from "./carts.js";
import { CATALOG_OPERATIONS } from "./catalog.js";
import { CHECKOUT_OPERATIONS } from "./checkouts.js";
import { UcpProblem } from "./fault.js";
import { idempotent, idempotentCommit } from "./idempotency.js";
import type { Operation, UcpCall } from "./operation.js";
import { ORDER_OPERATIONS } from "./orders.js";
import { PlatformProfiles } from "./platform-profiles.js";
import { type Room, StoredRoom } from "./room.js";

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

/** `Retry-After` for a caller whose turn did not come. */
const TURN_RETRY_MS = 2000;

/** The refusal of a caller who has to wait. */
export function tooMany(waitMs: number): UcpProblem {
  const headers = { "retry-after": String(Math.ceil(waitMs / 1000)) };
  return new UcpProblem("rate_limited", "Too many requests. Wait as long as Retry-After says.", {
    headers,
  });
}

/** One operation under two addresses is one: a key of one is taken at the other. */
const nameOf = ({ method, path }: Operation) =>
  `${method} ${path.replace(/^\/checkouts/, "/checkout-sessions")}`;

/** A call as its transport has read it. */
export interface DeskCall extends Omit<UcpCall, "signer" | "source"> {
  /** Makes a retry safe; undefined where none was sent. */
  readonly key: string | undefined;
  /** What the same request would have again: where it was sent, and its bytes. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Who sent it, as far as limits go. */
  readonly client: Client;
}

/** A shop's side of UCP, whatever transport a platform comes by. */
export class UcpService {
  private readonly context: Context;
  private readonly profiles: PlatformProfiles;
  private readonly room: StoredRoom;

  constructor(context: Context) {
    this.context = context;
    this.profiles = new PlatformProfiles(context);
    this.room = new StoredRoom(context);
  }

  /** The platform a caller names, and what it has in common with the shop. Nothing of it is proven. */
  async platformNamed(header: string | undefined, client: Client) {
    const profileUrl = this.profileNamed(header);
    const profile = await this.profiles.get(profileUrl, client);
    if (!profile.ok) {
      const limited = profile.reason === "rate_limited";
      const headers: Record<string, string> = limited
        ? { "retry-after": PROFILE_RETRY_AFTER_S }
        : {};
      throw new UcpProblem(profile.reason, profile.detail, { headers });
    }
    const { keys } = profile.value;
    const webhookUrl = orderWebhookUrl(profile.value) ?? null;
    const capabilities = negotiate(profile.value);
    const network = this.context.networkShares.shareOf(client.prefix);
    return { profileUrl, capabilities, keys, webhookUrl, network };
  }

  /** The profile a caller names; refuses one that names none. */
  profileNamed(header: string | undefined): string {
    const named = readUcpAgent(header);
    if (!named.ok) throw new UcpProblem(named.reason, named.detail);
    return named.value;
  }

  /** Carries out a platform's call when its turn comes, or refuses it. */
  async operate(operation: Operation, call: DeskCall): Promise<UcpBody> {
    const { client, caller } = call;
    if (caller.keyId !== null) client.provenAs = "decide" in operation ? "spending" : "proven";
    const turn = await this.context.admission.runInTurn(client, () => this.answer(operation, call));
    if (turn === undefined) throw tooMany(TURN_RETRY_MS);
    return turn.done;
  }

  /** Counts a call for a total that all callers of its class share at a site. */
  private async take(call: DeskCall, total: "shop_changes" | "shop_reads"): Promise<void> {
    const { admission, db } = this.context;
    const { client, caller } = call;
    const { siteKeyHash } = call.site;
    const platform = { url: caller.profileUrl, signed: caller.keyId !== null };
    const identity = platform.signed
      ? await identityOfPlatform(db, siteKeyHash, platform)
      : undefined;
    const proven = identity && { id: identity.id, admitted: identity.standing === "admitted" };
    const waitMs = admission.takeOfSite(client, total, siteKeyHash, proven);
    if (waitMs > 0) throw tooMany(waitMs);
  }

  /** Counts a change for the limits, and frees space for the rows it will store. */
  private async takeRoom(operation: Operation, call: DeskCall, room: Room): Promise<void> {
    await this.take(call, "shop_changes");
    // Calls that end something are accepted even if the quota is full.
    if (!operation.ends) await this.room.require(call.site.siteKeyHash, room);
  }

  private async answer(operation: Operation, deskCall: DeskCall): Promise<UcpBody> {
    const { context } = this;
    const { key, path, bytes, client, ...asked } = deskCall;
    const { site, caller } = asked;
    const { siteKeyHash } = site;
    const signer = await context.keys.signer("card");
    const call = { ...asked, source: client.networks[0], signer };
    if (caller.keyId !== null && !caller.dated) await this.requireUndatedAllowed(operation, call);
    if (operation.signed !== undefined) await this.requireSigned(call, operation.signed);
    const common = this.isCommon(operation, site, caller);
    if ("read" in operation) {
      await this.take(deskCall, "shop_reads");
      return common ? operation.read(context, call) : nothingInCommon(site);
    }
    const room = await this.room.find(siteKeyHash, holderOf(caller));
    const placed = { ...caller, holder: room.holder };
    const changing = { ...call, caller: placed };
    const name = nameOf(operation);
    const request = { siteKeyHash, caller: placed, operation: name, key, path, bytes };
    const look = (id = call.id) => operation.look(context, { ...changing, id });
    // What was done before is answered first, whatever has changed since.
    if ("change" in operation) {
      return idempotent(context, request, {
        begin: async () => {
          if (!common) return async () => nothingInCommon(site);
          await this.takeRoom(operation, deskCall, room);
          return async (tx) =>
            (await lockSite(tx, siteKeyHash))
              ? operation.change(context, tx, changing)
              : shopGone();
        },
        look,
      });
    }
    return idempotentCommit(context, request, {
      begin: async () => {
        if (!common) return async () => ({ records: [], answer: nothingInCommon(site) });
        await this.takeRoom(operation, deskCall, room);
        const decide = operation.decide(context, changing);
        return async (tx) =>
          (await isVerified(tx, siteKeyHash)) ? decide(tx) : { records: [], answer: shopGone() };
      },
      look,
    });
  }

  private isCommon({ capability, whileShut }: Operation, site: Site, caller: Caller) {
    return (whileShut === true || sells(site)) && caller.capabilities.includes(capability);
  }

  /**
   * Anybody who saw a signature without `created` can send it again. For a change, the idempotency key
   * that it covers protects: a repetition gets the stored answer for as long as that is stored.
   */
  private async requireUndatedAllowed(
    operation: Operation,
    { site: { siteKeyHash }, id }: UcpCall,
  ): Promise<void> {
    const { clock, db } = this.context;
    let allowed = !("read" in operation);
    if (allowed && CHECKOUT_ID.test(id)) {
      const named = operation.path.startsWith("/carts") ? cartById : checkoutById;
      const made = await named(db, siteKeyHash, id);
      allowed = made === undefined || clock.now() - made.createdAt <= REPLY_KEPT_MS;
    }
    if (allowed) return;
    const content = "The signature must say when it was made. Add `created`.";
    throw new UcpProblem("signature_invalid", content);
  }

  /** Whoever spends, or asks after an order, has to prove who it is; spending an owner may ease. */
  private async requireSigned(
    { site, caller }: UcpCall,
    signed: NonNullable<Operation["signed"]>,
  ): Promise<void> {
    if (caller.keyId !== null) return;
    const waivable = signed === "unless_waived";
    if (waivable && (await shopSettings(this.context.db, site.siteKeyHash)).allowUnsigned) return;
    const content = "Sign the request (RFC 9421) with a key of the profile that you name.";
    throw new UcpProblem("signature_missing", content);
  }
}
