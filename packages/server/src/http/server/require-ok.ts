import type { ReasonCode, Refusal } from "@gatehouse/protocol";
import { Problem } from "./problem.js";

/** What an action answers. */
type ActionResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | (Refusal<ReasonCode> & { readonly reasonCode?: string | undefined });

/**
 * The value of an action's result. A refusal ends the request: its detail is written for the caller.
 * `retryAfterS` says when a caller that met a limit may try again.
 */
export function requireOk<Value>(result: ActionResult<Value>, retryAfterS?: number): Value {
  if (result.ok) return result.value;
  const { reason, detail, reasonCode } = result;
  const canRetry = reason === "rate_limited" || reason === "unavailable";
  const headers =
    canRetry && retryAfterS !== undefined ? { "retry-after": String(retryAfterS) } : {};
  throw new Problem(reason, { message: detail, reasonCode, headers });
}
