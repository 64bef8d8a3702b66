import { REASONS, type ReasonCode, reasonDocsSlug } from "@gatehouse/protocol";

/** The page that explains a code, served by this installation. */
export function docsUrl(baseUrl: string, code: ReasonCode): string {
  return `${baseUrl}/docs/errors/${reasonDocsSlug(code)}.md`;
}

/** The one HTTP error. Mandates, MCP and UCP render it in their own formats. */
export interface ProblemBody {
  readonly error: ReasonCode;
  readonly message: string;
  /** A narrower code for programs, where an error has several causes. */
  readonly reason_code?: string;
  /** Absent where the request was refused before this service was ready to name itself. */
  readonly docs_url?: string;
  readonly request_id: string;
}

export interface ProblemOptions {
  /** Says more than the table's sentence; never echoes input. */
  readonly message?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly reasonCode?: string | undefined;
  /** What went wrong inside; for the log only. */
  readonly cause?: unknown;
  /** False where it stands for an error that no handler foresaw. */
  readonly isExpected?: boolean;
}

/** Thrown by what runs inside a route to end it with an error the table knows. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly code: ReasonCode;
  readonly headers: Readonly<Record<string, string>>;
  readonly reasonCode: string | undefined;
  readonly isExpected: boolean;

  constructor(code: ReasonCode, options: ProblemOptions = {}) {
    super(options.message ?? REASONS[code].message, { cause: options.cause });
    this.code = code;
    this.headers = options.headers ?? {};
    this.reasonCode = options.reasonCode;
    this.isExpected = options.isExpected ?? true;
  }

  get status(): number {
    return REASONS[this.code].status;
  }

  body(requestId: string, baseUrl?: string): ProblemBody {
    const docs = baseUrl === undefined ? {} : { docs_url: docsUrl(baseUrl, this.code) };
    const why = this.reasonCode === undefined ? {} : { reason_code: this.reasonCode };
    return { error: this.code, message: this.message, ...why, ...docs, request_id: requestId };
  }

  response(requestId: string, baseUrl: string): Response {
    return new Response(`${JSON.stringify(this.body(requestId, baseUrl))}\n`, {
      status: this.status,
      headers: {
        "content-type": "application/json; charset=utf-8",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "x-request-id": requestId,
        ...this.headers,
      },
    });
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

/** Something that a request names, or the refusal of a request that names nothing. */
export function requireFound<Value>(value: Value | undefined, message?: string): Value {
  if (value === undefined) throw new Problem("not_found", { message });
  return value;
}
