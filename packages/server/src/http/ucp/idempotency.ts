import { COMPLETE_CHECKOUT } from "@gatehouse/protocol";
import {
  earlierReply,
  type IdempotentRequest,
  type IdempotentResult,
  idempotentRequest,
} from "../../actions/checkout/idempotent.js";
import type { Context } from "../../context.js";
import { Problem } from "../server/problem.js";
import { errorAnswer, type UcpAnswer } from "./answer.js";
import { holderOf } from "./caller.js";
import { invalid } from "./errors.js";
import type { ChangeOperation, UcpCall } from "./operation.js";

const KEY = /^[\x21-\x7e]{1,255}$/;

/** Performs a call once. A repeated request gets the same answer; another request with its key is refused. */
export async function idempotent(
  context: Context,
  operation: ChangeOperation,
  call: UcpCall,
  perform: (request: IdempotentRequest) => Promise<IdempotentResult<UcpAnswer>>,
): Promise<UcpAnswer> {
  const request = requestOf(operation, call);
  const earlier = await replay(context, operation, call, request);
  if (earlier !== undefined) return earlier;
  const outcome = await perform(request);
  if (outcome.kind === "answered") return outcome.answer;
  if (outcome.kind === "site_gone") {
    return errorAnswer("not_found", "This shop no longer exists.");
  }
  const meanwhile = await replay(context, operation, call, request);
  if (meanwhile === undefined) throw new Error("an idempotency key is taken but has no reply");
  return meanwhile;
}

function requestOf(operation: ChangeOperation, call: UcpCall): IdempotentRequest {
  const { site, caller, idempotencyKey: key = "", path, bytes } = call;
  if (!KEY.test(key)) {
    throw invalid("Send `Idempotency-Key`, with a new UUID for every new request.");
  }
  const { profileUrl, proof, dated } = caller;
  return idempotentRequest({
    siteKeyHash: site.siteKeyHash,
    caller: { profileUrl, proof, dated, holder: holderOf(caller) },
    // An operation with two addresses is one: a key used at one of them is taken at the other.
    operation: `${operation.method.toLowerCase()} ${operation.paths[0]}`,
    pays: operation.name === COMPLETE_CHECKOUT,
    key,
    path,
    bytes,
  });
}

/** The answer to an earlier request with the same key; undefined if there was none. */
async function replay(
  context: Context,
  operation: ChangeOperation,
  call: UcpCall,
  request: IdempotentRequest,
): Promise<UcpAnswer | undefined> {
  const reply = await earlierReply(context, request);
  const headers = { "idempotent-replayed": "true" };
  switch (reply.kind) {
    case "none":
      return undefined;
    case "other_request": {
      const message = "This `Idempotency-Key` was used for another request. Use a new one.";
      throw new Problem("conflict", { message });
    }
    case "pending":
      return operation.show(context, call);
    case "answered":
      return { status: reply.status, body: reply.body, headers };
    case "shown": {
      const { body } = await operation.show(context, { ...call, id: reply.id });
      return { status: reply.status, body, headers };
    }
  }
}
