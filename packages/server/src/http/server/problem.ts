import { REASONS, type ReasonCode, reasonDocsSlug } from "@gatehouse/protocol";

/** `Retry-After` when a check cannot complete now. */
export const UNAVAILABLE_RETRY_AFTER_S = "5";

/** The page that explains a code, served by this installation. */
export function docsUrl(baseUrl: string, code: ReasonCode): string {
  return `${baseUrl}/docs/errors/${reasonDocsSlug(code)}.md`;
}

/** The one HTTP error. Mandates, MCP and UCP render it in their own formats. */
export interface ProblemBody {
  readonly error: ReasonCode;
  readonly message: string;
  /** A more specific code for programs, if an error has several causes. */
  readonly reason_code?: string;
  /** Absent if the request was refused before the service had started. */
  readonly docs_url?: string;
  readonly request_id: string;
}

export interface ProblemOptions {
  /** More specific than the sentence of the table; never repeats input. */
  readonly message?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly reasonCode?: string | undefined;
  /** The page below `/docs/` that explains this error better than the page of its code. */
  readonly page?: string;
  /** The error behind it, for the log only. */
  readonly cause?: unknown;
  /** False if no handler expected the error. */
  readonly isExpected?: boolean;
}

/** Ends a request with an error of the table of reasons. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly code: ReasonCode;
  readonly headers: Readonly<Record<string, string>>;
  readonly reasonCode: string | undefined;
  readonly page: string | undefined;
  readonly isExpected: boolean;

  constructor(code: ReasonCode, options: ProblemOptions = {}) {
    super(options.message ?? REASONS[code].message, { cause: options.cause });
    this.code = code;
    this.headers = options.headers ?? {};
    this.reasonCode = options.reasonCode;
    this.page = options.page;
    this.isExpected = options.isExpected ?? true;
  }

  get status(): number {
    return REASONS[this.code].status;
  }

  /** The address of the page that explains it. */
  docsUrl(baseUrl: string): string {
    return this.page === undefined ? docsUrl(baseUrl, this.code) : `${baseUrl}/docs/${this.page}`;
  }

  body(requestId: string, baseUrl?: string): ProblemBody {
    const docs = baseUrl === undefined ? {} : { docs_url: this.docsUrl(baseUrl) };
    const why = this.reasonCode === undefined ? {} : { reason_code: this.reasonCode };
    return { error: this.code, message: this.message, ...why, ...docs, request_id: requestId };
  }
}

/** The refusal of a caller who has to wait. */
export function waitProblem(
  waitMs: number,
  headers: Readonly<Record<string, string>> = {},
): Problem {
  const seconds = String(Math.ceil(waitMs / 1000));
  return new Problem("rate_limited", { headers: { "retry-after": seconds, ...headers } });
}

/** For a site in a path that does not exist. */
export const NO_SITE = "No site has this key.";

/** What a request names. The request is refused if that does not exist. */
export function requireFound<Value>(value: Value | undefined, message?: string): Value {
  if (value === undefined) throw new Problem("not_found", { message });
  return value;
}

/** Refuses a caller who has to wait. */
export function requireNoWait(waitMs: number, headers?: Readonly<Record<string, string>>): void {
  if (waitMs > 0) throw waitProblem(waitMs, headers);
}
