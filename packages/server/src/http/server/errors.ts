import { REASONS } from "@gatehouse/protocol";
import {
  DatabaseConflictError,
  DatabaseUnavailableError,
  UnavailableError,
} from "../../infra/db/database.js";
import type { Log } from "../../infra/log/log.js";
import { type Answer, type Exchange, json } from "./exchange.js";
import { htmlPage, isBrowser, isolated, PAGE_HEADERS } from "./html-page.js";
import { docsUrl, Problem, UNAVAILABLE_RETRY_AFTER_S } from "./problem.js";

/** Programs use everything below it, even if their `Accept` header names HTML. */
const API_PREFIX = "/v1";

const NOT_FOUND_PAGE = htmlPage(
  { title: "Page not found · Gatehouse" },
  `<h1>Page not found</h1>
<p>There is no page at this address. If you followed a link, it is outdated or incomplete.</p>
<p><a class="act" href="/">Go to the home page</a></p>
<p><a href="/docs">Documentation</a></p>`,
);

/** The page that a person gets for an unknown path; undefined for programs, which get an error. */
function notFoundPage({ path, request }: Exchange): Answer | undefined {
  const { headers, method } = request;
  if (method !== "GET" && method !== "HEAD") return undefined;
  if (path === API_PREFIX || path.startsWith(`${API_PREFIX}/`)) return undefined;
  if (!isBrowser(headers.accept)) return undefined;
  return { status: 404, body: NOT_FOUND_PAGE, headers: PAGE_HEADERS };
}

const NO_DATABASE =
  "The service cannot use its database now, so nothing was read or changed. GET /readyz says what fails.";

/** A check that cannot complete. Nobody is asked to try again if that does not help. */
function unavailableProblem(error: UnavailableError, { group, request }: Exchange): Problem {
  const { advice } = error;
  const isAdmin = group?.name === "admin";
  const unexpected = { cause: error, isExpected: false };
  if (advice !== undefined) {
    const { fault, remedy, page } = advice;
    const message = `${fault} ${isAdmin ? remedy : "Only the operator of this service can fix it."}`;
    return new Problem("unavailable", { message, page, ...unexpected });
  }
  const isRead = isAdmin && request.method === "GET";
  const message = isRead && error instanceof DatabaseUnavailableError ? NO_DATABASE : undefined;
  const headers = { "retry-after": UNAVAILABLE_RETRY_AFTER_S };
  return new Problem("unavailable", { message, headers, ...unexpected });
}

/** An error as a problem. Errors of a kind that is not known here are our own mistakes. */
function toProblem(error: unknown, exchange: Exchange): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof UnavailableError) return unavailableProblem(error, exchange);
  const unexpected = { cause: error, isExpected: false };
  // Two requests raced for the same name. The one that lost may read again and retry.
  if (error instanceof DatabaseConflictError) return new Problem("conflict", unexpected);
  return new Problem("internal_error", unexpected);
}

/** A problem as JSON, for every protocol that does not define its own errors. */
export function renderProblem(problem: Problem, exchange: Exchange, baseUrl: string): Answer {
  const page = problem.code === "not_found" ? notFoundPage(exchange) : undefined;
  if (page !== undefined) return page;
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

/** An error that a handler threw, as a problem. Our own mistakes are logged. */
export function problemOf(
  { log }: Pick<ErrorTools, "log">,
  exchange: Exchange,
  error: unknown,
): Problem {
  const problem = toProblem(error, exchange);
  if (problem.status >= 500) log.error({ request_id: exchange.requestId, error }, "http.failed");
  return problem;
}

/** The answer to a request whose handler threw, in the form of its protocol. */
export function answerError(tools: ErrorTools, exchange: Exchange, error: unknown): Answer {
  const problem = problemOf(tools, exchange, error);
  const render = exchange.route?.renderError ?? renderProblem;
  return render(problem, exchange, tools.config.baseUrl);
}

/** For a site whose domain is not verified yet: nothing is published in its name before that. */
export function pendingBody(baseUrl: string, domain: string) {
  const { message } = REASONS.pending_verification;
  const docs_url = docsUrl(baseUrl, "pending_verification");
  return { status: "pending_verification", domain, message, docs_url };
}

/** The answer to programs that call such a site. */
export function pendingAnswer(baseUrl: string, domain: string): Answer {
  return json(REASONS.pending_verification.status, pendingBody(baseUrl, domain));
}

/** The page for a person who opens the agent page of such a site. */
export function pendingPage(domain: string): Answer {
  const { status } = REASONS.pending_verification;
  const page = htmlPage(
    { title: `${domain} is not verified yet · Gatehouse` },
    `<h1>${isolated(domain)} is not verified yet</h1>
<p>This page will show what AI agents can do at ${isolated(domain)}. It opens after the owner verifies the domain.</p>
<p>Is this your site? <a href="/docs/errors/pending-verification.md">How to verify a domain</a></p>`,
  );
  return { status, body: page, headers: { ...PAGE_HEADERS, vary: "Accept" } };
}
