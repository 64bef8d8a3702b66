import { COMPLETE_CHECKOUT, renderUcp } from "@gatehouse/protocol";
import { isRepetitionKnown } from "../../actions/checkout/idempotent.js";
import { acceptsUnsigned } from "../../actions/checkout/platform-standing.js";
import {
  freeStorage,
  type StorageShare,
  storageShare,
} from "../../actions/checkout/storage-quota.js";
import type { Context } from "../../context.js";
import { isProven } from "../../domain/checkouts/platform.js";
import { closedMessage, sells } from "../../domain/sites/gates.js";
import type { Site } from "../../domain/sites/site.js";
import type { Queries } from "../../infra/db/database.js";
import { type Identity, identityOfEntry, identityOfPlatform } from "../../purchase/identity.js";
import { Problem, waitProblem } from "../server/problem.js";
import { errorAnswer, type UcpAnswer } from "./answer.js";
import { type Caller, holderOf } from "./caller.js";
import { CART, CART_OPERATIONS } from "./carts.js";
import { CATALOG_OPERATIONS } from "./catalog.js";
import { CHECKOUT_OPERATIONS } from "./checkouts.js";
import { completeOperation } from "./complete.js";
import { ucpProblem } from "./errors.js";
import { idempotent } from "./idempotency.js";
import type { Operation, ReceivedCall, UcpCall } from "./operation.js";
import { ORDER_OPERATIONS } from "./orders.js";

/** Everything that platforms can call, over REST and over MCP. */
export const OPERATIONS: readonly Operation[] = [
  ...CATALOG_OPERATIONS,
  ...CART_OPERATIONS,
  ...CHECKOUT_OPERATIONS,
  completeOperation,
  ...ORDER_OPERATIONS,
];

/** `Retry-After` for a caller whose turn did not come. */
const TURN_RETRY_MS = 2000;
/** `Retry-After` for a caller whose rows find no space. */
const STORAGE_RETRY_AFTER_S = "60";

/** Performs a platform's call when its turn comes, or refuses it. */
export async function performOperation(
  context: Context,
  operation: Operation,
  call: ReceivedCall,
): Promise<UcpAnswer> {
  const { client, caller } = call;
  if (isProven(caller)) {
    client.provenAs = operation.kind === "decision" ? "spending" : "proven";
  }
  const turn = await context.admission.runInTurn(client, () => answer(context, operation, call));
  if (turn === undefined) throw waitProblem(TURN_RETRY_MS);
  // Stored replies too: they are in the newest version and in our codes, whichever their first caller wanted.
  const codes = caller.entry?.connection.errorCodes;
  return { ...turn.done, body: renderUcp(caller.version, turn.done.body, codes) };
}

async function answer(
  context: Context,
  operation: Operation,
  received: ReceivedCall,
): Promise<UcpAnswer> {
  const { site, caller } = received;
  const { siteKeyHash } = site;
  const call = { ...received, signer: await context.keys.signer("card") };
  await requireDate(context, operation, call);
  await requireProof(context, operation, call);
  const refusal = await refusalOf(context, operation, call);
  if (operation.kind === "read") {
    await takeRate(context, call, "shop_reads");
    return refusal ?? operation.run(context, call);
  }
  const share = await storageShare(context, siteKeyHash, holderOf(caller));
  const stored = { ...call, caller: { ...caller, holder: share.holder } };
  return idempotent(context, operation, stored, async (request) => {
    if (refusal !== undefined) return { kind: "answered", answer: refusal };
    await takeRate(context, call, "shop_changes");
    if (!operation.ends) await requireStorage(context, siteKeyHash, share);
    return operation.run(context, stored, request);
  });
}

/** Whether a shop does this now. A purchase is begun only if it can succeed. */
async function isOpenTo({ liveSites }: Context, operation: Operation, site: Site) {
  if (operation.whileClosed === true) return true;
  if (!sells(site) || operation.begins === undefined) return sells(site);
  const live = await liveSites.find(site.siteKeyHash);
  return live?.snapshot.offer.buying.includes(COMPLETE_CHECKOUT) === true;
}

/** Frees space for one more row, or refuses the call. */
async function requireStorage(
  context: Context,
  siteKeyHash: string,
  share: StorageShare,
): Promise<void> {
  const space = await freeStorage(context, siteKeyHash, share);
  if (space.ok) return;
  const message = `${space.detail} Wait for the time in Retry-After.`;
  throw new Problem("rate_limited", {
    message,
    headers: { "retry-after": STORAGE_RETRY_AFTER_S },
  });
}

/** The answer to a call that the shop does not do now, or that the platform's profile does not list. */
async function refusalOf(
  context: Context,
  operation: Operation,
  { site, caller }: UcpCall,
): Promise<UcpAnswer | undefined> {
  const refused = (why: string) => errorAnswer("capabilities_incompatible", why);
  if (!(await isOpenTo(context, operation, site))) return refused(closedMessage(site));
  if (caller.capabilities.includes(operation.capability)) return undefined;
  return refused("Your platform's profile does not list the capability of this operation.");
}

/** Counts a call for the total that all callers of its class share at a site. */
async function takeRate(
  { admission, db }: Context,
  { site: { siteKeyHash }, caller, client }: ReceivedCall,
  total: "shop_changes" | "shop_reads",
): Promise<void> {
  const identity = isProven(caller) ? await identityOf(db, siteKeyHash, caller) : undefined;
  const proven = identity && { id: identity.id, admitted: identity.standing === "admitted" };
  const waitMs = admission.takeOfSite(client, total, siteKeyHash, proven);
  if (waitMs > 0) throw waitProblem(waitMs);
}

/** The identity of a caller that proved itself. Its entry is looked up once for a call. */
function identityOf(
  db: Queries,
  siteKeyHash: string,
  { profileUrl: url, entry }: Caller,
): Identity | Promise<Identity> {
  if (entry !== undefined) return identityOfEntry(url, entry ?? undefined);
  return identityOfPlatform(db, siteKeyHash, { url, proven: true });
}

/**
 * Anybody who saw a signature without `created` can send it again. A change is protected by the
 * idempotency key that the signature covers: a repetition gets the stored reply, while that is stored.
 */
async function requireDate(
  context: Context,
  { kind, capability }: Operation,
  { site: { siteKeyHash }, caller, id }: ReceivedCall,
): Promise<void> {
  if (caller.dated) return;
  const resource = { kind: capability === CART ? "cart" : "checkout", id } as const;
  if (kind !== "read" && (await isRepetitionKnown(context, siteKeyHash, resource))) return;
  const message = "The signature must contain its time. Add `created`.";
  throw ucpProblem("signature_invalid", message);
}

/** A platform that pays, or reads an order, must prove who it is. The owner can waive that for payments. */
async function requireProof(
  { db }: Context,
  { proof }: Operation,
  { site, caller }: ReceivedCall,
): Promise<void> {
  if (proof === undefined || isProven(caller)) return;
  if (proof === "unless_waived" && (await acceptsUnsigned(db, site.siteKeyHash))) return;
  const message =
    "Sign the request (RFC 9421) with a key of your profile, or send the API key or access " +
    "token that the shop gave you.";
  throw ucpProblem("signature_missing", message);
}
