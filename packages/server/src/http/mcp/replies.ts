import { REASONS, type ReasonCode } from "@gatehouse/protocol";
import { UnavailableError } from "../../infra/unavailable-error.js";
import type { Reply } from "../server/front-answers.js";
import { pendingBody } from "../server/pending.js";
import { docsUrl, Problem } from "../server/problem.js";
import { errorReply, RPC, type RpcId } from "./rpc.js";

const RETRY_AFTER_S = 5;
/** The rest of the body is not read, so the connection cannot carry another request. */
const UNREAD_REST = ["connection", "close"];

function retryAfter(seconds: number): string[] {
  return ["retry-after", String(seconds)];
}

/** A refusal of HTTP itself, before a message was read. */
export function refusalReply(code: ReasonCode, detail?: string): Reply {
  const { status, message } = REASONS[code];
  const said = detail === undefined ? message : `Refused: ${detail}.`;
  const error = { code: RPC.refused, message: said, data: { error: code } };
  return errorReply(status, undefined, error, UNREAD_REST);
}

/** Over a limit of tool calls: as HTTP 200, for clients drop what other statuses carry. */
export function limitedReply(id: RpcId, waitMs: number, scope: string): Reply {
  const seconds = Math.ceil(waitMs / 1000);
  const data = { error: "rate_limited", retry_after_seconds: seconds, scope };
  const error = { code: RPC.refused, message: "rate_limited", data };
  return errorReply(200, id, error, retryAfter(seconds));
}

/** Too many requests of one address, refused before anything of them was read. */
export function floodedReply(waitMs: number): Reply {
  const seconds = Math.ceil(waitMs / 1000);
  const data = { error: "rate_limited", retry_after_seconds: seconds, scope: "source" };
  const error = { code: RPC.refused, message: "rate_limited", data };
  return errorReply(429, undefined, error, [...retryAfter(seconds), ...UNREAD_REST]);
}

export function unknownSiteReply(requestId: string, baseUrl: string): Reply {
  const problem = new Problem("not_found", { message: "No site has this key." });
  const body = JSON.stringify(problem.body(requestId, baseUrl));
  return { status: problem.status, body, headers: UNREAD_REST };
}

export function pendingSiteReply(domain: string, baseUrl: string): Reply {
  const { status } = REASONS.pending_verification;
  return { status, body: JSON.stringify(pendingBody(baseUrl, domain)), headers: UNREAD_REST };
}

/** What could not be recorded is not answered; what went wrong inside is not told. */
export function failedReply(
  error: unknown,
  { id, requestId, baseUrl }: { id: RpcId | undefined; requestId: string; baseUrl: string },
): Reply {
  const lost = error instanceof UnavailableError;
  const code: ReasonCode = lost ? "unavailable" : "internal_error";
  const { status, message } = REASONS[code];
  const data = {
    error: code,
    docs_url: docsUrl(baseUrl, code),
    request_id: requestId,
    ...(lost ? { retry_after_seconds: RETRY_AFTER_S } : {}),
  };
  const rpcError = { code: lost ? RPC.refused : RPC.internalError, message, data };
  return errorReply(status, id, rpcError, lost ? retryAfter(RETRY_AFTER_S) : []);
}
