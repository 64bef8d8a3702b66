import { inject } from "vitest";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what the contract promises
  readonly body: any;
}

/** One request to the target; JSON bodies are read, others come as text. */
export async function ask(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(inject("target").url + path, { ...init, method });
  const text = await response.text();
  const json = response.headers.get("content-type")?.includes("json") === true && text !== "";
  return {
    status: response.status,
    headers: response.headers,
    body: json ? JSON.parse(text) : text,
  };
}

/** A request with the operator's token. */
export function askAsOperator(method: string, path: string, body?: unknown): Promise<Answer> {
  return ask(method, path, {
    headers: {
      authorization: `Bearer ${inject("target").adminToken}`,
      "content-type": "application/json",
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** A site the suite made, deleted when `done` is called. */
export async function newSite(fields: Record<string, unknown> = {}) {
  const unique = Math.random().toString(36).slice(2, 10);
  const site = { domain: `${unique}.conformance.example.com`, name: "Conformance", ...fields };
  const { body } = await askAsOperator("POST", "/v1/admin/sites", site);
  return {
    site: body,
    done: () => askAsOperator("DELETE", `/v1/admin/sites/${body.site_key_hash}`),
  };
}
