import { DatabaseConflictError } from "../../infra/db/database.js";
import type { Log } from "../../infra/log/log.js";
import { UnavailableError } from "../../infra/unavailable-error.js";
import { nothingHere } from "./browser.js";
import { type Answer, type Exchange, json } from "./exchange.js";
import { Problem } from "./problem.js";

/** `Retry-After` where a check cannot complete now. */
const RETRY_AFTER_S = "5";

/** What an error is to the caller. Whatever is not known here is our own mistake. */
function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof UnavailableError) {
    const headers = { "retry-after": RETRY_AFTER_S };
    const message = error.advice;
    return new Problem("unavailable", { message, headers, cause: error, isExpected: false });
  }
  const unexpected = { cause: error, isExpected: false };
  // Two requests raced for the same name; the loser may read again and retry.
  if (error instanceof DatabaseConflictError) return new Problem("conflict", unexpected);
  return new Problem("internal_error", unexpected);
}

/** A problem as the body of every protocol that has no form for errors. */
export function renderProblem(problem: Problem, exchange: Exchange, baseUrl: string): Answer {
  if (problem.code === "not_found") {
    const page = nothingHere(exchange);
    if (page !== undefined) return page;
  }
  return {
    status: problem.status,
    body: `${JSON.stringify(problem.body(exchange.requestId, baseUrl))}\n`,
    headers: {
      "content-type": "application/json; charset=utf-8",
      ...problem.headers,
    },
  };
}

/** The same without the page and the line break, for groups whose callers are all programs. */
export function renderCompactProblem(
  problem: Problem,
  { requestId }: Exchange,
  baseUrl: string,
): Answer {
  return json(problem.status, problem.body(requestId, baseUrl), problem.headers);
}

export interface ErrorTools {
  readonly config: { readonly baseUrl: string };
  readonly log: Log;
}

/** What an exchange has thrown, as a problem; our own mistakes are logged. */
export function problemOf(
  { log }: Pick<ErrorTools, "log">,
  exchange: Exchange,
  error: unknown,
): Problem {
  const problem = toProblem(error);
  if (problem.status >= 500) log.error({ request_id: exchange.requestId, error }, "http.failed");
  return problem;
}

/** The answer to an exchange that threw, in the words of its protocol. */
export function answerError(tools: ErrorTools, exchange: Exchange, error: unknown): Answer {
  const problem = problemOf(tools, exchange, error);
  const render = exchange.route?.renderError ?? renderProblem;
  return render(problem, exchange, tools.config.baseUrl);
}
