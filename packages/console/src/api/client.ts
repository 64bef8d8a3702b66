import type { components } from "../../generated/schema.js";
import { reach } from "./reached.js";

/** The schemas of the API, by name. */
export type Api = components["schemas"];

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

async function send<Answer>(method: string, path: string, content: unknown): Promise<Answer> {
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

/** Calls the service as the signed-in person. If the call needs a passkey, it asks for one and tries again. */
export async function call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  try {
    return await send<Answer>(method, path, body);
  } catch (error) {
    if (!(error instanceof Refused) || error.reason !== "confirmation_required") throw error;
    const { confirmWithPasskey } = await import("../session/passkey.js");
    await confirmWithPasskey();
    return send<Answer>(method, path, body);
  }
}

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor?: string;
}
