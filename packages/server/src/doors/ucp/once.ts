import { hash } from "node:crypto";
import type { Context } from "../../context.js";
import { claimKey, type ReplyKey, replyOf, writeReply } from "../../owners/ucp-replies/store.js";
import type { Transaction } from "../../platform/db/database.js";
import type { UcpBody } from "./answer.js";
import type { Caller } from "./caller.js";
import { UcpProblem } from "./fault.js";

const KEY = /^[\x21-\x7e]{1,255}$/;

/** A request that changes something, as far as doing it once goes. */
export interface OnceRequest {
  readonly siteKeyHash: string;
  readonly caller: Caller;
  readonly operation: string;
  /** The header; a request without it is refused. */
  readonly key: string | undefined;
  /** What the same request would have again: where it was sent, and its bytes. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Somebody else has the key by now. */
class Claimed extends Error {}

/** Nothing was done: nothing is kept of it, and the key is free. */
class Undone extends Error {
  readonly answer: UcpBody;

  constructor(answer: UcpBody) {
    super("nothing was done");
    this.answer = answer;
  }
}

/** What was proven is answered to nobody who only says so. */
function keyOf({ siteKeyHash, caller, operation, key = "" }: OnceRequest): ReplyKey {
  if (!KEY.test(key)) {
    const content = "Send `Idempotency-Key`, a new UUID for everything you want done.";
    throw new UcpProblem("invalid_request", content);
  }
  const { profileUrl, keyId } = caller;
  return { siteKeyHash, caller: `${keyId === null ? "" : "signed "}${profileUrl}`, operation, key };
}

/**
 * Does something once for a key: the same request again gets the answer it had, another request under
 * the key is refused. Key, effect and answer are written together, or nothing is.
 */
export async function once(
  { clock, db }: Context,
  request: OnceRequest,
  work: (tx: Transaction) => Promise<UcpBody>,
): Promise<UcpBody> {
  const key = keyOf(request);
  const { path, bytes } = request;
  const digest = hash("sha256", Buffer.concat([Buffer.from(`${path}\n`), bytes]), "hex");
  const replay = async () => {
    const reply = await replyOf(db, key);
    if (reply === undefined) return undefined;
    if (reply.digest === digest) {
      const { status, body } = reply;
      return { status, body, headers: { "idempotent-replayed": "true" } };
    }
    const content = "This `Idempotency-Key` was used for another request. Use a new one.";
    throw new UcpProblem("conflict", content, { status: 409 });
  };
  const before = await replay();
  if (before !== undefined) return before;
  try {
    return await db.transaction(async (tx) => {
      if (!(await claimKey(tx, key, { digest, now: clock.now() }))) throw new Claimed();
      const answer = await work(tx);
      if (answer.undone) throw new Undone(answer);
      await writeReply(tx, key, answer);
      return answer;
    });
  } catch (error) {
    if (error instanceof Undone) return error.answer;
    const meanwhile = error instanceof Claimed ? await replay() : undefined;
    if (meanwhile !== undefined) return meanwhile;
    throw error;
  }
}
