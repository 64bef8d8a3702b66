import type { ReasonCode, SignatureFault } from "@gatehouse/protocol";
import { UnavailableError } from "../../infra/db/database.js";
import { renderProblem } from "../server/errors.js";
import { type Answer, type Exchange, json } from "../server/exchange.js";
import { Problem, UNAVAILABLE_RETRY_AFTER_S } from "../server/problem.js";
import type { UcpAnswer } from "./answer.js";
import type { NoProfile } from "./platform-profiles.js";

/** UCP's own codes. All other problems have the same code in every protocol. */
type UcpCode = Exclude<NoProfile, "rate_limited"> | SignatureFault | "request_too_large";

/** The statuses of UCP's own codes (2026-08-25, error table). */
const STATUSES: Readonly<Record<UcpCode, number>> = {
  invalid_profile_url: 400,
  profile_unreachable: 424,
  profile_malformed: 422,
  version_unsupported: 422,
  signature_missing: 401,
  signature_invalid: 401,
  key_not_found: 401,
  digest_mismatch: 400,
  algorithm_unsupported: 400,
  request_too_large: 400,
};

const isUcpCode = (code: string | undefined): code is UcpCode =>
  code !== undefined && Object.hasOwn(STATUSES, code);

/** A problem with one of UCP's own codes. */
export function ucpProblem(code: UcpCode, message: string): Problem {
  return new Problem("invalid_request", { message, reasonCode: code });
}

export const invalid = (message: string) => new Problem("invalid_request", { message });

/** UCP's code for a problem. */
export const codeOf = ({ code, reasonCode }: Problem): UcpCode | ReasonCode =>
  isUcpCode(reasonCode) ? reasonCode : code;

/** A problem of the call itself, in UCP's form. */
export function problemAnswer(problem: Problem): UcpAnswer {
  const { reasonCode, message, headers } = problem;
  const status = isUcpCode(reasonCode) ? STATUSES[reasonCode] : problem.status;
  return { status, body: { code: codeOf(problem), content: message }, headers };
}

/**
 * How UCP's routes refuse a request before its site is known: floods in UCP's form, everything else as a
 * problem.
 */
export function renderUcpError(problem: Problem, exchange: Exchange, baseUrl: string): Answer {
  if (problem.code !== "rate_limited") return renderProblem(problem, exchange, baseUrl);
  const { status, body, headers } = problemAnswer(problem);
  return json(status, body, headers);
}

/** The problem that refused a call. Other errors are bugs and are thrown again. */
export function refusalIn(error: unknown): Problem {
  if (error instanceof UnavailableError) {
    const { advice } = error;
    if (advice !== undefined) return new Problem("unavailable", { message: advice.fault });
    const headers = { "retry-after": UNAVAILABLE_RETRY_AFTER_S };
    const message =
      "A check could not be completed. Try again shortly with the same key. Nothing is done twice.";
    return new Problem("unavailable", { message, headers });
  }
  if (!(error instanceof Problem)) throw error;
  return error;
}
