import { type JsonObject, REASONS, REQUEST_ID_HEADER, type ReasonCode } from "@gatehouse/protocol";
import type { Submitted } from "../../actions/mandates/submission.js";
import { type Answer, type Exchange, json } from "./exchange.js";
import { docsUrl, type Problem, UNAVAILABLE_RETRY_AFTER_S } from "./problem.js";

/** The contract's `Retry-After` for every limit of mandates. */
const RATE_LIMITED_S = 60;
/** The contract lists no 408 (4.1.10): a body that stalls is a bad request. */
const STALLED_STATUS = 400;
/** A request id that answers repeat: visible ASCII, and short. */
const ECHOED = /^[!-~]{1,128}$/;
const SENT_ID = REQUEST_ID_HEADER.toLowerCase();

/** An answer in the contract's form, for every protocol that carries a mandate. */
export interface MandateAnswer {
  readonly status: number;
  readonly body: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
}

interface RefusalDetails {
  readonly message?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What is known of the mandate by then. */
  readonly facts?: Readonly<Record<string, string>> | undefined;
}

/** The answer to a mandate that was refused before it was claimed. */
export function refusedAnswer(
  baseUrl: string,
  reason: ReasonCode,
  { message = REASONS[reason].message, headers = {}, facts = {} }: RefusalDetails = {},
): MandateAnswer {
  const status = reason === "request_timeout" ? STALLED_STATUS : REASONS[reason].status;
  if (reason === "unavailable") {
    const wait = { "retry-after": UNAVAILABLE_RETRY_AFTER_S };
    return { status, body: { outcome: "unavailable", message }, headers: { ...wait, ...headers } };
  }
  if (reason === "rate_limited") {
    // The header and the body give the same number, because clients read either.
    const wait = headers["retry-after"] ?? String(RATE_LIMITED_S);
    const body = { outcome: "rate_limited", retry_after_seconds: Number(wait), message };
    return { status, body, headers: { ...headers, "retry-after": wait } };
  }
  const docs_url = docsUrl(baseUrl, reason);
  return { status, body: { outcome: "rejected", reason, message, ...facts, docs_url }, headers };
}

/** The answer to what was submitted. */
export function answerOf(baseUrl: string, submitted: Submitted): MandateAnswer {
  if (submitted.kind === "refused") {
    const { reason, message, retryAfterS, reasonCode, hints } = submitted.fault;
    const { mandateId } = submitted;
    const headers = retryAfterS === undefined ? {} : { "retry-after": String(retryAfterS) };
    const facts = {
      ...(mandateId === undefined ? {} : { mandate_id: mandateId }),
      ...(reasonCode === undefined ? {} : { reason_code: reasonCode }),
      ...hints,
    };
    return refusedAnswer(baseUrl, reason, { message, headers, facts });
  }
  const { answer, replayed } = submitted;
  const { status } = answer;
  const { reason } = answer.body;
  const docs = typeof reason === "string" && { docs_url: docsUrl(baseUrl, reason as ReasonCode) };
  const headers: Record<string, string> = {};
  if (status === REASONS.unavailable.status) headers["retry-after"] = UNAVAILABLE_RETRY_AFTER_S;
  if (replayed) headers["idempotent-replayed"] = "true";
  return { status, body: docs ? { ...answer.body, ...docs } : answer.body, headers };
}

/** A problem in the contract's form. */
export function mandateRefusal(
  {
    code,
    headers,
    isExpected,
    message,
  }: Pick<Problem, "code" | "headers" | "isExpected" | "message">,
  baseUrl: string,
): MandateAnswer {
  // Something failed, so a check could not complete, and nothing is approved.
  if (!isExpected) {
    const details = code === "unavailable" ? { message } : {};
    return refusedAnswer(baseUrl, "unavailable", details);
  }
  // The contract has its own code for a body that was cut short or is not JSON.
  const reason = code === "invalid_request" ? "malformed" : code;
  return refusedAnswer(baseUrl, reason, { message, headers });
}

/** An answer as it is sent, with the caller's own id of its request. */
export function renderMandateAnswer(
  exchange: Exchange,
  { status, body, headers = {} }: Omit<MandateAnswer, "headers"> & Partial<MandateAnswer>,
): Answer {
  const sent = exchange.header(SENT_ID) ?? "";
  const echoed = ECHOED.test(sent) ? { [SENT_ID]: sent } : {};
  return json(status, body, { ...echoed, ...headers });
}

/** Renders the errors of `POST …/mandate`, for which the contract fixes one wait for every limit (8). */
export function renderSubmitError(problem: Problem, exchange: Exchange, baseUrl: string): Answer {
  const { "retry-after": _, ...headers } = problem.headers;
  const { code, isExpected, message } = problem;
  const refusal = code === "rate_limited" ? { code, headers, isExpected, message } : problem;
  return renderMandateAnswer(exchange, mandateRefusal(refusal, baseUrl));
}

/** Renders the errors of the routes of mandates. */
export function renderMandateError(problem: Problem, exchange: Exchange, baseUrl: string): Answer {
  return renderMandateAnswer(exchange, mandateRefusal(problem, baseUrl));
}
