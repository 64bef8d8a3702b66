/** What Stripe says instead of an object: a status, and what its `error` holds. */
export class Refusal extends Error {
  readonly status: number;
  readonly error: Readonly<Record<string, unknown>>;

  constructor(status: number, error: Readonly<Record<string, unknown>>) {
    super(String(error.message));
    this.status = status;
    this.error = error;
  }
}

interface Details {
  readonly code?: string;
  readonly param?: string;
}

function docUrl({ code }: Details) {
  return code === undefined
    ? {}
    : { doc_url: `https://docs.stripe.com/error-codes/${code.replaceAll("_", "-")}` };
}

/** Most refusals: the request is at fault, whatever the status. */
export function refuse(status: number, message: string, details: Details = {}): Refusal {
  return new Refusal(status, {
    message,
    type: "invalid_request_error",
    ...details,
    ...docUrl(details),
  });
}

export function invalid(message: string, details: Details = {}): Refusal {
  return refuse(400, message, details);
}

/** Where a path names it the answer is 404, where a parameter does it is 400. */
export function missing(kind: string, id: string, param: string, status = 404): Refusal {
  return refuse(status, `No such ${kind}: '${id}'`, { code: "resource_missing", param });
}

export function conflict(message: string): Refusal {
  return new Refusal(400, { message, type: "idempotency_error" });
}

export const keyInUse = (key: string): Refusal =>
  refuse(409, `There is currently another in-progress request using this Idempotent Key: ${key}`, {
    code: "idempotency_key_in_use",
  });

export const tooMany = (): Refusal =>
  refuse(429, "Request rate limit exceeded.", { code: "rate_limit" });

export const broken = (): Refusal =>
  new Refusal(500, { message: "An unknown error occurred", type: "api_error" });
