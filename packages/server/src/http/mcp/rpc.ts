import type { Reply } from "../server/front-answers.js";

/** JSON-RPC 2.0, and what MCP adds to it. */
export const RPC = Object.freeze({
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  /** Ours: limits, and whatever else HTTP has a status for. */
  refused: -32_000,
  headerMismatch: -32_020,
  unsupportedRevision: -32_022,
});

export type RpcId = string | number;

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** A notification or a response: taken, and not answered. */
export const ACCEPTED: Reply = Object.freeze({ status: 202 });

/** `result` is JSON text that was made before. */
export function resultReply(id: RpcId, result: string, headers?: readonly string[]): Reply {
  const body = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
  return headers === undefined ? { status: 200, body } : { status: 200, body, headers };
}

/** Without an id where none could be read. */
export function errorReply(
  status: number,
  id: RpcId | undefined,
  error: RpcError,
  headers: readonly string[] = [],
): Reply {
  return { status, body: JSON.stringify({ jsonrpc: "2.0", id, error }), headers };
}
