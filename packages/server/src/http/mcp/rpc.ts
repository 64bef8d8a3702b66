import { REASONS } from "@gatehouse/protocol";
import { renderCompactProblem } from "../server/errors.js";
import { type Answer, type Exchange, json } from "../server/exchange.js";
import { docsUrl, type Problem } from "../server/problem.js";

/** JSON-RPC 2.0, and what MCP adds to it. */
export const RPC = Object.freeze({
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  /** Our own code, for limits and other refusals. */
  refused: -32_000,
  headerMismatch: -32_020,
  unsupportedRevision: -32_022,
});

export type RpcId = string | number;

interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** For notifications and responses, which get no answer. */
export const ACCEPTED: Answer = Object.freeze({ status: 202 });

/** `result` is JSON text. */
export function resultAnswer(
  id: RpcId,
  result: string,
  headers?: Readonly<Record<string, string>>,
): Answer {
  const body = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
  return headers === undefined ? { status: 200, body } : { status: 200, body, headers };
}

/** `id` is undefined if it could not be read. */
export function errorAnswer(
  status: number,
  id: RpcId | undefined,
  error: RpcError,
  headers?: Readonly<Record<string, string>>,
): Answer {
  return json(status, { jsonrpc: "2.0", id, error }, headers);
}

function limitError(seconds: number, scope: string): RpcError {
  const data = { error: "rate_limited", retry_after_seconds: seconds, scope };
  return { code: RPC.refused, message: "rate_limited", data };
}

/** For a tool call over a limit. The status is 200, because clients ignore the body of other statuses. */
export function limitedAnswer(id: RpcId, waitMs: number, scope: string): Answer {
  const seconds = Math.ceil(waitMs / 1000);
  return errorAnswer(200, id, limitError(seconds, scope), { "retry-after": String(seconds) });
}

/** For a call that failed. It shows nothing internal. */
function failedAnswer(problem: Problem, exchange: Exchange, baseUrl: string): Answer {
  const wait = problem.headers["retry-after"];
  const isUnavailable = problem.code === "unavailable";
  const code = isUnavailable ? "unavailable" : "internal_error";
  const { status } = REASONS[code];
  const message = isUnavailable ? problem.message : REASONS[code].message;
  const data = {
    error: code,
    docs_url: isUnavailable ? problem.docsUrl(baseUrl) : docsUrl(baseUrl, code),
    request_id: exchange.requestId,
    ...(wait === undefined ? {} : { retry_after_seconds: Number(wait) }),
  };
  const error = { code: isUnavailable ? RPC.refused : RPC.internalError, message, data };
  return errorAnswer(status, exchange.rpcId, error, problem.headers);
}

/** Renders the errors of the MCP server. */
export function renderRpcError(problem: Problem, exchange: Exchange, baseUrl: string): Answer {
  const { code, headers, isExpected, message, status } = problem;
  if (!isExpected) return failedAnswer(problem, exchange, baseUrl);
  // There is no MCP server at this address.
  if (code === "not_found") return renderCompactProblem(problem, exchange, baseUrl);
  const wait = headers["retry-after"];
  const error =
    code === "rate_limited" && wait !== undefined
      ? limitError(Number(wait), "source")
      : { code: RPC.refused, message, data: { error: code } };
  return errorAnswer(status, exchange.rpcId, error, headers);
}
