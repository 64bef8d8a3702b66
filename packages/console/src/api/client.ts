import type { components } from "../../generated/schema.js";

/** What the interface answers with, by the names its document gives. */
export type Api = components["schemas"];

/** A refusal, in the service's own words. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly status: number;
  /** A word such as `not_found`. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Says that a request is this page's own: no other origin can set it. */
export const OWN = { "x-gatehouse-console": "1" };

function refusalOf(status: number, answer: unknown): Refused {
  const { error, message } = (answer ?? {}) as { error?: unknown; message?: unknown };
  const known = typeof error === "string" && typeof message === "string";
  if (known) return new Refused(status, error, message);
  return new Refused(status, "unknown", `The service answered with status ${status}.`);
}

/** Calls the service as whoever is signed in. */
export async function call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(path, {
    method,
    headers: { ...OWN, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    credentials: "same-origin",
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (response.status === 204) return undefined as Answer;
  const answer: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw refusalOf(response.status, answer);
  return answer as Answer;
}

/** A list of the interface: one page of it. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor?: string;
}
