import type { ReasonCode, SignatureFault } from "@gatehouse/protocol";
import { UnavailableError } from "../../infra/unavailable-error.js";
import { renderProblem } from "../server/errors.js";
import { type Answer, type Exchange, json } from "../server/exchange.js";
import { Problem } from "../server/problem.js";
import type { NoProfile } from "./platform-profiles.js";

/** Why a call never came to the shop itself, in UCP's words; other words are those of every door. */
export type UcpFault = NoProfile | SignatureFault | ReasonCode | "request_too_large";

/** The statuses UCP gives its own words (2026-08-25, error table). */
const STATUSES: Readonly<Partial<Record<UcpFault, number>>> = {
  invalid_profile_url: 400,
  profile_unreachable: 424,
  profile_malformed: 422,
  version_unsupported: 422,
  signature_missing: 401,
  signature_invalid: 401,
  key_not_found: 401,
  digest_mismatch: 400,
  algorithm_unsupported: 400,
  rate_limited: 429,
};

/** Ends a call with an answer about the protocol, not about the shop: `{code, content}`. */
export class UcpProblem extends Error {
  override readonly name = "UcpProblem";
  readonly code: UcpFault;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: UcpFault,
    message: string,
    { status = STATUSES[code] ?? 400, headers = {} }: Partial<Omit<UcpProblem, "code">> = {},
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.headers = headers;
  }
}

/** The refusal of a caller that has to wait. */
export function tooManyRequests(waitMs: number): UcpProblem {
  const headers = { "retry-after": String(Math.ceil(waitMs / 1000)) };
  return new UcpProblem("rate_limited", "Too many requests. Wait as long as Retry-After says.", {
    headers,
  });
}

const RETRY_AFTER_S = "5";

/** Problems of every door, in the shape UCP has for what is wrong with a call. */
export function asUcp(error: unknown): UcpProblem {
  if (error instanceof UcpProblem) return error;
  if (error instanceof UnavailableError) {
    const headers = { "retry-after": RETRY_AFTER_S };
    const content =
      "A check could not complete. Try again shortly, with the same key: nothing is done twice.";
    return new UcpProblem("unavailable", content, { status: 503, headers });
  }
  if (!(error instanceof Problem)) throw error;
  const { code, message, status, headers } = error;
  return new UcpProblem(code, message, { status, headers });
}

/** How UCP refuses a caller that sends too many requests; everything else is a problem as elsewhere. */
export function renderUcpError(problem: Problem, exchange: Exchange, baseUrl: string): Answer {
  if (problem.code !== "rate_limited") return renderProblem(problem, exchange, baseUrl);
  const { code, message: content } = tooManyRequests(0);
  return json(problem.status, { code, content }, problem.headers);
}
