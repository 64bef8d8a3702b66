import { DatabaseConflictError } from "../../infra/db/database.js";
import type { Log } from "../../infra/log/log.js";
import { UnavailableError } from "../../infra/unavailable-error.js";
import { nothingHere } from "./browser.js";
import type { Answer, Exchange } from "./exchange.js";
import { Problem } from "./problem.js";

/** `Retry-After` where a check cannot complete now. */
const RETRY_AFTER_S = "5";

/** What an error is to the caller. Whatever is not known here is our own mistake. */
function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof UnavailableError) {
    const headers = { "retry-after": RETRY_AFTER_S };
    return new Problem("unavailable", { message: error.advice, headers, cause: error });
  }
  // Two requests raced for the same name; the loser may read again and retry.
  if (error instanceof DatabaseConflictError) return new Problem("conflict", { cause: error });
  return new Problem("internal_error", { cause: error });
}

/** A problem as the body of every protocol that has no form for errors. */
function renderProblem(problem: Problem, exchange: Exchange, baseUrl: string): Answer {
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

export interface ErrorTools {
  readonly config: { readonly baseUrl: string };
  readonly log: Log;
}

/** The answer to an exchange that threw, in the words of its protocol. */
export function answerError(
  { config, log }: ErrorTools,
  exchange: Exchange,
  error: unknown,
): Answer {
  const problem = toProblem(error);
  if (problem.status >= 500) log.error({ request_id: exchange.requestId, error }, "http.failed");
  const render = exchange.route?.renderError ?? renderProblem;
  return render(problem, exchange, config.baseUrl);
}
