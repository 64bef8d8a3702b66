import { hash } from "node:crypto";
import type { JsonObject } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { RecordDraft } from "../../domain/audit/drafts.js";
import { cartById } from "../../domain/checkouts/carts/store.js";
import { CHECKOUT_ID } from "../../domain/checkouts/checkout.js";
import { isProven, type Proof } from "../../domain/checkouts/platform.js";
import { checkoutById } from "../../domain/checkouts/store.js";
import { isVerified, lockSite } from "../../domain/sites/store.js";
import {
  claimKey,
  freeKey,
  REPLY_STORED_MS,
  type ReplyKey,
  replyOf,
  SIGNED,
  writeReply,
} from "../../domain/ucp-replies/store.js";
import type { Transaction } from "../../infra/db/database.js";
import type { Holder } from "../../infra/quota/stored-bytes.js";
import { withShopQuotes } from "../../purchase/shop-quote.js";

export interface Reply {
  readonly status: number;
  readonly body: JsonObject;
  /** Nothing was changed: the reply is not stored, and the key stays free. */
  readonly unchanged?: true | undefined;
}

/** A request that takes effect at most once. */
export interface IdempotentRequest {
  readonly key: ReplyKey;
  /** The digest of the path and the body. A repeated request has the same. */
  readonly digest: string;
  readonly proven: boolean;
}

interface ReceivedRequest {
  readonly siteKeyHash: string;
  readonly caller: {
    readonly profileUrl: string;
    readonly proof: Proof;
    /** False only for a signature that does not say when it was made. */
    readonly dated: boolean;
    readonly holder: Holder;
  };
  readonly operation: string;
  readonly pays: boolean;
  readonly key: string;
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Whose reply it is. Each kind of proof has its own, apart from callers that only name the same profile. */
function replyOwner({ proof, profileUrl }: ReceivedRequest["caller"]): string {
  if (proof === "none") return profileUrl;
  return `${SIGNED}${proof === "signature" ? "" : `${proof} `}${profileUrl}`;
}

export function idempotentRequest(received: ReceivedRequest): IdempotentRequest {
  const { siteKeyHash, caller, operation, pays, key, path, bytes } = received;
  const { proof, dated, holder } = caller;
  const evicted = pays ? "never" : dated ? "any_time" : "last";
  const name = replyOwner(caller);
  const digest = hash("sha256", Buffer.concat([Buffer.from(`${path}\n`), bytes]), "hex");
  const proven = isProven({ proof });
  return { key: { siteKeyHash, caller: name, operation, key, holder, evicted }, digest, proven };
}

/** Replies up to this size are stored as they were given, for every caller. */
const UNSIGNED_BODY_CHARS_MAX = 8192;
/** Marks a reply that is not stored, because the cart or checkout that it shows is. */
const SHOWN = "shown_resource";

/** A stored reply that shows a cart or checkout as it is when the request is repeated. */
export const shownReply = (id: string): JsonObject => ({ [SHOWN]: id });

/**
 * What is stored of a reply. Everything that unsigned callers send must not be stored twice: for a
 * long reply only the id of its cart or checkout is stored, and a repetition shows that as it is then.
 */
function storedReply({ proven }: IdempotentRequest, { status, body }: Reply) {
  const isLong = !proven && JSON.stringify(body).length > UNSIGNED_BODY_CHARS_MAX;
  const subjectId = typeof body.id === "string" ? body.id : null;
  return { status, body: isLong && subjectId !== null ? shownReply(subjectId) : body, subjectId };
}

/** The reply to an earlier request with the same key. */
export type EarlierReply =
  | { readonly kind: "none" }
  /** The key was used for something else. */
  | { readonly kind: "other_request" }
  /** It is under way, or was when the service stopped. */
  | { readonly kind: "pending" }
  | { readonly kind: "answered"; readonly status: number; readonly body: JsonObject }
  /** It showed the cart or checkout with this id. */
  | { readonly kind: "shown"; readonly status: number; readonly id: string };

export async function earlierReply(
  { db }: Context,
  { key, digest }: IdempotentRequest,
): Promise<EarlierReply> {
  const stored = await replyOf(db, key);
  if (stored === undefined) return { kind: "none" };
  if (stored.digest !== digest) return { kind: "other_request" };
  const { status, body } = stored;
  if (status === null || body === null) return { kind: "pending" };
  const { [SHOWN]: id } = body;
  return typeof id === "string"
    ? { kind: "shown", status, id }
    : { kind: "answered", status, body };
}

export type IdempotentResult<A> =
  | { readonly kind: "answered"; readonly answer: A }
  /** Another request with the same key was first. */
  | { readonly kind: "key_taken" }
  /** The site was deleted, or lost its domain, while the call was under way. Nothing is stored of it. */
  | { readonly kind: "site_gone" };

/** Rolls a transaction back in which nothing was changed. */
class NoEffect<A> extends Error {
  readonly outcome: IdempotentResult<A>;

  constructor(outcome: IdempotentResult<A>) {
    super("nothing was changed");
    this.outcome = outcome;
  }
}

/** Changes something without records. Key, effect and reply are written in one transaction. */
export async function idempotentChange<A extends Reply>(
  context: Context,
  request: IdempotentRequest,
  change: (tx: Transaction) => Promise<A>,
): Promise<IdempotentResult<A>> {
  const { clock, db } = context;
  const { key, digest } = request;
  const write = () =>
    db.shortTransaction<IdempotentResult<A>>(async (tx) => {
      const claimed = await claimKey(tx, key, { digest, now: clock.now() });
      if (!claimed) throw new NoEffect<A>({ kind: "key_taken" });
      if (!(await lockSite(tx, key.siteKeyHash))) throw new NoEffect<A>({ kind: "site_gone" });
      const answer = await change(tx);
      if (answer.unchanged) throw new NoEffect<A>({ kind: "answered", answer });
      await writeReply(tx, key, storedReply(request, answer));
      return { kind: "answered", answer };
    });
  try {
    return await withShopQuotes(context, write);
  } catch (error) {
    if (error instanceof NoEffect) return error.outcome;
    throw error;
  }
}

/** The result of a commit. */
interface Committed<T> {
  readonly records: readonly RecordDraft[];
  readonly value: T;
  /** `later`: the key stays taken, and `completeReply` stores the reply. */
  readonly reply: Reply | "later";
  /** Changes memory after the commit. */
  readonly after?: (() => void) | undefined;
}

/**
 * Changes something together with its records. If the reply is stored later, a repeated request shows the
 * progress until then, and after a crash too.
 */
export async function idempotentCommit<T>(
  context: Context,
  request: IdempotentRequest,
  decide: (tx: Transaction) => Promise<Committed<T>>,
): Promise<IdempotentResult<T>> {
  const { audit, clock } = context;
  const { key, digest } = request;
  const write = async (tx: Transaction) => {
    const claimed = await claimKey(tx, key, { digest, now: clock.now() });
    if (!claimed) return { records: [], answer: { kind: "key_taken" } as const };
    if (!(await isVerified(tx, key.siteKeyHash))) {
      await freeKey(tx, key);
      return { records: [], answer: { kind: "site_gone" } as const };
    }
    const { records, value: answer, reply, after } = await decide(tx);
    if (reply !== "later") {
      if (reply.unchanged) await freeKey(tx, key);
      else await writeReply(tx, key, storedReply(request, reply));
    }
    return { records, answer: { kind: "answered", answer } as const, after };
  };
  const commit = () => audit.commit<IdempotentResult<T>>(key.siteKeyHash, write);
  return (await withShopQuotes(context, commit)).answer;
}

/** Stores a reply that was due when its request was committed. */
export async function completeReply(
  { db }: Context,
  request: IdempotentRequest,
  reply: Reply,
): Promise<void> {
  await db.shortTransaction((tx) => writeReply(tx, request.key, storedReply(request, reply)));
}

/**
 * Whether a repeated change to a cart or checkout would be recognized. Replies are deleted
 * after two days; a resource that is older could be changed by a request that was sent before.
 */
export async function isRepetitionKnown(
  { clock, db }: Context,
  siteKeyHash: string,
  { kind, id }: { readonly kind: "cart" | "checkout"; readonly id: string },
): Promise<boolean> {
  if (!CHECKOUT_ID.test(id)) return true;
  const read = kind === "cart" ? cartById : checkoutById;
  const resource = await read(db, siteKeyHash, id);
  return resource === undefined || clock.now() - resource.createdAt <= REPLY_STORED_MS;
}
