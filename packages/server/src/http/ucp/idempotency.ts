import { hash } from "node:crypto";
import type { Context } from "../../context.js";
import {
  claimKey,
  freeKey,
  type ReplyKey,
  replyOf,
  SIGNED,
  writeReply,
} from "../../domain/ucp-replies/store.js";
import type { Transaction } from "../../infra/db/database.js";
import type { UcpBody } from "./answer.js";
import { type Caller, holderOf } from "./caller.js";
import { UcpProblem } from "./fault.js";
import type { Begun } from "./operation.js";

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

/** Answers up to this size are stored as they were given, for every caller. */
const UNSIGNED_BODY_CHARS_MAX = 8192;
/** Marks an answer that is not stored, because the cart or checkout that it shows is. */
const SHOWN = "shown_resource";

/**
 * What is stored of an answer. Everything that unsigned callers send must not be stored twice: for a
 * long answer only the id of its cart or checkout is stored, and a repetition shows that as it is then.
 */
function keptAnswer({ keyId }: Caller, { status, body }: UcpBody) {
  const long = keyId === null && JSON.stringify(body).length > UNSIGNED_BODY_CHARS_MAX;
  const { id } = body;
  return { status, body: long && typeof id === "string" ? { [SHOWN]: id } : body };
}

/** Somebody else has the key by now. */
class Claimed extends Error {}

/** Nothing was done: nothing is kept of it, and the key is free. */
class NoEffect extends Error {
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
  const { profileUrl, keyId, dated } = caller;
  const undated = keyId !== null && !dated;
  const evicted = operation.endsWith("/complete") ? "never" : undated ? "last" : "any_time";
  const name = `${keyId === null ? "" : SIGNED}${profileUrl}`;
  return { siteKeyHash, caller: name, operation, key, holder: holderOf(caller), evicted };
}

const digestOf = ({ path, bytes }: OnceRequest) =>
  hash("sha256", Buffer.concat([Buffer.from(`${path}\n`), bytes]), "hex");

/** Shows a cart or a checkout as it is now: the one the request names, unless another is named. */
type Look = (id?: string) => Promise<UcpBody>;

/** Carries out a request that was not answered before. */
interface Steps<T> {
  /** Runs once; the function it returns may run more than once. */
  begin(): Promise<(tx: Transaction) => Promise<T>>;
  readonly look: Look;
}

/**
 * What was answered to a key; undefined where it is free. `look` answers for what was claimed and is
 * still under way, or was when the service stopped.
 */
async function replay(
  { db }: Context,
  request: OnceRequest,
  look: Look,
): Promise<UcpBody | undefined> {
  const reply = await replyOf(db, keyOf(request));
  if (reply === undefined) return undefined;
  if (reply.digest !== digestOf(request)) {
    const content = "This `Idempotency-Key` was used for another request. Use a new one.";
    throw new UcpProblem("conflict", content, { status: 409 });
  }
  const { status, body } = reply;
  if (status !== null && body !== null) {
    const { [SHOWN]: shown } = body;
    const again = typeof shown === "string" ? (await look(shown)).body : body;
    return { status, body: again, headers: { "idempotent-replayed": "true" } };
  }
  return look();
}

/**
 * Does something once for a key: the same request again gets the answer it had, another request under
 * the key is refused. Key, effect and answer are written together, or nothing is.
 */
export async function idempotent(
  context: Context,
  request: OnceRequest,
  { begin, look }: Steps<UcpBody>,
): Promise<UcpBody> {
  const { clock, db } = context;
  const key = keyOf(request);
  const before = await replay(context, request, look);
  if (before !== undefined) return before;
  const digest = digestOf(request);
  const work = await begin();
  try {
    return await db.transaction(async (tx) => {
      if (!(await claimKey(tx, key, { digest, now: clock.now() }))) throw new Claimed();
      const answer = await work(tx);
      if (answer.undone) throw new NoEffect(answer);
      await writeReply(tx, key, keptAnswer(request.caller, answer));
      return answer;
    });
  } catch (error) {
    if (error instanceof NoEffect) return error.answer;
    const meanwhile = error instanceof Claimed ? await replay(context, request, look) : undefined;
    if (meanwhile !== undefined) return meanwhile;
    throw error;
  }
}

/**
 * The same for what is recorded, and may have to be asked for elsewhere before there is an answer. A
 * crash on the way leaves a key that is taken and has no answer yet: what it stands for goes on, and
 * the same request is shown how far it is.
 */
export async function idempotentCommit(
  context: Context,
  request: OnceRequest,
  { begin, look }: Steps<Begun>,
): Promise<UcpBody> {
  const { audit, clock, db } = context;
  const key = keyOf(request);
  const before = await replay(context, request, look);
  if (before !== undefined) return before;
  const digest = digestOf(request);
  const decide = await begin();
  const { answer } = await audit.commit<Begun["answer"] | null>(request.siteKeyHash, async (tx) => {
    if (!(await claimKey(tx, key, { digest, now: clock.now() }))) {
      return { records: [], answer: null };
    }
    const begun = await decide(tx);
    if ("settle" in begun.answer) return begun;
    // Nothing was written of it either: the key is free.
    if (begun.answer.undone) await freeKey(tx, key);
    else await writeReply(tx, key, keptAnswer(request.caller, begun.answer));
    return begun;
  });
  if (answer === null) {
    const meanwhile = await replay(context, request, look);
    if (meanwhile === undefined) throw new Error("a key was taken and is free");
    return meanwhile;
  }
  if (!("settle" in answer)) return answer;
  const settled = await answer.settle();
  context.crashPoint("ucp.settled");
  const kept = keptAnswer(request.caller, settled);
  if (!settled.unsettled) await db.transaction((tx) => writeReply(tx, key, kept));
  return settled;
}
