import { reach } from "./reached.js";

/** An error answer of the service. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly status: number;
  /** A word such as `not_found`. */
  readonly code: string;

  /** A more specific word, such as `confirmation_required`. */
  readonly reason: string | undefined;

  constructor(status: number, code: string, message: string, reason?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.reason = reason;
  }
}

/** Proves that a request comes from this page: no other origin can set this header. */
export const OWN = { "x-gatehouse-console": "1" };

function refusalOf(status: number, answer: unknown): Refused {
  const { error, message, reason_code } = (answer ?? {}) as Record<string, unknown>;
  if (typeof error !== "string" || typeof message !== "string") {
    return new Refused(status, "unknown", `Something went wrong (status ${status}). Try again.`);
  }
  return new Refused(status, error, message, reason_code?.toString());
}

/** A file is sent as it is, everything else as JSON. */
function sentAs(body: unknown): { readonly type?: string; readonly body?: BodyInit } {
  if (body === undefined) return {};
  if (body instanceof Blob) return { type: body.type, body };
  return { type: "application/json", body: JSON.stringify(body) };
}

/** Sends one request and reads its answer. A refusal is thrown. */
export async function send<Answer>(
  method: string,
  path: string,
  content: unknown,
): Promise<Answer> {
  const { type, ...sent } = sentAs(content);
  const response = await reach(path, {
    method,
    headers: { ...OWN, ...(type === undefined ? {} : { "content-type": type }) },
    credentials: "same-origin",
    ...sent,
  });
  if (response.status === 202 || response.status === 204) return undefined as Answer;
  const answer: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw refusalOf(response.status, answer);
  return answer as Answer;
}
